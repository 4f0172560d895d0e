package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: ptr(false),
			Containers:                   []corev1.Container{{Name: "main", Image: "example.com/main:1"}},
		},
	}
}

func deletionSteps(all *clients) {
	maps := all.typed.CoreV1().ConfigMaps(all.namespace)
	step("finalizer holds a deletion", func(ctx context.Context) error {
		object := configMap("held", nil)
		object.Finalizers = []string{"example.com/hold"}
		if _, err := maps.Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
		if err := maps.Delete(ctx, "held", metav1.DeleteOptions{}); err != nil {
			return err
		}
		held, err := maps.Get(ctx, "held", metav1.GetOptions{})
		if err != nil {
			return err
		}
		return expect(held.DeletionTimestamp != nil && *held.DeletionGracePeriodSeconds == 0, "%+v", held.ObjectMeta)
	})
	step("no finalizer is added to a deletion", func(ctx context.Context) error {
		patch := []byte(`{"metadata":{"finalizers":["example.com/hold","example.com/late"]}}`)
		_, err := maps.Patch(ctx, "held", types.MergePatchType, patch, metav1.PatchOptions{})
		return refused(err, "Invalid", "no new finalizers can be added if the object is being deleted")
	})
	step("last finalizer ends the deletion", func(ctx context.Context) error {
		if _, err := maps.Patch(ctx, "held", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
			return err
		}
		_, err := maps.Get(ctx, "held", metav1.GetOptions{})
		return refused(err, "NotFound")
	})
	for policy, finalizer := range map[metav1.DeletionPropagation]string{
		metav1.DeletePropagationForeground: "foregroundDeletion",
		metav1.DeletePropagationOrphan:     "orphan",
	} {
		step("propagation "+string(policy), func(ctx context.Context) error {
			name := "propagated-" + finalizer[:5]
			deployments := all.typed.AppsV1().Deployments(all.namespace)
			object := deployment(name, 1)
			object.Finalizers = []string{"example.com/hold"}
			if _, err := deployments.Create(ctx, object, metav1.CreateOptions{}); err != nil {
				return err
			}
			if err := deployments.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
				return err
			}
			read, err := deployments.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if read.DeletionTimestamp == nil || read.Finalizers[0] != "example.com/hold" {
				return expect(false, "%+v", read.ObjectMeta)
			}
			_, err = deployments.Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			return err
		})
	}
	step("graceful deletion of a bound pod", func(ctx context.Context) error {
		pods := all.typed.CoreV1().Pods(all.namespace)
		object := pod("graceful")
		object.Spec.NodeName = "node-1"
		if _, err := pods.Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
		if err := pods.Delete(ctx, "graceful", metav1.DeleteOptions{}); err != nil {
			return err
		}
		read, err := pods.Get(ctx, "graceful", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if *read.DeletionGracePeriodSeconds != 30 {
			return expect(false, "%+v", read.ObjectMeta)
		}
		if err := pods.Delete(ctx, "graceful", metav1.DeleteOptions{GracePeriodSeconds: ptr(int64(0))}); err != nil {
			return err
		}
		_, err = pods.Get(ctx, "graceful", metav1.GetOptions{})
		return refused(err, "NotFound")
	})
	step("namespace in deletion takes no objects", func(ctx context.Context) error {
		name := all.namespace + "-going"
		namespaces := all.typed.CoreV1().Namespaces()
		if _, err := namespaces.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
			return err
		}
		held := configMap("held", nil)
		held.Finalizers = []string{"example.com/hold"}
		inside := all.typed.CoreV1().ConfigMaps(name)
		if _, err := inside.Create(ctx, held, metav1.CreateOptions{}); err != nil {
			return err
		}
		if err := namespaces.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		if err := eventually(ctx, "creation is forbidden", func() bool {
			_, err := inside.Create(ctx, configMap("late", nil), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			return refused(err, "Forbidden", "because it is being terminated") == nil
		}); err != nil {
			return err
		}
		_, err := inside.Patch(ctx, "held", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		return err
	})
}
