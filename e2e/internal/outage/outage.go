package outage

import (
	"context"
	"errors"
	"fmt"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// Message is in the error of every write that is refused.
	Message = "out of order for a while"

	name     = "outage"
	patience = time.Minute
	poll     = 100 * time.Millisecond
)

// Begin makes every create and update of a Secret in namespace fail, and
// returns once it does. Only one namespace can be out of order at a time.
func Begin(ctx context.Context, c client.Client, namespace string) error {
	for _, object := range []client.Object{policy(), binding(namespace)} {
		if err := c.Create(ctx, object); err != nil {
			return fmt.Errorf("outage: %w", err)
		}
	}
	return waitUntil(ctx, c, namespace, true)
}

// End makes them succeed again, and returns once they do.
func End(ctx context.Context, c client.Client, namespace string) error {
	for _, object := range []client.Object{binding(namespace), policy()} {
		if err := client.IgnoreNotFound(c.Delete(ctx, object)); err != nil {
			return fmt.Errorf("outage: %w", err)
		}
	}
	return waitUntil(ctx, c, namespace, false)
}

// waitUntil tries to create a Secret, without creating it, until the outcome
// is as wanted: the API server takes a moment to notice a policy.
func waitUntil(ctx context.Context, c client.Client, namespace string, refused bool) error {
	probe := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "outage-"}}
	err := wait.PollUntilContextTimeout(ctx, poll, patience, true, func(ctx context.Context) (bool, error) {
		err := c.Create(ctx, probe.DeepCopy(), client.DryRunAll)
		return (err != nil) == refused, nil
	})
	if err != nil {
		return errors.Join(fmt.Errorf("outage: the policy in %s has had no effect", namespace), err)
	}
	return nil
}

func policy() *admissionv1.ValidatingAdmissionPolicy {
	return &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: new(admissionv1.Fail),
			MatchConstraints: &admissionv1.MatchResources{
				ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: secretWrites()}},
			},
			Validations: []admissionv1.Validation{{
				Expression: "false",
				Message:    Message,
				Reason:     new(metav1.StatusReasonForbidden),
			}},
		},
	}
}

func secretWrites() admissionv1.RuleWithOperations {
	return admissionv1.RuleWithOperations{
		Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
		Rule: admissionv1.Rule{
			APIGroups:   []string{""},
			APIVersions: []string{"v1"},
			Resources:   []string{"secrets"},
		},
	}
}

func binding(namespace string) *admissionv1.ValidatingAdmissionPolicyBinding {
	return &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        name,
			ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
			MatchResources: &admissionv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{
					MatchLabels: map[string]string{corev1.LabelMetadataName: namespace},
				},
			},
		},
	}
}
