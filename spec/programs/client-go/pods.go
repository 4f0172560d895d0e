package main

import (
	"bytes"
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/remotecommand"
)

// podSteps ask for streams of pods that no node runs.
func podSteps(all *clients) {
	pods := all.typed.CoreV1().Pods(all.namespace)
	step("logs of a pod that is not scheduled", func(ctx context.Context) error {
		if _, err := pods.Create(ctx, pod("unscheduled"), metav1.CreateOptions{}); err != nil {
			return err
		}
		body, err := pods.GetLogs("unscheduled", &corev1.PodLogOptions{}).DoRaw(ctx)
		return expect(err == nil && len(body) == 0, "%q %v", body, err)
	})
	step("logs of an unknown container", func(ctx context.Context) error {
		_, err := pods.GetLogs("unscheduled", &corev1.PodLogOptions{Container: "other"}).DoRaw(ctx)
		return refused(err, "BadRequest")
	})
	step("logs of a pod whose node is unknown", func(ctx context.Context) error {
		bound := pod("bound")
		bound.Spec.NodeName = "no-such-node"
		if _, err := pods.Create(ctx, bound, metav1.CreateOptions{}); err != nil {
			return err
		}
		_, err := pods.GetLogs("bound", &corev1.PodLogOptions{}).DoRaw(ctx)
		return refused(err, "NotFound")
	})
	execIn := func(ctx context.Context, name string, websocket bool) error {
		request := all.typed.CoreV1().RESTClient().Post().Namespace(all.namespace).Resource("pods").Name(name).SubResource("exec").
			VersionedParams(&corev1.PodExecOptions{Command: []string{"true"}, Stdout: true}, scheme.ParameterCodec)
		var executor remotecommand.Executor
		var err error
		if websocket {
			executor, err = remotecommand.NewWebSocketExecutor(all.config, "GET", request.URL().String())
		} else {
			executor, err = remotecommand.NewSPDYExecutor(all.config, "POST", request.URL())
		}
		if err != nil {
			return err
		}
		return executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: &bytes.Buffer{}})
	}
	step("exec by SPDY in a pod that is not scheduled", func(ctx context.Context) error {
		err := execIn(ctx, "unscheduled", false)
		return expect(err != nil && strings.Contains(err.Error(), "pod unscheduled does not have a host assigned"), "%v", err)
	})
	step("exec by WebSocket in a pod that is not scheduled", func(ctx context.Context) error {
		err := execIn(ctx, "unscheduled", true)
		return expect(err != nil && strings.Contains(err.Error(), "pod unscheduled does not have a host assigned"), "%v", err)
	})
	step("exec in a missing pod", func(ctx context.Context) error {
		err := execIn(ctx, "missing", false)
		return expect(err != nil && strings.Contains(err.Error(), `pods "missing" not found`), "%v", err)
	})
	step("proxy of a missing service", func(ctx context.Context) error {
		_, err := all.typed.CoreV1().Services(all.namespace).ProxyGet("", "missing", "80", "/", nil).DoRaw(ctx)
		return refused(err, "NotFound")
	})
}
