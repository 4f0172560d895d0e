package main

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/polymorphichelpers"
)

var deploymentKind = schema.GroupKind{Group: "apps", Kind: "Deployment"}

// rolloutSteps follow rollouts with kubectl's helpers.
func rolloutSteps(all *world) {
	apps := all.typed.AppsV1().Deployments(all.namespace)
	status := func(ctx context.Context, name string) (string, bool, error) {
		viewer, err := polymorphichelpers.StatusViewerFor(deploymentKind)
		if err != nil {
			return "", false, err
		}
		found, err := apps.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return "", false, err
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(found)
		if err != nil {
			return "", false, err
		}
		return viewer.Status(&unstructured.Unstructured{Object: content}, 0)
	}
	rolledOut := func(ctx context.Context, name string) error {
		var failure error
		if err := eventually(ctx, "rolled out", func() bool {
			_, done, err := status(ctx, name)
			failure = err
			return done || err != nil
		}); err != nil {
			return err
		}
		return failure
	}
	setImage := func(ctx context.Context, image string) error {
		patch := fmt.Sprintf(`{"spec":{"template":{"spec":{"containers":[{"name":"main","image":%q}]}}}}`, image)
		_, err := apps.Patch(ctx, "rolling", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
		return err
	}
	step("StatusViewer of a rollout", func(ctx context.Context) error {
		rolling := all.deployment("rolling", 2)
		rolling.Spec.ProgressDeadlineSeconds = ptr(int32(3))
		if _, err := apps.Create(ctx, rolling, metav1.CreateOptions{}); err != nil {
			return err
		}
		return rolledOut(ctx, "rolling")
	})
	step("StatusViewer of a rollout to an image that cannot be pulled", func(ctx context.Context) error {
		if err := setImage(ctx, "registry.invalid/main:2"); err != nil {
			return err
		}
		err := rolledOut(ctx, "rolling")
		return expect(err != nil && strings.Contains(err.Error(), "exceeded its progress deadline"), "%v", err)
	})
	step("Rollbacker goes back to the first revision", func(ctx context.Context) error {
		back, err := polymorphichelpers.RollbackerFor(deploymentKind, all.typed)
		if err != nil {
			return err
		}
		found, err := apps.Get(ctx, "rolling", metav1.GetOptions{})
		if err != nil {
			return err
		}
		text, err := back.Rollback(found, nil, 1, cmdutil.DryRunNone)
		if err != nil {
			return err
		}
		if err := rolledOut(ctx, "rolling"); err != nil {
			return err
		}
		found, err = apps.Get(ctx, "rolling", metav1.GetOptions{})
		if err != nil {
			return err
		}
		isBack := found.Spec.Template.Spec.Containers[0].Image == "example.com/main:1" && found.Annotations["deployment.kubernetes.io/revision"] == "3"
		return expect(isBack, "%s: %v", text, found)
	})
	step("a paused Deployment rolls out when it is resumed", func(ctx context.Context) error {
		pause := func(paused bool) error {
			patch := fmt.Sprintf(`{"spec":{"paused":%t}}`, paused)
			_, err := apps.Patch(ctx, "rolling", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			return err
		}
		if err := pause(true); err != nil {
			return err
		}
		if err := setImage(ctx, "example.com/main:3"); err != nil {
			return err
		}
		if err := eventually(ctx, "observed", func() bool {
			found, err := apps.Get(ctx, "rolling", metav1.GetOptions{})
			return err == nil && found.Status.ObservedGeneration == found.Generation && hasReason(found, "DeploymentPaused")
		}); err != nil {
			return err
		}
		if err := pause(false); err != nil {
			return err
		}
		return rolledOut(ctx, "rolling")
	})
}

func hasReason(found *appsv1.Deployment, reason string) bool {
	for _, condition := range found.Status.Conditions {
		if condition.Reason == reason {
			return true
		}
	}
	return false
}
