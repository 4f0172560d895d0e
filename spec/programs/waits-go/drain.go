package main

import (
	"context"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubectl/pkg/drain"
)

// drainSteps empty a node with kubectl's helper, as machine controllers do.
func drainSteps(all *world) {
	apps := all.typed.AppsV1().Deployments(all.namespace)
	pods := all.typed.CoreV1().Pods(all.namespace)
	nodes := all.typed.CoreV1().Nodes()
	budgets := all.typed.PolicyV1().PodDisruptionBudgets(all.namespace)
	var emptied *corev1.Node
	helper := func(ctx context.Context, timeout time.Duration) *drain.Helper {
		return &drain.Helper{
			Ctx: ctx, Client: all.typed, Force: true, IgnoreAllDaemonSets: true, DeleteEmptyDirData: true,
			GracePeriodSeconds: -1, Timeout: timeout, Out: io.Discard, ErrOut: io.Discard, EvictErrorRetryDelay: 200 * time.Millisecond,
		}
	}
	onNode := func(ctx context.Context) (int, error) {
		found, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "app=spread", FieldSelector: "spec.nodeName=" + emptied.Name})
		if err != nil {
			return 0, err
		}
		return len(found.Items), nil
	}
	available := func(ctx context.Context) error {
		return eventually(ctx, "6 available", func() bool {
			found, err := apps.Get(ctx, "spread", metav1.GetOptions{})
			return err == nil && found.Status.AvailableReplicas == 6
		})
	}
	step("cordon", func(ctx context.Context) error {
		if _, err := apps.Create(ctx, all.deployment("spread", 6), metav1.CreateOptions{}); err != nil {
			return err
		}
		if err := available(ctx); err != nil {
			return err
		}
		list, err := nodes.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if len(list.Items) < 2 {
			return expect(false, "%d nodes", len(list.Items))
		}
		emptied = &list.Items[0]
		if err := drain.RunCordonOrUncordon(helper(ctx, 0), emptied, true); err != nil {
			return err
		}
		found, err := nodes.Get(ctx, emptied.Name, metav1.GetOptions{})
		return expect(err == nil && found.Spec.Unschedulable, "%v", err)
	})
	step("a budget holds a drain up", func(ctx context.Context) error {
		budget := &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: "spread"},
			Spec: policyv1.PodDisruptionBudgetSpec{
				MinAvailable: ptr(intstr.FromInt32(6)),
				Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "spread"}},
			},
		}
		if _, err := budgets.Create(ctx, budget, metav1.CreateOptions{}); err != nil {
			return err
		}
		err := drain.RunNodeDrain(helper(ctx, 3*time.Second), emptied.Name)
		if err == nil || !strings.Contains(err.Error(), "global timeout reached") {
			return expect(false, "%v", err)
		}
		left, err := onNode(ctx)
		return expect(err == nil && left > 0, "%d pods are left, %v", left, err)
	})
	step("a drain ends without the budget", func(ctx context.Context) error {
		if err := budgets.Delete(ctx, "spread", metav1.DeleteOptions{}); err != nil {
			return err
		}
		if err := drain.RunNodeDrain(helper(ctx, 30*time.Second), emptied.Name); err != nil {
			return err
		}
		left, err := onNode(ctx)
		if err != nil || left > 0 {
			return expect(false, "%d pods are left, %v", left, err)
		}
		return available(ctx)
	})
	step("uncordon", func(ctx context.Context) error {
		found, err := nodes.Get(ctx, emptied.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return drain.RunCordonOrUncordon(helper(ctx, 0), found, false)
	})
}
