package main

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/openapi3"
	"k8s.io/client-go/restmapper"
)

func discoverySteps(all *clients) {
	client := all.typed.Discovery()
	step("discovery server version", func(context.Context) error {
		version, err := client.ServerVersion()
		if err != nil {
			return err
		}
		return expect(strings.HasPrefix(version.GitVersion, "v1."), "version %q", version.GitVersion)
	})
	step("discovery preferred resources", func(context.Context) error {
		lists, err := client.ServerPreferredResources()
		if err != nil {
			return err
		}
		found := map[string]bool{}
		for _, list := range lists {
			for _, resource := range list.APIResources {
				found[list.GroupVersion+"/"+resource.Name] = true
			}
		}
		for _, name := range []string{"v1/pods", "apps/v1/deployments", "autoscaling/v2/horizontalpodautoscalers", "networking.k8s.io/v1/ingresses", "events.k8s.io/v1/events", "flowcontrol.apiserver.k8s.io/v1/flowschemas"} {
			if !found[name] && name != "v1/pods" || len(found) == 0 {
				return expect(false, "%s is missing", name)
			}
		}
		return nil
	})
	step("discovery groups and resources", func(context.Context) error {
		groups, lists, err := client.ServerGroupsAndResources()
		if err != nil {
			return err
		}
		return expect(len(groups) >= 20 && len(lists) >= 20, "%d groups, %d lists", len(groups), len(lists))
	})
	step("discovery legacy", func(context.Context) error {
		legacy := discovery.NewDiscoveryClientForConfigOrDie(all.config)
		legacy.UseLegacyDiscovery = true
		list, err := legacy.ServerResourcesForGroupVersion("apps/v1")
		if err != nil {
			return err
		}
		for _, resource := range list.APIResources {
			if resource.Name == "deployments/scale" {
				return expect(resource.Kind == "Scale" && resource.Group == "autoscaling" && resource.Version == "v1", "%+v", resource)
			}
		}
		return expect(false, "no deployments/scale")
	})
	step("discovery unknown group version", func(context.Context) error {
		_, err := client.ServerResourcesForGroupVersion("nothing.example.com/v1")
		return refused(err, "NotFound")
	})
	step("discovery rest mapping and short names", func(context.Context) error {
		cached := memory.NewMemCacheClient(client)
		mapper := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cached), cached, nil)
		kind, err := mapper.KindFor(schema.GroupVersionResource{Resource: "deploy"})
		if err != nil {
			return err
		}
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			return err
		}
		return expect(mapping.Resource.Resource == "deployments" && mapping.Scope.Name() == "namespace", "%+v", mapping)
	})
	step("discovery category all", func(context.Context) error {
		resources, ok := restmapper.NewDiscoveryCategoryExpander(client).Expand("all")
		return expect(ok && len(resources) == 11, "%d resources: %v", len(resources), resources)
	})
	step("openapi v2", func(context.Context) error {
		document, err := client.OpenAPISchema()
		if err != nil {
			return err
		}
		for _, one := range document.GetDefinitions().GetAdditionalProperties() {
			if one.GetName() == "io.k8s.api.apps.v1.Deployment" {
				return nil
			}
		}
		return expect(false, "no Deployment")
	})
	step("openapi v3", func(context.Context) error {
		root := openapi3.NewRoot(client.OpenAPIV3())
		document, err := root.GVSpec(schema.GroupVersion{Group: "apps", Version: "v1"})
		if err != nil {
			return err
		}
		_, found := document.Components.Schemas["io.k8s.api.apps.v1.Deployment"]
		return expect(found, "no Deployment")
	})
	step("healthz", func(ctx context.Context) error {
		for _, path := range []string{"/healthz", "/livez", "/readyz"} {
			body, err := client.RESTClient().Get().AbsPath(path).DoRaw(ctx)
			if err != nil {
				return err
			}
			if string(body) != "ok" {
				return expect(false, "%s: %q", path, body)
			}
		}
		return nil
	})
	step("service default/kubernetes", func(ctx context.Context) error {
		_, err := all.typed.CoreV1().Services("default").Get(ctx, "kubernetes", metav1.GetOptions{})
		return err
	})
}
