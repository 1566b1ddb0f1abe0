package metrics

// verb is a value of the label verb.
type verb int

const (
	getVerb verb = iota
	listVerb
	watchVerb
	createVerb
	updateVerb
	patchVerb
	applyVerb
	deleteVerb
	deleteCollectionVerb
	otherVerb
	verbCount
)

func verbNames() [verbCount]string {
	return [verbCount]string{
		"get", "list", "watch", "create", "update", "patch", "apply", "delete", "deletecollection", other,
	}
}

// verbOf returns the verb of that name. Each call of the API asks: a switch takes a
// fraction of what a map does.
func verbOf(name string) verb {
	switch name {
	case "get":
		return getVerb
	case "list":
		return listVerb
	case "watch":
		return watchVerb
	case "create":
		return createVerb
	case "update":
		return updateVerb
	case "patch":
		return patchVerb
	case "apply":
		return applyVerb
	case "delete":
		return deleteVerb
	case "deletecollection":
		return deleteCollectionVerb
	default:
		return otherVerb
	}
}
