package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
)

func subresourceSteps(all *clients) {
	deployments := all.typed.AppsV1().Deployments(all.namespace)
	step("status leaves the spec alone", func(ctx context.Context) error {
		object, err := deployments.Create(ctx, deployment("sub", 1), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		object.Status.Replicas = 1
		object.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue}}
		object.Spec.Replicas = ptr(int32(9))
		updated, err := deployments.UpdateStatus(ctx, object, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		return expect(*updated.Spec.Replicas == 1 && updated.Status.Replicas == 1 && updated.Generation == 1, "%+v", updated)
	})
	step("spec leaves the status alone", func(ctx context.Context) error {
		object, err := deployments.Get(ctx, "sub", metav1.GetOptions{})
		if err != nil {
			return err
		}
		object.Status.Replicas = 7
		object.Spec.Replicas = ptr(int32(2))
		updated, err := deployments.Update(ctx, object, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		return expect(*updated.Spec.Replicas == 2 && updated.Status.Replicas == 1 && updated.Generation == 2, "%+v", updated)
	})
	step("patch of the status", func(ctx context.Context) error {
		updated, err := deployments.Patch(ctx, "sub", types.MergePatchType, []byte(`{"status":{"replicas":2}}`), metav1.PatchOptions{}, "status")
		if err != nil {
			return err
		}
		return expect(updated.Status.Replicas == 2, "%+v", updated.Status)
	})
	step("scale of a deployment", func(ctx context.Context) error {
		read, err := deployments.GetScale(ctx, "sub", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if read.Spec.Replicas != 2 || read.Status.Selector != "app=sub" {
			return expect(false, "%+v", read)
		}
		read.Spec.Replicas = 5
		written, err := deployments.UpdateScale(ctx, "sub", read, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		return expect(written.Spec.Replicas == 5 && written.ResourceVersion != read.ResourceVersion, "%+v", written)
	})
	step("scale without a version", func(ctx context.Context) error {
		wanted := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "sub", Namespace: all.namespace}, Spec: autoscalingv1.ScaleSpec{Replicas: 3}}
		written, err := deployments.UpdateScale(ctx, "sub", wanted, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		return expect(written.Spec.Replicas == 3, "%+v", written)
	})
	step("polymorphic scale client", func(ctx context.Context) error {
		client := all.typed.Discovery()
		mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
		scales, err := scale.NewForConfig(all.config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(client))
		if err != nil {
			return err
		}
		target := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
		patched, err := scales.Scales(all.namespace).Patch(ctx, target, "sub", types.MergePatchType, []byte(`{"spec":{"replicas":4}}`), metav1.PatchOptions{})
		if err != nil {
			return err
		}
		return expect(patched.Spec.Replicas == 4, "%+v", patched)
	})
	step("bind and evict", func(ctx context.Context) error {
		pods := all.typed.CoreV1().Pods(all.namespace)
		if _, err := pods.Create(ctx, pod("evicted"), metav1.CreateOptions{}); err != nil {
			return err
		}
		binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "evicted"}, Target: corev1.ObjectReference{Kind: "Node", Name: "node-1"}}
		if err := pods.Bind(ctx, binding, metav1.CreateOptions{}); err != nil {
			return err
		}
		bound, err := pods.Get(ctx, "evicted", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if bound.Spec.NodeName != "node-1" || bound.Status.Conditions[0].Type != corev1.PodScheduled {
			return expect(false, "%+v", bound)
		}
		if err := refused(pods.Bind(ctx, binding, metav1.CreateOptions{}), "Conflict", "already assigned to node"); err != nil {
			return err
		}
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "evicted", Namespace: all.namespace}}
		eviction.DeleteOptions = &metav1.DeleteOptions{GracePeriodSeconds: ptr(int64(0))}
		if err := pods.EvictV1(ctx, eviction); err != nil {
			return err
		}
		_, err = pods.Get(ctx, "evicted", metav1.GetOptions{})
		return refused(err, "NotFound")
	})
	step("eviction against a disruption budget", func(ctx context.Context) error {
		pods := all.typed.CoreV1().Pods(all.namespace)
		guarded := pod("guarded")
		guarded.Labels = map[string]string{"guarded": "yes"}
		if _, err := pods.Create(ctx, guarded, metav1.CreateOptions{}); err != nil {
			return err
		}
		running := []byte(`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`)
		if _, err := pods.Patch(ctx, "guarded", types.MergePatchType, running, metav1.PatchOptions{}, "status"); err != nil {
			return err
		}
		budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "guard"}, Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: ptr(intstr.FromInt32(1)), Selector: &metav1.LabelSelector{MatchLabels: guarded.Labels},
		}}
		created, err := all.typed.PolicyV1().PodDisruptionBudgets(all.namespace).Create(ctx, budget, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		created.Status.ObservedGeneration = created.Generation
		created.Status.ExpectedPods, created.Status.CurrentHealthy, created.Status.DesiredHealthy = 1, 1, 1
		if _, err := all.typed.PolicyV1().PodDisruptionBudgets(all.namespace).UpdateStatus(ctx, created, metav1.UpdateOptions{}); err != nil {
			return err
		}
		err = pods.EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "guarded", Namespace: all.namespace}})
		return refused(err, "TooManyRequests", "violate the pod's disruption budget")
	})
	step("ephemeral containers", func(ctx context.Context) error {
		pods := all.typed.CoreV1().Pods(all.namespace)
		object, err := pods.Create(ctx, pod("debugged"), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		object.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Image: "example.com/debug:1"}}}
		updated, err := pods.UpdateEphemeralContainers(ctx, "debugged", object, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		return expect(len(updated.Spec.EphemeralContainers) == 1, "%+v", updated.Spec)
	})
	step("resize of a pod", func(ctx context.Context) error {
		patch := []byte(`{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"200m"}}}]}}`)
		_, err := all.typed.CoreV1().Pods(all.namespace).Patch(ctx, "debugged", types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "resize")
		return refused(err, "Invalid", "Pod QOS Class may not change as a result of resizing")
	})
}
