package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// recordSink writes events with the context of its step.
type recordSink struct {
	all *clients
	ctx context.Context
}

func (sink *recordSink) Create(event *corev1.Event) (*corev1.Event, error) {
	return sink.all.typed.CoreV1().Events(event.Namespace).Create(sink.ctx, event, metav1.CreateOptions{})
}

func (sink *recordSink) Update(event *corev1.Event) (*corev1.Event, error) {
	return sink.all.typed.CoreV1().Events(event.Namespace).Update(sink.ctx, event, metav1.UpdateOptions{})
}

func (sink *recordSink) Patch(event *corev1.Event, data []byte) (*corev1.Event, error) {
	return sink.all.typed.CoreV1().Events(event.Namespace).Patch(sink.ctx, event.Name, types.StrategicMergePatchType, data, metav1.PatchOptions{})
}
