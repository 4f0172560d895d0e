// Steps that wait for pods that run, with the helpers that Go programs use.
package main

import (
	"context"
	"fmt"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// world is one server, with the clients of client-go and of controller-runtime.
type world struct {
	config    *rest.Config
	typed     kubernetes.Interface
	runtime   client.WithWatch
	namespace string
}

func main() {
	all, err := connect()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	step("namespace create", func(ctx context.Context) error {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: all.namespace}}
		_, err := all.typed.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		return err
	})
	clientSteps(all)
	runtimeSteps(all)
	rolloutSteps(all)
	streamSteps(all)
	drainSteps(all)
	fmt.Println("STEP end")
}

func connect() (*world, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	runtime, err := client.NewWithWatch(config, client.Options{})
	if err != nil {
		return nil, err
	}
	return &world{config, kubernetes.NewForConfigOrDie(config), runtime, os.Getenv("PROGRAM_NAMESPACE")}, nil
}

func (w *world) deployment(name string, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	one := intstr.FromInt32(1)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.namespace},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Strategy: appsv1.DeploymentStrategy{RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &one}},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec("example.com/main:1")},
		},
	}
}

func (w *world) pod(name string, command ...string) *corev1.Pod {
	spec := podSpec("example.com/main:1")
	spec.RestartPolicy = corev1.RestartPolicyNever
	spec.Containers[0].Command = command
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.namespace}, Spec: spec}
}

func podSpec(image string) corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}}
}

func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
