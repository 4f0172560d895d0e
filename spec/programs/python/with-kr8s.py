"""Steps with kr8s."""

import kr8s
from kr8s.objects import ConfigMap, CustomResourceDefinition, Deployment, Namespace, Pod, new_class

from steps import *  # noqa: F403

api = kr8s.api(namespace=NAMESPACE)


def made(name, labels=None):
    return ConfigMap({**config_map(name, labels), "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels or {}}})


def in_namespace(manifest):
    return {**manifest, "metadata": {**manifest["metadata"], "namespace": NAMESPACE}}


@step("namespace create")
def _():
    Namespace({"metadata": {"name": NAMESPACE}}).create()


@step("version and resources")
def _():
    expect(kr8s.version()["major"] == "1")
    names = [one["name"] for one in api.api_resources()]
    expect("deployments" in names and "horizontalpodautoscalers" in names, names)


@step("create, exists, refresh, delete")
def _():
    one = made("one")
    one.create()
    expect(one.exists())
    one.refresh()
    expect(one.raw["metadata"]["uid"])
    one.delete()
    eventually("gone", lambda: not one.exists())


@step("create twice")
def _():
    made("twice").create()
    refused(lambda: made("twice").create(), 409)


@step("get by name, label, field")
def _():
    for i in range(5):
        made(f"m-{i}", {"set": "m"}).create()
    expect(ConfigMap.get("m-1", namespace=NAMESPACE).data.key == "value")
    expect(len(list(kr8s.get("configmaps", namespace=NAMESPACE, label_selector={"set": "m"}))) == 5)
    by_field = kr8s.get("configmaps", namespace=NAMESPACE, field_selector={"metadata.name": "m-2"})
    expect(len(list(by_field)) == 1)
    refused_names = []
    try:
        ConfigMap.get("missing", namespace=NAMESPACE, timeout=1)
    except kr8s.NotFoundError:
        refused_names.append("missing")
    expect(refused_names == ["missing"])


@step("patch, label, annotate")
def _():
    one = ConfigMap.get("m-1", namespace=NAMESPACE)
    one.patch({"data": {"key": "changed"}})
    expect(one.data.key == "changed")
    one.patch([{"op": "replace", "path": "/data/key", "value": "json"}], type="json")
    expect(one.data.key == "json")
    one.label({"a": "b"})
    one.annotate({"c": "d"})
    expect(one.labels["a"] == "b" and one.annotations["c"] == "d")
    one.remove_label("a")
    one.refresh()
    expect("a" not in one.labels)


@step("scale a deployment")
def _():
    web = Deployment(in_namespace(deployment("web", 1)))
    web.create()
    web.patch({"spec": {"replicas": 2}}, subresource="scale")
    web.refresh()
    expect(web.replicas == 2, web.replicas)


@step("status")
def _():
    web = Deployment.get("web", namespace=NAMESPACE)
    web.patch({"status": {"replicas": 2}}, subresource="status")
    expect(web.status.replicas == 2)


@step("watch")
def _():
    seen = []
    for kind, one in api.watch("configmaps", namespace=NAMESPACE, label_selector={"set": "m"}):
        seen.append(kind)
        if len(seen) == 5:
            ConfigMap.get("m-4", namespace=NAMESPACE).delete()
        if len(seen) == 6:
            break
    expect(seen == ["ADDED"] * 5 + ["DELETED"], seen)


@step("wait for a condition")
def _():
    idle = Pod(in_namespace(pod("idle")))
    idle.create()
    ready = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    idle.patch(ready, subresource="status")
    idle.wait("condition=Ready", timeout=20)


@step("logs of a pod without node")
def _():
    lines = list(Pod.get("idle", namespace=NAMESPACE).logs())
    expect(lines == [], lines)


@step("definition and custom objects")
def _():
    CustomResourceDefinition(definition()).create()
    eventually("established", lambda: CustomResourceDefinition.get(f"widgets.{GROUP}").raw.get("status", {}).get("conditions"))
    Widget = new_class("Widget", f"{GROUP}/v1", namespaced=True, plural="widgets")

    def served():
        try:
            Widget(widget("one")).create()
            return True
        except kr8s.ServerError as error:
            expect(error.response.status_code == 404, error)

    eventually("served", served)
    expect(Widget.get("one", namespace=NAMESPACE).spec.colour == "blue")
    refused(lambda: Widget(widget("two", size=11)).create(), 422)


@step("lists of many kinds")
def _():
    for plural in ("pods", "deployments", "jobs", "ingresses.networking.k8s.io", "leases"):
        expect(isinstance(list(kr8s.get(plural, namespace=NAMESPACE)), list))


@step("finalizer")
def _():
    held = made("held")
    held.raw["metadata"]["finalizers"] = ["a.example/b"]
    held.create()
    held.delete()
    held.refresh()
    expect(held.metadata.deletionTimestamp)
    held.patch({"metadata": {"finalizers": None}})
    eventually("gone", lambda: not held.exists())


@step("who am I")
def _():
    expect(api.whoami() != "")


end()
