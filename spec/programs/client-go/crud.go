package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/pager"
)

func configMap(name string, labels map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Data:       map[string]string{"key": "value"},
	}
}

func deployment(name string, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr(replicas),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.com/main:1"}}},
			},
		},
	}
}

// crudSteps are done in each content type.
func crudSteps(all *clients, form string, client kubernetes.Interface) {
	maps := client.CoreV1().ConfigMaps(all.namespace)
	named := func(name string) string { return form + " " + name }
	object := form + "-one"
	step(named("create"), func(ctx context.Context) error {
		created, err := maps.Create(ctx, configMap(object, nil), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		return expect(created.UID != "" && created.ResourceVersion != "" && len(created.ManagedFields) == 1, "%+v", created.ObjectMeta)
	})
	step(named("create again"), func(ctx context.Context) error {
		_, err := maps.Create(ctx, configMap(object, nil), metav1.CreateOptions{})
		return refused(err, "AlreadyExists", `configmaps "`+object+`" already exists`)
	})
	step(named("generate name"), func(ctx context.Context) error {
		unnamed := configMap("", nil)
		unnamed.GenerateName = form + "-gen-"
		created, err := maps.Create(ctx, unnamed, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		return expect(len(created.Name) == len(form)+10, "name %q", created.Name)
	})
	step(named("invalid name"), func(ctx context.Context) error {
		_, err := maps.Create(ctx, configMap("Wrong_Name", nil), metav1.CreateOptions{})
		return refused(err, "Invalid", "metadata.name", "RFC 1123")
	})
	step(named("get"), func(ctx context.Context) error {
		read, err := maps.Get(ctx, object, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return expect(read.Data["key"] == "value", "%v", read.Data)
	})
	step(named("get missing"), func(ctx context.Context) error {
		_, err := maps.Get(ctx, "missing", metav1.GetOptions{})
		return refused(err, "NotFound", `configmaps "missing" not found`)
	})
	step(named("update"), func(ctx context.Context) error {
		read, err := maps.Get(ctx, object, metav1.GetOptions{})
		if err != nil {
			return err
		}
		before := read.ResourceVersion
		read.Data["key"] = "changed"
		updated, err := maps.Update(ctx, read, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		return expect(updated.ResourceVersion != before && updated.Data["key"] == "changed", "%+v", updated)
	})
	step(named("update without change keeps the version"), func(ctx context.Context) error {
		read, err := maps.Get(ctx, object, metav1.GetOptions{})
		if err != nil {
			return err
		}
		updated, err := maps.Update(ctx, read, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		return expect(updated.ResourceVersion == read.ResourceVersion, "%s and %s", read.ResourceVersion, updated.ResourceVersion)
	})
	step(named("update conflict"), func(ctx context.Context) error {
		read, err := maps.Get(ctx, object, metav1.GetOptions{})
		if err != nil {
			return err
		}
		read.ResourceVersion = "1"
		_, err = maps.Update(ctx, read, metav1.UpdateOptions{})
		return refused(err, "Conflict", "the object has been modified")
	})
	step(named("create many and list by selector"), func(ctx context.Context) error {
		for i := range 25 {
			labels := map[string]string{"set": form, "even": fmt.Sprint(i%2 == 0)}
			if _, err := maps.Create(ctx, configMap(fmt.Sprintf("%s-many-%02d", form, i), labels), metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "set in (" + form + "),even!=false"})
		if err != nil {
			return err
		}
		return expect(len(list.Items) == 13, "%d items", len(list.Items))
	})
	step(named("list with limit and continue"), func(ctx context.Context) error {
		names, pages, token := map[string]bool{}, 0, ""
		for {
			list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "set=" + form, Limit: 10, Continue: token})
			if err != nil {
				return err
			}
			pages++
			for _, one := range list.Items {
				names[one.Name] = true
			}
			if token = list.Continue; token == "" {
				break
			}
		}
		return expect(len(names) == 25 && pages == 3, "%d names in %d pages", len(names), pages)
	})
	step(named("list with a wrong continue token"), func(ctx context.Context) error {
		_, err := maps.List(ctx, metav1.ListOptions{Limit: 10, Continue: "nonsense"})
		return refused(err, "BadRequest", "continue key is not valid")
	})
	step(named("remaining items"), func(ctx context.Context) error {
		list, err := maps.List(ctx, metav1.ListOptions{Limit: 5})
		if err != nil {
			return err
		}
		return expect(list.RemainingItemCount != nil && *list.RemainingItemCount >= 20, "%v", list.RemainingItemCount)
	})
	step(named("pager"), func(ctx context.Context) error {
		read := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return maps.List(ctx, options)
		})
		read.PageSize = 4
		count := 0
		err := read.EachListItem(ctx, metav1.ListOptions{LabelSelector: "set=" + form}, func(runtime.Object) error {
			count++
			return nil
		})
		if err != nil {
			return err
		}
		return expect(count == 25, "%d items", count)
	})
	step(named("list at an exact version"), func(ctx context.Context) error {
		list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "set=" + form})
		if err != nil {
			return err
		}
		if err := maps.Delete(ctx, form+"-many-24", metav1.DeleteOptions{}); err != nil {
			return err
		}
		exact, err := maps.List(ctx, metav1.ListOptions{
			LabelSelector: "set=" + form, ResourceVersion: list.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact,
		})
		if err != nil {
			return err
		}
		return expect(len(exact.Items) == 25 && exact.ResourceVersion == list.ResourceVersion, "%d items at %s", len(exact.Items), exact.ResourceVersion)
	})
	step(named("list at a version of the future"), func(ctx context.Context) error {
		list, err := maps.List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			return err
		}
		future := metav1.ListOptions{ResourceVersion: list.ResourceVersion + "000", ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}
		// Without the retries that the answer asks for.
		err = client.CoreV1().RESTClient().Get().Namespace(all.namespace).Resource("configmaps").
			VersionedParams(&future, scheme.ParameterCodec).MaxRetries(0).Do(ctx).Error()
		return refused(err, "Timeout", "Too large resource version")
	})
	step(named("field selector"), func(ctx context.Context) error {
		list, err := maps.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + object})
		if err != nil {
			return err
		}
		return expect(len(list.Items) == 1, "%d items", len(list.Items))
	})
	step(named("field selector of an unknown field"), func(ctx context.Context) error {
		_, err := maps.List(ctx, metav1.ListOptions{FieldSelector: "data.key=value"})
		return refused(err, "BadRequest", "is not a known field selector")
	})
	step(named("defaults of a deployment"), func(ctx context.Context) error {
		created, err := client.AppsV1().Deployments(all.namespace).Create(ctx, deployment(form+"-web", 2), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		spec := created.Spec
		return expect(*spec.RevisionHistoryLimit == 10 && spec.Strategy.RollingUpdate.MaxSurge.StrVal == "25%" &&
			spec.Template.Spec.RestartPolicy == corev1.RestartPolicyAlways && created.Generation == 1, "%+v", spec)
	})
	for _, kind := range []types.PatchType{types.JSONPatchType, types.MergePatchType, types.StrategicMergePatchType} {
		body := map[types.PatchType]string{
			types.JSONPatchType:           `[{"op":"test","path":"/spec/replicas","value":2},{"op":"replace","path":"/spec/replicas","value":3},{"op":"replace","path":"/spec/replicas","value":2},{"op":"add","path":"/metadata/labels","value":{"patched":"json"}}]`,
			types.MergePatchType:          `{"metadata":{"labels":{"patched":"merge"}}}`,
			types.StrategicMergePatchType: `{"metadata":{"labels":{"patched":"strategic"}},"spec":{"template":{"spec":{"containers":[{"name":"side","image":"example.com/side:1"}]}}}}`,
		}[kind]
		step(named("patch "+string(kind)), func(ctx context.Context) error {
			patched, err := client.AppsV1().Deployments(all.namespace).Patch(ctx, form+"-web", kind, []byte(body), metav1.PatchOptions{})
			if err != nil {
				return err
			}
			containers := 1
			if kind == types.StrategicMergePatchType {
				containers = 2
			}
			return expect(patched.Labels["patched"] != "" && len(patched.Spec.Template.Spec.Containers) == containers, "%+v", patched)
		})
	}
	step(named("patch whose test fails"), func(ctx context.Context) error {
		_, err := maps.Patch(ctx, object, types.JSONPatchType, []byte(`[{"op":"test","path":"/data/key","value":"no"}]`), metav1.PatchOptions{})
		return refused(err, "Invalid")
	})
	step(named("secret with string data"), func(ctx context.Context) error {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: form}, StringData: map[string]string{"a": "b"}}
		created, err := client.CoreV1().Secrets(all.namespace).Create(ctx, secret, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		return expect(string(created.Data["a"]) == "b" && created.Type == corev1.SecretTypeOpaque, "%+v", created)
	})
	step(named("service gets an address"), func(ctx context.Context) error {
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: form}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
		created, err := client.CoreV1().Services(all.namespace).Create(ctx, service, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		return expect(created.Spec.ClusterIP != "" && created.Spec.Ports[0].TargetPort.IntVal == 80, "%+v", created.Spec)
	})
	step(named("delete"), func(ctx context.Context) error {
		if err := maps.Delete(ctx, object, metav1.DeleteOptions{}); err != nil {
			return err
		}
		_, err := maps.Get(ctx, object, metav1.GetOptions{})
		return refused(err, "NotFound")
	})
	step(named("delete with the wrong uid"), func(ctx context.Context) error {
		uid := types.UID("wrong")
		err := maps.Delete(ctx, form+"-many-00", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
		return refused(err, "Conflict", "the UID in the precondition (wrong) does not match")
	})
	step(named("delete collection by selector"), func(ctx context.Context) error {
		if err := maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "even=true,set=" + form}); err != nil {
			return err
		}
		list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "set=" + form})
		if err != nil {
			return err
		}
		return expect(len(list.Items) == 12, "%d items are left", len(list.Items))
	})
}
