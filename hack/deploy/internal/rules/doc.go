// Package rules holds the recording and alert rules for the series of package
// metrics, each once, and writes them as Prometheus reads them: as a rule file and as
// a PrometheusRule of the Prometheus operator.
//
// All are by namespace, job and controller, so that several operators share a
// Prometheus; outside Kubernetes there is no namespace, which does no harm.
package rules
