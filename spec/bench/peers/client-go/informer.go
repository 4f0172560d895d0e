package main

import (
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// variant is a way to have pods with client-go.
type variant struct {
	// contentType is asked for by name: typed clients of built-in types prefer protobuf when nothing is said.
	contentType string
	newInformer func(config *rest.Config) (cache.SharedIndexInformer, error)
	// read takes the fields of an object that a handler with `reads: "object"` looks at.
	read func(object any) int
}

var variants = map[string]variant{
	"typed-json":     {runtime.ContentTypeJSON, newTypedInformer, readTyped},
	"typed-protobuf": {runtime.ContentTypeProtobuf, newTypedInformer, readTyped},
	"dynamic-json":   {runtime.ContentTypeJSON, newDynamicInformer, readDynamic},
}

// watchListGate is the variable that the feature gate WatchListClient is read from, once, before its first use.
const watchListGate = "KUBE_FEATURE_WatchListClient"

// setWatchList leaves the gate at its default, or turns it off.
func setWatchList(off bool) error {
	if off {
		return os.Setenv(watchListGate, "false")
	}
	return os.Unsetenv(watchListGate)
}

// newConfig is a configuration without a limit on the rate of requests, whose requests the guard sees.
func newConfig(server, contentType string, g *guard) *rest.Config {
	config := &rest.Config{
		Host:          server,
		ContentConfig: rest.ContentConfig{ContentType: contentType, AcceptContentTypes: contentType},
		QPS:           -1,
	}
	config.Wrap(g.wrap)
	return config
}

func newTypedInformer(config *rest.Config) (cache.SharedIndexInformer, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer(), nil
}

func newDynamicInformer(config *rest.Config) (cache.SharedIndexInformer, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	return dynamicinformer.NewDynamicSharedInformerFactory(client, 0).ForResource(pods).Informer(), nil
}

func readTyped(object any) int {
	pod := object.(*corev1.Pod)
	return len(pod.Spec.NodeName) + len(pod.Status.Phase) + len(pod.Spec.Containers)
}

func readDynamic(object any) int {
	content := object.(*unstructured.Unstructured).Object
	node, _, err := unstructured.NestedString(content, "spec", "nodeName")
	if err != nil {
		panic(fmt.Errorf("spec.nodeName: %w", err))
	}
	phase, _, err := unstructured.NestedString(content, "status", "phase")
	if err != nil {
		panic(fmt.Errorf("status.phase: %w", err))
	}
	containers, _, err := unstructured.NestedFieldNoCopy(content, "spec", "containers")
	if err != nil {
		panic(fmt.Errorf("spec.containers: %w", err))
	}
	items, _ := containers.([]any)
	return len(node) + len(phase) + len(items)
}
