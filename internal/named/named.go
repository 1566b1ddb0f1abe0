package named

import (
	"fmt"
	"reflect"
	"strings"
)

// Of returns what request prints as. Of a struct that prints as one of its embedded
// fields does, as one that adds a cluster to a reconcile.Request has its String, the
// other fields that are not empty come first: "east/default/web". Else the requests of
// two clusters would have one name.
func Of(request any) string {
	name := fmt.Sprint(request)
	v := reflect.ValueOf(request)
	if v.Kind() != reflect.Struct || v.NumField() < 2 {
		return name
	}
	parts, found := []string{}, false
	for i := range v.NumField() {
		part := fmt.Sprint(v.Field(i))
		switch {
		case !found && v.Type().Field(i).Anonymous && part == name:
			found = true
		case !v.Field(i).IsZero():
			parts = append(parts, part)
		}
	}
	if !found {
		return name
	}
	return strings.Join(append(parts, name), "/")
}
