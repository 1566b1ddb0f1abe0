package queue

import (
	"slices"

	"github.com/trimtab/trimtab/internal/class"
)

// classes gives the classes of failed runs small numbers, since every item has room
// for one. Zero stands for no class.
type classes []string

// maxClasses is how many classes are told apart. A reconciler has a dozen; what
// comes beyond counts as an ordinary error.
const maxClasses = 200

func (c *classes) number(name string) uint8 {
	if name == "" {
		return 0
	}
	i := slices.Index(*c, name)
	if i < 0 && len(*c) >= maxClasses {
		name = class.Error
		i = slices.Index(*c, name)
	}
	if i < 0 {
		*c = append(*c, name)
		i = len(*c) - 1
	}
	return uint8(i + 1)
}

func (c classes) name(number uint8) string {
	if number == 0 {
		return ""
	}
	return c[number-1]
}
