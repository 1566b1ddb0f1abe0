package prometheus

import (
	"context"
	"fmt"
	"math"
	"time"

	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
)

// Values returns the values of an expression now, but for those that are no number: a
// quantile of nothing.
func (p *Prometheus) Values(ctx context.Context, expr string) ([]float64, error) {
	result, _, err := p.Query(ctx, expr, time.Now())
	if err != nil {
		return nil, fmt.Errorf("prometheus: %s: %w", expr, err)
	}
	vector, ok := result.(model.Vector)
	if !ok {
		return nil, fmt.Errorf("prometheus: %s: a %s, not a vector", expr, result.Type())
	}
	var values []float64
	for _, s := range vector {
		if v := float64(s.Value); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	return values, nil
}

// LabelsOf returns the values of a label that the series of a selector have.
func (p *Prometheus) LabelsOf(ctx context.Context, label, selector string) ([]string, error) {
	values, _, err := p.LabelValues(ctx, label, []string{selector}, time.Now().Add(-time.Minute), time.Now())
	if err != nil {
		return nil, fmt.Errorf("prometheus: %s of %s: %w", label, selector, err)
	}
	found := make([]string, len(values))
	for i, v := range values {
		found[i] = string(v)
	}
	return found, nil
}

// Evaluated returns the names of the recording rules and of the alerts, and an error
// that names the first rule that Prometheus has not evaluated or could not.
func (p *Prometheus) Evaluated(ctx context.Context) (recordings []string, alerts []promv1.AlertingRule, err error) {
	result, err := p.Rules(ctx, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("prometheus: %w", err)
	}
	for _, group := range result.Groups {
		for _, rule := range group.Rules {
			switch r := rule.(type) {
			case promv1.RecordingRule:
				recordings = append(recordings, r.Name)
				err = healthy(r.Name, string(r.Health), r.LastError)
			case promv1.AlertingRule:
				alerts = append(alerts, r)
				err = healthy(r.Name, string(r.Health), r.LastError)
			default:
				err = fmt.Errorf("prometheus: a rule that is a %T", rule)
			}
			if err != nil {
				return nil, nil, err
			}
		}
	}
	return recordings, alerts, nil
}

func healthy(name, health, lastError string) error {
	if health != string(promv1.RuleHealthGood) {
		return fmt.Errorf("prometheus: %s is %s: %s", name, health, lastError)
	}
	return nil
}
