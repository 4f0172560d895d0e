package main

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

func definition(group string) *apiextensionsv1.CustomResourceDefinition {
	object := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"spec": {Type: "object", Required: []string{"size"}, Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"size":     {Type: "integer", Minimum: ptr(1.0), Maximum: ptr(10.0)},
			"colour":   {Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"blue"`)}},
			"replicas": {Type: "integer", Format: "int32"},
			"parts": {Type: "array", XListType: ptr("map"), XListMapKeys: []string{"name"}, Items: &apiextensionsv1.JSONSchemaPropsOrArray{
				Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Required: []string{"name"}, Properties: map[string]apiextensionsv1.JSONSchemaProps{
					"name": {Type: "string"}, "count": {Type: "integer"},
				}},
			}},
		}},
		"status": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"replicas": {Type: "integer"}, "selector": {Type: "string"}}},
	}}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget", ShortNames: []string{"wd"}, Categories: []string{"gadgets"}},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &object},
				Subresources: &apiextensionsv1.CustomResourceSubresources{
					Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
					Scale: &apiextensionsv1.CustomResourceSubresourceScale{
						SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas", LabelSelectorPath: ptr(".status.selector"),
					},
				},
				AdditionalPrinterColumns: []apiextensionsv1.CustomResourceColumnDefinition{{Name: "Size", Type: "integer", JSONPath: ".spec.size"}},
				SelectableFields:         []apiextensionsv1.SelectableField{{JSONPath: ".spec.colour"}},
			}},
		},
	}
}

func customSteps(all *clients) {
	group := all.namespace + ".example.com"
	resource := schema.GroupVersionResource{Group: group, Version: "v1", Resource: "widgets"}
	definitions := all.extensions.ApiextensionsV1().CustomResourceDefinitions()
	widgets := all.dynamic.Resource(resource).Namespace(all.namespace)
	widget := func(name string, spec map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": group + "/v1", "kind": "Widget", "metadata": map[string]any{"name": name}, "spec": spec,
		}}
	}
	step("definition is established", func(ctx context.Context) error {
		if _, err := definitions.Create(ctx, definition(group), metav1.CreateOptions{}); err != nil {
			return err
		}
		return eventually(ctx, "established", func() bool {
			read, err := definitions.Get(ctx, "widgets."+group, metav1.GetOptions{})
			if err != nil {
				return false
			}
			for _, condition := range read.Status.Conditions {
				if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
					return true
				}
			}
			return false
		})
	})
	step("invalid definition", func(ctx context.Context) error {
		wrong := definition(group)
		wrong.Name = "others." + group
		_, err := definitions.Create(ctx, wrong, metav1.CreateOptions{})
		return refused(err, "Invalid", `must be spec.names.plural+"."+spec.group`)
	})
	step("definition is discovered", func(ctx context.Context) error {
		return eventually(ctx, "discovered", func() bool {
			list, err := all.typed.Discovery().ServerResourcesForGroupVersion(group + "/v1")
			return err == nil && len(list.APIResources) == 3
		})
	})
	step("custom object gets its defaults", func(ctx context.Context) error {
		var created *unstructured.Unstructured
		if err := eventually(ctx, "served", func() bool {
			var err error
			created, err = widgets.Create(ctx, widget("one", map[string]any{"size": int64(1), "unknown": "pruned"}), metav1.CreateOptions{})
			return err == nil
		}); err != nil {
			return err
		}
		spec := created.Object["spec"].(map[string]any)
		return expect(spec["colour"] == "blue" && spec["unknown"] == nil && created.GetGeneration() == 1, "%v", created.Object)
	})
	step("custom object is validated", func(ctx context.Context) error {
		_, err := widgets.Create(ctx, widget("two", map[string]any{"size": int64(11)}), metav1.CreateOptions{})
		if err := refused(err, "Invalid", "spec.size in body should be less than or equal to 10"); err != nil {
			return err
		}
		_, err = widgets.Create(ctx, widget("two", map[string]any{}), metav1.CreateOptions{})
		return refused(err, "Invalid", "spec.size: Required value")
	})
	step("custom object strict validation", func(ctx context.Context) error {
		_, err := widgets.Create(ctx, widget("two", map[string]any{"size": int64(1), "unknown": "x"}), metav1.CreateOptions{FieldValidation: "Strict"})
		return refused(err, "BadRequest", `unknown field "spec.unknown"`)
	})
	step("custom object watch", func(ctx context.Context) error {
		list, err := widgets.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		events, err := widgets.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
		if err != nil {
			return err
		}
		defer events.Stop()
		if _, err := widgets.Create(ctx, widget("two", map[string]any{"size": int64(2), "colour": "red"}), metav1.CreateOptions{}); err != nil {
			return err
		}
		if _, err := widgets.Patch(ctx, "two", types.MergePatchType, []byte(`{"spec":{"size":3}}`), metav1.PatchOptions{}); err != nil {
			return err
		}
		if err := widgets.Delete(ctx, "two", metav1.DeleteOptions{}); err != nil {
			return err
		}
		return expectEvents(ctx, events, "ADDED two", "MODIFIED two", "DELETED two")
	})
	step("custom object selectable field", func(ctx context.Context) error {
		list, err := widgets.List(ctx, metav1.ListOptions{FieldSelector: "spec.colour=blue"})
		if err != nil {
			return err
		}
		return expect(len(list.Items) == 1, "%d items", len(list.Items))
	})
	step("custom object status", func(ctx context.Context) error {
		read, err := widgets.Get(ctx, "one", metav1.GetOptions{})
		if err != nil {
			return err
		}
		read.Object["status"] = map[string]any{"replicas": int64(4), "selector": "app=one"}
		updated, err := widgets.UpdateStatus(ctx, read, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		return expect(updated.GetGeneration() == 1, "generation %d", updated.GetGeneration())
	})
	step("custom object scale", func(ctx context.Context) error {
		scaled, err := widgets.Patch(ctx, "one", types.MergePatchType, []byte(`{"spec":{"replicas":6}}`), metav1.PatchOptions{}, "scale")
		if err != nil {
			return err
		}
		replicas, _, _ := unstructured.NestedInt64(scaled.Object, "spec", "replicas")
		selector, _, _ := unstructured.NestedString(scaled.Object, "status", "selector")
		return expect(scaled.GetKind() == "Scale" && replicas == 6 && selector == "app=one", "%v", scaled.Object)
	})
	step("custom object apply merges a list by its key", func(ctx context.Context) error {
		part := func(name string) *unstructured.Unstructured {
			return widget("one", map[string]any{"parts": []any{map[string]any{"name": name, "count": int64(1)}}})
		}
		for _, manager := range []string{"left", "right"} {
			if _, err := widgets.Apply(ctx, "one", part(manager), metav1.ApplyOptions{FieldManager: manager}); err != nil {
				return err
			}
		}
		read, err := widgets.Get(ctx, "one", metav1.GetOptions{})
		if err != nil {
			return err
		}
		parts, _, _ := unstructured.NestedSlice(read.Object, "spec", "parts")
		return expect(len(parts) == 2, "%v", parts)
	})
	step("custom object strategic patch is refused", func(ctx context.Context) error {
		_, err := widgets.Patch(ctx, "one", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{})
		return refused(err, "UnsupportedMediaType")
	})
	step("definition protobuf", func(ctx context.Context) error {
		list, err := all.protobuf.Discovery().RESTClient().Get().AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions").
			SetHeader("Accept", "application/vnd.kubernetes.protobuf").DoRaw(ctx)
		if err != nil {
			return err
		}
		return expect(string(list[:4]) == "k8s\x00", "%q", list[:4])
	})
	step("deleted definition takes its objects along", func(ctx context.Context) error {
		if err := definitions.Delete(ctx, "widgets."+group, metav1.DeleteOptions{}); err != nil {
			return err
		}
		return eventually(ctx, "no longer served", func() bool {
			_, err := widgets.List(ctx, metav1.ListOptions{})
			return err != nil && fmt.Sprint(err) == "the server could not find the requested resource"
		})
	})
}
