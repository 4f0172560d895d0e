// Steps with client-go, unmodified: each line of output is one check.
package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// clients are all clients of one server.
type clients struct {
	config     *rest.Config
	typed      kubernetes.Interface
	protobuf   kubernetes.Interface
	dynamic    dynamic.Interface
	metadata   metadata.Interface
	extensions apiextensions.Interface
	namespace  string
}

func main() {
	all, err := connect()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	step("namespace create", func(ctx context.Context) error {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: all.namespace}}
		created, err := all.typed.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		return expect(created.Status.Phase == corev1.NamespaceActive, "phase %q", created.Status.Phase)
	})
	discoverySteps(all)
	crudSteps(all, "json", all.typed)
	crudSteps(all, "protobuf", all.protobuf)
	writeSteps(all)
	applySteps(all)
	subresourceSteps(all)
	deletionSteps(all)
	watchSteps(all, "json", all.typed)
	watchSteps(all, "protobuf", all.protobuf)
	informerSteps(all)
	customSteps(all)
	podSteps(all)
	accessSteps(all)
	tableSteps(all)
	fmt.Println("STEP end")
}

func connect() (*clients, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	protobuf := rest.CopyConfig(config)
	protobuf.ContentType = "application/vnd.kubernetes.protobuf"
	protobuf.AcceptContentTypes = "application/vnd.kubernetes.protobuf"
	return &clients{
		config:     config,
		typed:      kubernetes.NewForConfigOrDie(config),
		protobuf:   kubernetes.NewForConfigOrDie(protobuf),
		dynamic:    dynamic.NewForConfigOrDie(config),
		metadata:   metadata.NewForConfigOrDie(config),
		extensions: apiextensions.NewForConfigOrDie(config),
		namespace:  os.Getenv("PROGRAM_NAMESPACE"),
	}, nil
}
