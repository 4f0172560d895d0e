package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"
)

// streamSteps read logs and run commands in containers of a node.
func streamSteps(all *world) {
	pods := all.typed.CoreV1().Pods(all.namespace)
	step("a log is followed to the end of its container", func(ctx context.Context) error {
		if _, err := pods.Create(ctx, all.pod("talks", "sh", "-c", "echo one; echo two; sleep 2"), metav1.CreateOptions{}); err != nil {
			return err
		}
		if err := eventually(ctx, "running", func() bool {
			found, err := pods.Get(ctx, "talks", metav1.GetOptions{})
			return err == nil && found.Status.Phase != corev1.PodPending
		}); err != nil {
			return err
		}
		stream, err := pods.GetLogs("talks", &corev1.PodLogOptions{Follow: true}).Stream(ctx)
		if err != nil {
			return err
		}
		defer stream.Close()
		var lines []string
		for scanner := bufio.NewScanner(stream); scanner.Scan(); {
			lines = append(lines, scanner.Text())
		}
		return expect(fmt.Sprint(lines) == "[one two]", "%v", lines)
	})
	run := func(ctx context.Context, command ...string) (string, int, error) {
		request := all.typed.CoreV1().RESTClient().Post().Namespace(all.namespace).Resource("pods").Name("synced").SubResource("exec").
			VersionedParams(&corev1.PodExecOptions{Command: command, Stdout: true, Stderr: true}, scheme.ParameterCodec)
		executor, err := remotecommand.NewWebSocketExecutor(all.config, "GET", request.URL().String())
		if err != nil {
			return "", 0, err
		}
		var out, failure bytes.Buffer
		err = executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: &out, Stderr: &failure})
		var ended exec.CodeExitError
		if errors.As(err, &ended) {
			return out.String() + failure.String(), ended.Code, nil
		}
		return out.String() + failure.String(), 0, err
	}
	step("exec answers with output and exit code", func(ctx context.Context) error {
		start := time.Now()
		out, code, err := run(ctx, "sh", "-c", "echo hello; sleep 1; exit 3")
		return expect(err == nil && out == "hello\n" && code == 3 && time.Since(start) >= time.Second, "%q %d %v", out, code, err)
	})
}
