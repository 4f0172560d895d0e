package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
)

func informerSteps(all *clients) {
	maps := all.typed.CoreV1().ConfigMaps(all.namespace)
	step("shared informer syncs and follows", func(ctx context.Context) error {
		factory := informers.NewSharedInformerFactoryWithOptions(all.typed, 0, informers.WithNamespace(all.namespace))
		lister := factory.Core().V1().ConfigMaps().Lister().ConfigMaps(all.namespace)
		var added, updated, deleted atomic.Int64
		_, err := factory.Core().V1().ConfigMaps().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { added.Add(1) },
			UpdateFunc: func(any, any) { updated.Add(1) },
			DeleteFunc: func(any) { deleted.Add(1) },
		})
		if err != nil {
			return err
		}
		factory.StartWithContext(ctx)
		factory.WaitForCacheSync(ctx.Done())
		before := int(added.Load())
		created, err := maps.Create(ctx, configMap("informed", nil), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		created.Data["key"] = "changed"
		if _, err := maps.Update(ctx, created, metav1.UpdateOptions{}); err != nil {
			return err
		}
		if err := eventually(ctx, "the lister has the update", func() bool {
			read, err := lister.Get("informed")
			return err == nil && read.Data["key"] == "changed"
		}); err != nil {
			return err
		}
		if err := maps.Delete(ctx, "informed", metav1.DeleteOptions{}); err != nil {
			return err
		}
		if err := eventually(ctx, "the handler is notified of the deletion", func() bool { return deleted.Load() == 1 }); err != nil {
			return err
		}
		list, err := maps.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		cached, err := lister.List(labels.Everything())
		if err != nil {
			return err
		}
		return expect(len(cached) == len(list.Items) && int(added.Load()) >= before && updated.Load() == 1, "%d cached of %d, %d updates", len(cached), len(list.Items), updated.Load())
	})
	step("informers of many kinds at once", func(ctx context.Context) error {
		factory := informers.NewSharedInformerFactory(all.protobuf, 0)
		factory.Core().V1().Pods().Informer()
		factory.Core().V1().Nodes().Informer()
		factory.Core().V1().Secrets().Informer()
		factory.Apps().V1().Deployments().Informer()
		factory.Apps().V1().ReplicaSets().Informer()
		factory.Batch().V1().CronJobs().Informer()
		factory.Networking().V1().Ingresses().Informer()
		factory.Rbac().V1().ClusterRoles().Informer()
		factory.Storage().V1().StorageClasses().Informer()
		factory.Autoscaling().V2().HorizontalPodAutoscalers().Informer()
		factory.Discovery().V1().EndpointSlices().Informer()
		factory.Policy().V1().PodDisruptionBudgets().Informer()
		factory.StartWithContext(ctx)
		for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
			if !synced {
				return fmt.Errorf("%s has not synced", kind)
			}
		}
		return nil
	})
	step("dynamic and metadata informers", func(ctx context.Context) error {
		dynamicFactory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(all.dynamic, 0, all.namespace, nil)
		metadataFactory := metadatainformer.NewFilteredSharedInformerFactory(all.metadata, 0, all.namespace, nil)
		first := dynamicFactory.ForResource(mapsResource).Informer()
		second := metadataFactory.ForResource(mapsResource).Informer()
		dynamicFactory.Start(ctx.Done())
		metadataFactory.Start(ctx.Done())
		if !cache.WaitForCacheSync(ctx.Done(), first.HasSynced, second.HasSynced) {
			return fmt.Errorf("not synced")
		}
		if _, err := maps.Patch(ctx, "dry", types.MergePatchType, []byte(`{"metadata":{"labels":{"seen":"yes"}}}`), metav1.PatchOptions{}); err != nil {
			return err
		}
		key := all.namespace + "/dry"
		return eventually(ctx, "both have the label", func() bool {
			for _, store := range []cache.Store{first.GetStore(), second.GetStore()} {
				object, found, _ := store.GetByKey(key)
				if !found || object.(metav1.Object).GetLabels()["seen"] != "yes" {
					return false
				}
			}
			return true
		})
	})
	step("leader election", func(ctx context.Context) error {
		lead := func(identity string, started chan<- string) (context.CancelFunc, error) {
			lock, err := resourcelock.New(resourcelock.LeasesResourceLock, all.namespace, "leader", all.typed.CoreV1(), all.typed.CoordinationV1(),
				resourcelock.ResourceLockConfig{Identity: identity})
			if err != nil {
				return nil, err
			}
			own, stop := context.WithCancel(ctx)
			go leaderelection.RunOrDie(own, leaderelection.LeaderElectionConfig{
				Lock: lock, ReleaseOnCancel: true,
				LeaseDuration: 4 * time.Second, RenewDeadline: 3 * time.Second, RetryPeriod: 200 * time.Millisecond,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { started <- identity },
					OnStoppedLeading: func() {},
				},
			})
			return stop, nil
		}
		started := make(chan string, 2)
		stopFirst, err := lead("first", started)
		if err != nil {
			return err
		}
		if leader := <-started; leader != "first" {
			return fmt.Errorf("%s leads", leader)
		}
		stopSecond, err := lead("second", started)
		if err != nil {
			return err
		}
		defer stopSecond()
		stopFirst()
		select {
		case leader := <-started:
			lease, err := all.typed.CoordinationV1().Leases(all.namespace).Get(ctx, "leader", metav1.GetOptions{})
			if err != nil {
				return err
			}
			return expect(leader == "second" && *lease.Spec.LeaseTransitions >= 1, "%s leads, %+v", leader, lease.Spec)
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	step("event recorder of core", func(ctx context.Context) error {
		broadcaster := record.NewBroadcaster(record.WithContext(ctx))
		defer broadcaster.Shutdown()
		broadcaster.StartRecordingToSink(&recordSink{all, ctx})
		recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "steps"})
		object, err := maps.Get(ctx, "dry", metav1.GetOptions{})
		if err != nil {
			return err
		}
		for range 3 {
			recorder.Event(object, corev1.EventTypeNormal, "Tried", "a step was tried")
		}
		return eventually(ctx, "one event with the count 3", func() bool {
			list, err := all.typed.CoreV1().Events(all.namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=dry,reason=Tried"})
			return err == nil && len(list.Items) == 1 && list.Items[0].Count == 3
		})
	})
	step("event recorder of events.k8s.io", func(ctx context.Context) error {
		broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: all.typed.EventsV1()})
		defer broadcaster.Shutdown()
		if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
			return err
		}
		object, err := maps.Get(ctx, "dry", metav1.GetOptions{})
		if err != nil {
			return err
		}
		broadcaster.NewRecorder(scheme.Scheme, "example.com/steps").Eventf(object, nil, corev1.EventTypeWarning, "Failed", "Trying", "step %d", 1)
		return eventually(ctx, "the event in both APIs", func() bool {
			core, err := all.typed.CoreV1().Events(all.namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=Failed"})
			return err == nil && len(core.Items) == 1 && core.Items[0].Message == "step 1"
		})
	})
}
