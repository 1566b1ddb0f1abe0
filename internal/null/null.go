package null

import "reflect"

// Is reports whether v is nil, or an interface that holds a nil pointer or a nil
// function. It allocates nothing.
func Is(v any) bool {
	if v == nil {
		return true
	}
	value := reflect.ValueOf(v)
	return (value.Kind() == reflect.Pointer || value.Kind() == reflect.Func) && value.IsNil()
}
