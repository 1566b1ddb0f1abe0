package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/trimtab/trimtab/hack/deploy/internal/board"
	"github.com/trimtab/trimtab/hack/deploy/internal/rules"
)

const root = "../.."

// page is the runbook page of an alert.
func page(t *testing.T, alert string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/runbook", alert+".md"))
	require.NoError(t, err)
	return string(text)
}

func TestEveryAlertHasItsPage(t *testing.T) {
	names := map[string]bool{}
	for _, a := range rules.Alerts() {
		names[a.Name] = true
		require.Equal(t, "https://github.com/trimtab/trimtab/blob/main/docs/runbook/"+a.Name+".md", a.RunbookURL())
		text := page(t, a.Name)
		require.True(t, strings.HasPrefix(text, "# "+a.Name+"\n"), a.Name)
		require.Contains(t, text, a.Expr, a.Name)
		at := 0
		for _, heading := range []string{"What it means", "Impact", "How to check", "What to change", "What not to do"} {
			i := strings.Index(text[at:], "\n## "+heading+"\n")
			require.NotEqual(t, -1, i, "%s: %s", a.Name, heading)
			at += i
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "docs/runbook/*.md"))
	require.NoError(t, err)
	require.Len(t, files, len(names), "a page is of an alert that there is not")
}

// What a page tells to look at and to change is there.
func TestPagesSpeakOfWhatThereIs(t *testing.T) {
	var panels []string
	for _, row := range board.Rows() {
		for _, p := range row.Panels {
			panels = append(panels, p.Title)
		}
	}
	options := read(t, "queue/options.go") + read(t, "reconcile/options.go") + read(t, "reconcile/deadline.go")
	for _, a := range rules.Alerts() {
		for _, p := range a.Panels {
			require.Contains(t, panels, p, a.Name)
		}
		text := page(t, a.Name)
		for _, m := range regexp.MustCompile(`(?:^|[^*])\*([A-Z][^*\n]+)\*(?:[^*]|$)`).FindAllStringSubmatch(text, -1) {
			require.Contains(t, panels, m[1], a.Name)
		}
		for _, m := range regexp.MustCompile("`(?:Queue|Reconcile|Deadline)\\.(?:Deadline\\.)?([A-Z][A-Za-z]+)").FindAllStringSubmatch(text, -1) {
			require.Regexp(t, `(?m)^\t`+m[1]+` `, options, a.Name)
		}
		for _, m := range regexp.MustCompile("`(ratelimit|reconcile|requeue|predicate|handler|trigger)\\.([A-Z][A-Za-z]+)").FindAllStringSubmatch(text, -1) {
			require.True(t, declares(t, m[1], m[2]), "%s: %s.%s", a.Name, m[1], m[2])
		}
		for _, m := range regexp.MustCompile(`\]\(([A-Za-z]+\.md)\)`).FindAllStringSubmatch(text, -1) {
			require.FileExists(t, filepath.Join(root, "docs/runbook", m[1]), a.Name)
		}
		for _, m := range regexp.MustCompile(`"(A [a-z]+[^"\n]+|The [a-z]+[^"\n]+|An [a-z]+[^"\n]+)"`).FindAllStringSubmatch(text, -1) {
			require.True(t, logs(t, m[1]), "%s: nothing logs %q", a.Name, m[1])
		}
	}
}

// declares reports whether a package of the library declares a name.
func declares(t *testing.T, folder, name string) bool {
	t.Helper()
	re := regexp.MustCompile(`(?m)^(func|type|var|const|\t)\s*` + name + `\b`)
	return slices.ContainsFunc(sources(t, folder), re.MatchString)
}

func logs(t *testing.T, message string) bool {
	t.Helper()
	return slices.ContainsFunc(slices.Concat(sources(t, "queue"), sources(t, "reconcile"), sources(t, "handler"), sources(t, "predicate")), func(text string) bool {
		return strings.Contains(text, `"`+message)
	})
}

func sources(t *testing.T, folder string) (texts []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			texts = append(texts, read(t, folder+"/"+filepath.Base(file)))
		}
	}
	return texts
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(text)
}

// What is in deploy is what the operator of Prometheus and Grafana's sidecar take.
func TestKustomizationOfDeploy(t *testing.T) {
	objects := build(t, "deploy")
	var rule monitoringv1.PrometheusRule
	require.NoError(t, yaml.UnmarshalStrict(objects["PrometheusRule"], &rule))
	require.Equal(t, monitoringv1.SchemeGroupVersion.String(), rule.APIVersion)
	require.Len(t, rule.Spec.Groups, len(rules.Groups()))
	for i, group := range rules.Groups() {
		require.Equal(t, group.Name, rule.Spec.Groups[i].Name)
		require.Len(t, rule.Spec.Groups[i].Rules, len(group.Rules))
		for j, r := range group.Rules {
			require.Equal(t, r.Expr, rule.Spec.Groups[i].Rules[j].Expr.String())
		}
	}

	var dashboard corev1.ConfigMap
	require.NoError(t, yaml.UnmarshalStrict(objects["ConfigMap"], &dashboard))
	require.Equal(t, "1", dashboard.Labels["grafana_dashboard"])
	require.Equal(t, read(t, "deploy/dashboard.json"), dashboard.Data["trimtab-loops.json"])
}

// The example's ServiceMonitor finds the example's Pods.
func TestServiceMonitorOfTheExample(t *testing.T) {
	objects := build(t, "examples/certrotator/config/prometheus")
	var monitor monitoringv1.ServiceMonitor
	require.NoError(t, yaml.UnmarshalStrict(objects["ServiceMonitor"], &monitor))
	require.Equal(t, monitoringv1.SchemeGroupVersion.String(), monitor.APIVersion)
	var service corev1.Service
	require.NoError(t, yaml.UnmarshalStrict(objects["Service"], &service))
	var deployment appsv1.Deployment
	require.NoError(t, yaml.UnmarshalStrict(build(t, "examples/certrotator/config/manager")["Deployment"], &deployment))

	require.Equal(t, monitor.Spec.Selector.MatchLabels, service.Labels)
	require.Contains(t, service.Labels, monitor.Spec.JobLabel)
	require.Equal(t, monitor.Namespace, service.Namespace)
	require.Equal(t, service.Spec.Ports[0].Name, monitor.Spec.Endpoints[0].Port)
	require.Equal(t, service.Spec.Selector, deployment.Spec.Template.Labels)
	require.Equal(t, service.Namespace, deployment.Namespace)
	ports := deployment.Spec.Template.Spec.Containers[0].Ports
	require.True(t, slices.ContainsFunc(ports, func(p corev1.ContainerPort) bool {
		return p.Name == service.Spec.Ports[0].TargetPort.StrVal
	}))
}

// build returns the objects of a kustomization, by their kinds.
func build(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(root, folder))
	require.NoError(t, err)
	objects := map[string][]byte{}
	for _, r := range resources.Resources() {
		objects[r.GetKind()], err = r.AsYAML()
		require.NoError(t, err)
	}
	return objects
}

func TestInsert(t *testing.T) {
	text, err := insert("# A\n"+begin+"old\n"+end+"more\n", "\nnew\n")
	require.NoError(t, err)
	require.Equal(t, "# A\n"+begin+"\nnew\n\n"+end+"more\n", text)
	_, err = insert("# A\n", "new")
	require.ErrorContains(t, err, "lacks its markers")
}

// A page that nobody has begun is asked for by its name.
func TestWriteAsksForAPage(t *testing.T) {
	require.ErrorContains(t, write(t.TempDir()), "docs/runbook/Trimtab")
}
