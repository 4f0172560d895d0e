package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// next takes an event; bookmarks are left out unless wanted.
func next(ctx context.Context, from watch.Interface) (watch.Event, error) {
	for {
		select {
		case event, open := <-from.ResultChan():
			if !open {
				return event, fmt.Errorf("the watch ended")
			}
			if event.Type != watch.Bookmark {
				return event, nil
			}
		case <-ctx.Done():
			return watch.Event{}, ctx.Err()
		}
	}
}

func expectEvents(ctx context.Context, from watch.Interface, wanted ...string) error {
	for _, want := range wanted {
		event, err := next(ctx, from)
		if err != nil {
			return fmt.Errorf("%w, before %s", err, want)
		}
		object, ok := event.Object.(metav1.Object)
		if !ok {
			return fmt.Errorf("%s %+v in place of %s", event.Type, event.Object, want)
		}
		if got := fmt.Sprintf("%s %s", event.Type, object.GetName()); got != want {
			return fmt.Errorf("%s in place of %s", got, want)
		}
	}
	return nil
}

func watchSteps(all *clients, form string, client kubernetes.Interface) {
	maps := client.CoreV1().ConfigMaps(all.namespace)
	label := "watch-" + form
	selector := "set=" + label
	object := func(name string) *corev1.ConfigMap { return configMap(label+"-"+name, map[string]string{"set": label}) }
	named := func(name string) string { return form + " watch " + name }
	step(named("from a version"), func(ctx context.Context) error {
		list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return err
		}
		created, err := maps.Create(ctx, object("a"), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		created.Data["key"] = "changed"
		if _, err := maps.Update(ctx, created, metav1.UpdateOptions{}); err != nil {
			return err
		}
		events, err := maps.Watch(ctx, metav1.ListOptions{LabelSelector: selector, ResourceVersion: list.ResourceVersion})
		if err != nil {
			return err
		}
		defer events.Stop()
		if err := maps.Delete(ctx, created.Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		name := created.Name
		return expectEvents(ctx, events, "ADDED "+name, "MODIFIED "+name, "DELETED "+name)
	})
	step(named("of what is there"), func(ctx context.Context) error {
		for _, name := range []string{"b", "c"} {
			if _, err := maps.Create(ctx, object(name), metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		events, err := maps.Watch(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return err
		}
		defer events.Stop()
		return expectEvents(ctx, events, "ADDED "+label+"-b", "ADDED "+label+"-c")
	})
	step(named("of an object that leaves the selector"), func(ctx context.Context) error {
		list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return err
		}
		events, err := maps.Watch(ctx, metav1.ListOptions{LabelSelector: selector, ResourceVersion: list.ResourceVersion})
		if err != nil {
			return err
		}
		defer events.Stop()
		for _, value := range []string{"other", label} {
			patch := fmt.Sprintf(`{"metadata":{"labels":{"set":%q}}}`, value)
			if _, err := maps.Patch(ctx, label+"-b", types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
				return err
			}
		}
		return expectEvents(ctx, events, "DELETED "+label+"-b", "ADDED "+label+"-b")
	})
	step(named("initial events end with a bookmark"), func(ctx context.Context) error {
		events, err := maps.Watch(ctx, metav1.ListOptions{
			LabelSelector: selector, AllowWatchBookmarks: true, SendInitialEvents: ptr(true),
			ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		})
		if err != nil {
			return err
		}
		defer events.Stop()
		count := 0
		for event := range events.ResultChan() {
			if event.Type != watch.Bookmark {
				count++
				continue
			}
			object, ok := event.Object.(*corev1.ConfigMap)
			if !ok {
				return fmt.Errorf("bookmark %+v", event.Object)
			}
			return expect(object.Annotations[metav1.InitialEventsAnnotationKey] == "true" && count == 2 && object.ResourceVersion != "", "%+v after %d", object, count)
		}
		return fmt.Errorf("no bookmark")
	})
	step(named("from version 1 is expired"), func(ctx context.Context) error {
		events, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: "1"})
		if err != nil {
			return expect(apierrors.IsResourceExpired(err) || apierrors.IsGone(err), "%v", err)
		}
		defer events.Stop()
		event, err := next(ctx, events)
		if err != nil {
			return err
		}
		// A server that has kept everything begins with the first event.
		if event.Type == watch.Added {
			return nil
		}
		failure := apierrors.FromObject(event.Object)
		return expect(apierrors.IsResourceExpired(failure) || apierrors.IsGone(failure), "%s %v", event.Type, failure)
	})
	step(named("ends at its time limit"), func(ctx context.Context) error {
		start := time.Now()
		events, err := maps.Watch(ctx, metav1.ListOptions{LabelSelector: "set=none", TimeoutSeconds: ptr(int64(1))})
		if err != nil {
			return err
		}
		defer events.Stop()
		select {
		case event, open := <-events.ResultChan():
			return expect(!open && time.Since(start) > 900*time.Millisecond, "%v after %s", event, time.Since(start))
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	step(named("by field selector"), func(ctx context.Context) error {
		events, err := maps.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + label + "-c"})
		if err != nil {
			return err
		}
		defer events.Stop()
		return expectEvents(ctx, events, "ADDED "+label+"-c")
	})
	step(named("retry watcher and until"), func(ctx context.Context) error {
		list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return err
		}
		source := &cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.LabelSelector = selector
			options.TimeoutSeconds = ptr(int64(1))
			return maps.Watch(ctx, options)
		}}
		go func() {
			time.Sleep(1500 * time.Millisecond)
			_, _ = maps.Create(ctx, object("until"), metav1.CreateOptions{})
		}()
		event, err := watchtools.Until(ctx, list.ResourceVersion, source, func(event watch.Event) (bool, error) {
			return event.Type == watch.Added, nil
		})
		if err != nil {
			return err
		}
		return expect(event.Object.(*corev1.ConfigMap).Name == label+"-until", "%+v", event.Object)
	})
}
