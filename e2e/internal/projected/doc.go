// Package projected writes files as a kubelet does that mounts a ConfigMap, so
// that whoever follows them sees what there is in a Pod.
package projected
