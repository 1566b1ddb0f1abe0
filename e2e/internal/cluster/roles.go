package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// The names under which the roles of all the operator's files are joined.
const (
	clusterRole = "operator"
	leaderRole  = "operator-leader"
)

// AddOperator makes a user with the operator's own roles and no others, and
// returns the path of its kubeconfig file.
func (c *Cluster) AddOperator(ctx context.Context, name string) (string, error) {
	kubeconfig, _, err := c.AddUser(name)
	if err != nil {
		return "", err
	}
	subjects := []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name}}
	meta := metav1.ObjectMeta{Name: name}
	err = c.Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta,
		Subjects:   subjects,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: clusterRole},
	})
	if err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	meta.Namespace = Namespace
	err = c.Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: meta,
		Subjects:   subjects,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: leaderRole},
	})
	if err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	return kubeconfig, nil
}

// createRoles creates one ClusterRole and one Role with the rules of all that
// the operator's files hold.
func (c *Cluster) createRoles(ctx context.Context) error {
	everywhere, here, err := readRules(filepath.Join(c.opts.Manifests, "rbac"))
	if err != nil {
		return err
	}
	err = c.Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: clusterRole}, Rules: everywhere})
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	err = c.Create(ctx, &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: leaderRole},
		Rules:      here,
	})
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// readRules collects the rules of the ClusterRoles and Roles in folder.
func readRules(folder string) (everywhere, here []rbacv1.PolicyRule, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, nil, fmt.Errorf("cluster: no roles in %s: %w", folder, errors.Join(err, os.ErrNotExist))
	}
	for _, file := range files {
		roles, err := readRoles(file)
		if err != nil {
			return nil, nil, err
		}
		for i := range roles {
			switch roles[i].Kind {
			case "ClusterRole":
				everywhere = append(everywhere, roles[i].Rules...)
			case "Role":
				here = append(here, roles[i].Rules...)
			}
		}
	}
	return everywhere, here, nil
}

// readRoles reads all documents of a file as roles; those of other kinds have
// no rules.
func readRoles(file string) ([]rbacv1.ClusterRole, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	var roles []rbacv1.ClusterRole
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	for {
		var role rbacv1.ClusterRole
		switch err := decoder.Decode(&role); {
		case errors.Is(err, io.EOF):
			return roles, nil
		case err != nil:
			return nil, fmt.Errorf("cluster: %s: %w", file, err)
		}
		roles = append(roles, role)
	}
}
