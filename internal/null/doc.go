// Package null tells what there is none of, also where an interface hides it.
package null
