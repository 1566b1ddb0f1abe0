// Package authority makes certificate authorities and certificates for tests
// and the demo: the CA that the operator is given, and the forgeries that it
// has to notice.
package authority
