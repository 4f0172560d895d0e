package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

func tableSteps(all *clients) {
	read := func(ctx context.Context, resource string, columns ...string) error {
		table := &metav1.Table{}
		group := all.typed.CoreV1().RESTClient()
		if resource == "deployments" {
			group = all.typed.AppsV1().RESTClient()
		}
		err := group.Get().Namespace(all.namespace).Resource(resource).
			SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json").
			VersionedParams(&metav1.ListOptions{}, scheme.ParameterCodec).Do(ctx).Into(table)
		if err != nil {
			return err
		}
		if len(table.Rows) == 0 || len(table.ColumnDefinitions) < len(columns) {
			return expect(false, "%d rows, %d columns", len(table.Rows), len(table.ColumnDefinitions))
		}
		for i, name := range columns {
			if table.ColumnDefinitions[i].Name != name {
				return expect(false, "column %d is %q", i, table.ColumnDefinitions[i].Name)
			}
		}
		return nil
	}
	step("table of pods", func(ctx context.Context) error {
		return read(ctx, "pods", "Name", "Ready", "Status", "Restarts", "Age", "IP", "Node")
	})
	step("table of deployments", func(ctx context.Context) error {
		return read(ctx, "deployments", "Name", "Ready", "Up-to-date", "Available", "Age", "Containers")
	})
}
