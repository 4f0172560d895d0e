package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/util/retry"
)

var mapsResource = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

func writeSteps(all *clients) {
	maps := all.typed.CoreV1().ConfigMaps(all.namespace)
	dryRun := []string{metav1.DryRunAll}
	step("dry run of create and delete", func(ctx context.Context) error {
		created, err := maps.Create(ctx, configMap("dry", nil), metav1.CreateOptions{DryRun: dryRun})
		if err != nil {
			return err
		}
		if created.UID == "" {
			return expect(false, "no uid")
		}
		_, err = maps.Get(ctx, "dry", metav1.GetOptions{})
		if err := refused(err, "NotFound"); err != nil {
			return err
		}
		if _, err := maps.Create(ctx, configMap("dry", nil), metav1.CreateOptions{}); err != nil {
			return err
		}
		if err := maps.Delete(ctx, "dry", metav1.DeleteOptions{DryRun: dryRun}); err != nil {
			return err
		}
		_, err = maps.Get(ctx, "dry", metav1.GetOptions{})
		return err
	})
	misspelt := func() *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "strict"}, "dada": map[string]any{"a": "b"},
		}}
	}
	dynamicMaps := all.dynamic.Resource(mapsResource).Namespace(all.namespace)
	step("field validation strict", func(ctx context.Context) error {
		_, err := dynamicMaps.Create(ctx, misspelt(), metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		return refused(err, "BadRequest", `strict decoding error: unknown field "dada"`)
	})
	step("field validation warn", func(ctx context.Context) error {
		result := all.typed.CoreV1().RESTClient().Post().Namespace(all.namespace).Resource("configmaps").
			VersionedParams(&metav1.CreateOptions{FieldValidation: metav1.FieldValidationWarn, DryRun: dryRun}, metav1.ParameterCodec).
			SetHeader("Content-Type", "application/json").
			Body([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"strict"},"dada":{"a":"b"}}`)).Do(ctx)
		if err := result.Error(); err != nil {
			return err
		}
		warnings := result.Warnings()
		return expect(len(warnings) == 1 && warnings[0].Text == `unknown field "dada"`, "%v", warnings)
	})
	step("retry on conflict", func(ctx context.Context) error {
		if _, err := maps.Create(ctx, configMap("counter", nil), metav1.CreateOptions{}); err != nil {
			return err
		}
		errs := make(chan error, 8)
		for range 8 {
			go func() {
				errs <- retry.RetryOnConflict(retry.DefaultBackoff, func() error {
					read, err := maps.Get(ctx, "counter", metav1.GetOptions{})
					if err != nil {
						return err
					}
					read.Data["key"] += "x"
					_, err = maps.Update(ctx, read, metav1.UpdateOptions{})
					return err
				})
			}()
		}
		failed := 0
		for range 8 {
			if err := <-errs; err != nil {
				failed++
			}
		}
		read, err := maps.Get(ctx, "counter", metav1.GetOptions{})
		if err != nil {
			return err
		}
		return expect(len(read.Data["key"])-len("value") == 8-failed, "%q after %d failures", read.Data["key"], failed)
	})
	step("immutable config map", func(ctx context.Context) error {
		object := configMap("immutable", nil)
		object.Immutable = ptr(true)
		created, err := maps.Create(ctx, object, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		created.Data["key"] = "other"
		_, err = maps.Update(ctx, created, metav1.UpdateOptions{})
		return refused(err, "Invalid", "field is immutable when `immutable` is set")
	})
	step("selector of a deployment is immutable", func(ctx context.Context) error {
		patch := []byte(`{"spec":{"selector":{"matchLabels":{"app":"other"}}}}`)
		_, err := all.typed.AppsV1().Deployments(all.namespace).Patch(ctx, "json-web", types.MergePatchType, patch, metav1.PatchOptions{})
		return refused(err, "Invalid", "field is immutable")
	})
	step("metadata client", func(ctx context.Context) error {
		list, err := all.metadata.Resource(mapsResource).Namespace(all.namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		return expect(len(list.Items) > 5, "%d items", len(list.Items))
	})
	step("create in a missing namespace", func(ctx context.Context) error {
		_, err := all.typed.CoreV1().ConfigMaps("missing-namespace").Create(ctx, configMap("one", nil), metav1.CreateOptions{})
		return refused(err, "NotFound", `namespaces "missing-namespace" not found`)
	})
	step("causes of an invalid pod", func(ctx context.Context) error {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "wrong"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "A"}}}}
		_, err := all.typed.CoreV1().Pods(all.namespace).Create(ctx, pod, metav1.CreateOptions{})
		return refused(err, "Invalid", "spec.containers[0].image: Required value", "spec.containers[0].name: Invalid value")
	})
}

func applySteps(all *clients) {
	maps := all.typed.CoreV1().ConfigMaps(all.namespace)
	first := metav1.ApplyOptions{FieldManager: "first"}
	second := metav1.ApplyOptions{FieldManager: "second"}
	applied := func(data map[string]string) *coreac.ConfigMapApplyConfiguration {
		return coreac.ConfigMap("applied", all.namespace).WithData(data)
	}
	step("apply creates", func(ctx context.Context) error {
		object, err := maps.Apply(ctx, applied(map[string]string{"a": "1", "b": "1"}), first)
		if err != nil {
			return err
		}
		return expect(object.ManagedFields[0].Manager == "first" && object.ManagedFields[0].Operation == "Apply", "%+v", object.ManagedFields)
	})
	step("apply shares a field", func(ctx context.Context) error {
		object, err := maps.Apply(ctx, applied(map[string]string{"a": "1", "c": "2"}), second)
		if err != nil {
			return err
		}
		return expect(len(object.ManagedFields) == 2 && len(object.Data) == 3, "%+v", object)
	})
	step("apply conflict", func(ctx context.Context) error {
		_, err := maps.Apply(ctx, applied(map[string]string{"b": "2"}), second)
		return refused(err, "Conflict", `conflict with "first": .data.b`)
	})
	step("apply by force", func(ctx context.Context) error {
		forced := second
		forced.Force = true
		object, err := maps.Apply(ctx, applied(map[string]string{"b": "2"}), forced)
		if err != nil {
			return err
		}
		return expect(object.Data["b"] == "2" && object.Data["a"] == "1" && object.Data["c"] == "", "%v", object.Data)
	})
	step("apply removes what it no longer has", func(ctx context.Context) error {
		object, err := maps.Apply(ctx, applied(map[string]string{}), first)
		if err != nil {
			return err
		}
		return expect(object.Data["a"] == "" && object.Data["b"] == "2", "%v", object.Data)
	})
	step("apply without change keeps the version", func(ctx context.Context) error {
		before, err := maps.Get(ctx, "applied", metav1.GetOptions{})
		if err != nil {
			return err
		}
		after, err := maps.Apply(ctx, applied(map[string]string{"b": "2"}), second)
		if err != nil {
			return err
		}
		return expect(before.ResourceVersion == after.ResourceVersion, "%s and %s", before.ResourceVersion, after.ResourceVersion)
	})
	web := func(image string) *appsac.DeploymentApplyConfiguration {
		labels := map[string]string{"app": "applied"}
		return appsac.Deployment("applied", all.namespace).WithSpec(appsac.DeploymentSpec().
			WithSelector(metaac.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(coreac.PodTemplateSpec().WithLabels(labels).WithSpec(coreac.PodSpec().
				WithContainers(coreac.Container().WithName("main").WithImage(image).
					WithPorts(coreac.ContainerPort().WithContainerPort(80))))))
	}
	step("apply a deployment", func(ctx context.Context) error {
		deployments := all.typed.AppsV1().Deployments(all.namespace)
		if _, err := deployments.Apply(ctx, web("example.com/main:1"), first); err != nil {
			return err
		}
		changed, err := deployments.Apply(ctx, web("example.com/main:2"), first)
		if err != nil {
			return err
		}
		return expect(changed.Generation == 2 && changed.Spec.Template.Spec.Containers[0].Ports[0].Protocol == "TCP", "%+v", changed)
	})
	step("extract what was applied", func(ctx context.Context) error {
		object, err := all.typed.AppsV1().Deployments(all.namespace).Get(ctx, "applied", metav1.GetOptions{})
		if err != nil {
			return err
		}
		extracted, err := appsac.ExtractDeployment(object, "first")
		if err != nil {
			return err
		}
		return expect(extracted.Spec != nil && *extracted.Spec.Template.Spec.Containers[0].Image == "example.com/main:2" && extracted.Spec.Replicas == nil, "%+v", extracted)
	})
	step("apply by the dynamic client", func(ctx context.Context) error {
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "dynamic"}, "data": map[string]any{"a": "b"},
		}}
		_, err := all.dynamic.Resource(mapsResource).Namespace(all.namespace).Apply(ctx, "dynamic", object, first)
		return err
	})
	step("apply without a manager", func(ctx context.Context) error {
		_, err := maps.Patch(ctx, "applied", types.ApplyPatchType, []byte(`{"apiVersion":"v1","kind":"ConfigMap"}`), metav1.PatchOptions{})
		return refused(err, "Invalid", "fieldManager: Required value")
	})
}
