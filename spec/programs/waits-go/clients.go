package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/client-go/util/retry"
)

// clientSteps wait with client-go.
func clientSteps(all *world) {
	apps := all.typed.AppsV1().Deployments(all.namespace)
	pods := all.typed.CoreV1().Pods(all.namespace)
	available := func(ctx context.Context, name string, count int32) error {
		return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
			found, err := apps.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			return found.Status.ObservedGeneration == found.Generation && found.Status.AvailableReplicas == count, nil
		})
	}
	step("PollUntilContextTimeout until a Deployment is available", func(ctx context.Context) error {
		if _, err := apps.Create(ctx, all.deployment("web", 3), metav1.CreateOptions{}); err != nil {
			return err
		}
		return available(ctx, "web", 3)
	})
	step("UntilWithSync until a pod is ready", func(ctx context.Context) error {
		if _, err := pods.Create(ctx, all.pod("synced"), metav1.CreateOptions{}); err != nil {
			return err
		}
		list := cache.NewFilteredListWatchFromClient(all.typed.CoreV1().RESTClient(), "pods", all.namespace, func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector("metadata.name", "synced").String()
		})
		event, err := watchtools.UntilWithSync(ctx, list, &corev1.Pod{}, nil, func(event watch.Event) (bool, error) {
			return isReady(event.Object.(*corev1.Pod)), nil
		})
		if err != nil {
			return err
		}
		pod := event.Object.(*corev1.Pod)
		return expect(pod.Status.PodIP != "" && pod.Spec.NodeName != "", "%v", pod.Status)
	})
	step("UntilWithoutRetry until a pod has succeeded", func(ctx context.Context) error {
		if _, err := pods.Create(ctx, all.pod("ends", "sleep", "1"), metav1.CreateOptions{}); err != nil {
			return err
		}
		watcher, err := pods.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=ends"})
		if err != nil {
			return err
		}
		_, err = watchtools.UntilWithoutRetry(ctx, watcher, func(event watch.Event) (bool, error) {
			return event.Object.(*corev1.Pod).Status.Phase == corev1.PodSucceeded, nil
		})
		return err
	})
	step("Until with a version sees every state of a rollout", func(ctx context.Context) error {
		found, err := apps.Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		found.Spec.Template.Spec.Containers[0].Image = "example.com/main:2"
		changed, err := apps.Update(ctx, found, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		list := cache.NewListWatchFromClient(all.typed.AppsV1().RESTClient(), "deployments", all.namespace, fields.OneTermEqualSelector("metadata.name", "web"))
		least := int32(3)
		_, err = watchtools.Until(ctx, changed.ResourceVersion, list, func(event watch.Event) (bool, error) {
			status := event.Object.(*appsv1.Deployment).Status
			least = min(least, status.AvailableReplicas)
			return status.UpdatedReplicas == 3 && status.Replicas == 3 && status.AvailableReplicas == 3, nil
		})
		if err != nil {
			return err
		}
		// 25 % of three may be unavailable: none.
		return expect(least == 3, "only %d were available", least)
	})
	step("RetryOnConflict while controllers write", func(ctx context.Context) error {
		for replicas := int32(4); replicas <= 8; replicas++ {
			err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
				found, err := apps.Get(ctx, "web", metav1.GetOptions{})
				if err != nil {
					return err
				}
				found.Spec.Replicas = ptr(replicas)
				_, err = apps.Update(ctx, found, metav1.UpdateOptions{})
				return err
			})
			if err != nil {
				return err
			}
		}
		return available(ctx, "web", 8)
	})
	step("an informer's lister shows the ready endpoints", func(ctx context.Context) error {
		service := &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: "web"},
			Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}}},
		}
		if _, err := all.typed.CoreV1().Services(all.namespace).Create(ctx, service, metav1.CreateOptions{}); err != nil {
			return err
		}
		factory := informers.NewSharedInformerFactoryWithOptions(all.typed, 0, informers.WithNamespace(all.namespace))
		slices := factory.Discovery().V1().EndpointSlices()
		if _, err := slices.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{}); err != nil {
			return err
		}
		stop := make(chan struct{})
		defer close(stop)
		factory.Start(stop)
		if !cache.WaitForCacheSync(stop, slices.Informer().HasSynced) {
			return fmt.Errorf("not synced")
		}
		return eventually(ctx, "8 endpoints", func() bool {
			count := 0
			for _, one := range slices.Informer().GetStore().List() {
				for _, endpoint := range one.(*discoveryv1.EndpointSlice).Endpoints {
					if endpoint.Conditions.Ready != nil && *endpoint.Conditions.Ready {
						count++
					}
				}
			}
			return count == 8
		})
	})
	step("ExponentialBackoff until the pods of a Deployment are gone", func(ctx context.Context) error {
		foreground := metav1.DeletePropagationForeground
		if err := apps.Delete(ctx, "web", metav1.DeleteOptions{PropagationPolicy: &foreground}); err != nil {
			return err
		}
		backoff := wait.Backoff{Duration: 20 * time.Millisecond, Factor: 1.5, Steps: 18}
		err := wait.ExponentialBackoffWithContext(ctx, backoff, func(ctx context.Context) (bool, error) {
			_, err := apps.Get(ctx, "web", metav1.GetOptions{})
			return apierrors.IsNotFound(err), nil
		})
		if err != nil {
			return err
		}
		left, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "app=web"})
		return expect(err == nil && len(left.Items) == 0, "%v, %v", left, err)
	})
}
