package reconcile

import "sigs.k8s.io/controller-runtime/pkg/client"

// Whether options make a dry run of a write. Without options nothing is allocated.

func createIsDry(opts []client.CreateOption) bool {
	return len(opts) > 0 && len((&client.CreateOptions{}).ApplyOptions(opts).DryRun) > 0
}

func deleteIsDry(opts []client.DeleteOption) bool {
	return len(opts) > 0 && len((&client.DeleteOptions{}).ApplyOptions(opts).DryRun) > 0
}

func deleteAllIsDry(opts []client.DeleteAllOfOption) bool {
	return len(opts) > 0 && len((&client.DeleteAllOfOptions{}).ApplyOptions(opts).DryRun) > 0
}

func updateIsDry(opts []client.UpdateOption) bool {
	return len(opts) > 0 && len((&client.UpdateOptions{}).ApplyOptions(opts).DryRun) > 0
}

func patchIsDry(opts []client.PatchOption) bool {
	return len(opts) > 0 && len((&client.PatchOptions{}).ApplyOptions(opts).DryRun) > 0
}

func applyIsDry(opts []client.ApplyOption) bool {
	return len(opts) > 0 && len((&client.ApplyOptions{}).ApplyOptions(opts).DryRun) > 0
}

func subCreateIsDry(opts []client.SubResourceCreateOption) bool {
	return len(opts) > 0 && len((&client.SubResourceCreateOptions{}).ApplyOptions(opts).DryRun) > 0
}

func subUpdateIsDry(opts []client.SubResourceUpdateOption) bool {
	return len(opts) > 0 && len((&client.SubResourceUpdateOptions{}).ApplyOptions(opts).DryRun) > 0
}

func subPatchIsDry(opts []client.SubResourcePatchOption) bool {
	return len(opts) > 0 && len((&client.SubResourcePatchOptions{}).ApplyOptions(opts).DryRun) > 0
}

func subApplyIsDry(opts []client.SubResourceApplyOption) bool {
	return len(opts) > 0 && len((&client.SubResourceApplyOptions{}).ApplyOpts(opts).DryRun) > 0
}
