// Command deploy writes what makes the loops visible in a cluster: the Grafana
// dashboard, the Prometheus rules, their list in docs/dashboard.md, and what each page
// of docs/runbook says of its alert. The sources are the packages board and rules
// beside it; make generate runs it.
package main
