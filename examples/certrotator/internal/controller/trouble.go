package controller

import (
	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// trouble is what the operator can't mend by trying again: somebody has to
// change something first. It becomes the condition and an event. All other
// errors are returned to the controller, which tries again with a growing delay.
type trouble struct {
	reason  string // of the condition and the event
	message string // sentences
}

// Error implements error.
func (t *trouble) Error() string { return t.reason + ": " + t.message }

func invalidSpec(message string) error {
	return &trouble{reason: certv1.ReasonInvalidSpec, message: message}
}

func caUnavailable(message string) error {
	return &trouble{reason: certv1.ReasonCAUnavailable, message: message}
}

func secretConflict(message string) error {
	return &trouble{reason: certv1.ReasonSecretConflict, message: message}
}
