package main

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest/komega"
)

// runtimeSteps wait as suites of controller-runtime do.
func runtimeSteps(all *world) {
	checked := func(check func(ctx context.Context, g gomega.Gomega)) func(context.Context) error {
		return func(ctx context.Context) error {
			var failure error
			g := gomega.NewGomega(func(message string, _ ...int) { panic(failed(message)) })
			g.SetDefaultEventuallyTimeout(30 * time.Second)
			g.SetDefaultConsistentlyDuration(2 * time.Second)
			func() {
				defer func() {
					if problem := recover(); problem != nil {
						failure = fmt.Errorf("%v", problem)
					}
				}()
				check(ctx, g)
			}()
			return failure
		}
	}
	k := komega.New(all.runtime)
	step("Eventually a Deployment of CreateOrUpdate is available", checked(func(ctx context.Context, g gomega.Gomega) {
		web := all.deployment("managed", 0)
		wanted := web.Spec
		_, err := controllerutil.CreateOrUpdate(ctx, all.runtime, web, func() error {
			web.Spec = wanted
			web.Spec.Replicas = ptr(int32(2))
			return nil
		})
		g.Expect(err).NotTo(gomega.HaveOccurred())
		g.Eventually(func(g gomega.Gomega) {
			g.Expect(all.runtime.Get(ctx, client.ObjectKeyFromObject(web), web)).To(gomega.Succeed())
			g.Expect(web.Status.Conditions).To(gomega.ContainElement(gomega.And(
				gomega.HaveField("Type", appsv1.DeploymentAvailable),
				gomega.HaveField("Status", corev1.ConditionTrue),
			)))
		}).Should(gomega.Succeed())
	}))
	step("komega sees every pod ready", checked(func(ctx context.Context, g gomega.Gomega) {
		pods := &corev1.PodList{}
		g.Eventually(k.ObjectList(pods, client.InNamespace(all.namespace), client.MatchingLabels{"app": "managed"})).Should(
			gomega.HaveField("Items", gomega.And(gomega.HaveLen(2), gomega.HaveEach(gomega.Satisfy(func(pod corev1.Pod) bool { return isReady(&pod) })))))
	}))
	step("Consistently nothing changes afterwards", checked(func(ctx context.Context, g gomega.Gomega) {
		web := all.deployment("managed", 2)
		g.Expect(k.Get(web)()).To(gomega.Succeed())
		version := web.ResourceVersion
		g.Consistently(k.Object(web)).Should(gomega.HaveField("ResourceVersion", version))
	}))
	step("a deleted pod is replaced", checked(func(ctx context.Context, g gomega.Gomega) {
		pods := &corev1.PodList{}
		inSet := []client.ListOption{client.InNamespace(all.namespace), client.MatchingLabels{"app": "managed"}}
		g.Expect(all.runtime.List(ctx, pods, inSet...)).To(gomega.Succeed())
		gone := pods.Items[0].Name
		g.Expect(all.runtime.Delete(ctx, &pods.Items[0])).To(gomega.Succeed())
		g.Eventually(k.ObjectList(pods, inSet...)).Should(gomega.HaveField("Items", gomega.And(
			gomega.HaveLen(2),
			gomega.HaveEach(gomega.Satisfy(func(pod corev1.Pod) bool { return isReady(&pod) && pod.Name != gone })),
		)))
	}))
	step("WithWatch sees a Deployment scale to nothing", func(ctx context.Context) error {
		watcher, err := all.runtime.Watch(ctx, &corev1.PodList{}, client.InNamespace(all.namespace), client.MatchingLabels{"app": "managed"})
		if err != nil {
			return err
		}
		defer watcher.Stop()
		web := all.deployment("managed", 0)
		patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"replicas":0}}`))
		if err := all.runtime.Patch(ctx, web, patch); err != nil {
			return err
		}
		deleted := 0
		for event := range watcher.ResultChan() {
			if event.Type == "DELETED" {
				deleted++
			}
			if deleted == 2 {
				return nil
			}
		}
		return fmt.Errorf("the watch ended after %d deletions", deleted)
	})
}

type failed string
