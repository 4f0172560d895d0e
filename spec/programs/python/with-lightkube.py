"""Steps with lightkube."""

from lightkube import ApiError, Client, operators
from lightkube.codecs import load_all_yaml
from lightkube.core.client import CascadeType
from lightkube.generic_resource import create_namespaced_resource, load_in_cluster_generic_resources
from lightkube.models.autoscaling_v1 import ScaleSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apiextensions_v1 import CustomResourceDefinition
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import ConfigMap, Event, Namespace, Pod, Secret
from lightkube.types import PatchType

from steps import *  # noqa: F403

client = Client(namespace=NAMESPACE, field_manager="lightkube")


def made(name, labels=None, **data):
    return ConfigMap(metadata=ObjectMeta(name=name, labels=labels), data=data or {"key": "value"})


@step("namespace create")
def _():
    client.create(Namespace(metadata=ObjectMeta(name=NAMESPACE)))


@step("create, get, replace, delete")
def _():
    one = client.create(made("one"))
    one.data["key"] = "changed"
    expect(client.replace(one).data["key"] == "changed")
    refused(lambda: client.replace(one), 409)
    client.delete(ConfigMap, "one")
    refused(lambda: client.get(ConfigMap, "one"), 404)


@step("already exists")
def _():
    client.create(made("twice"))
    try:
        client.create(made("twice"))
        expect(False, "accepted")
    except ApiError as error:
        expect(error.status.reason == "AlreadyExists", error.status)


@step("list in chunks by labels")
def _():
    for i in range(7):
        client.create(made(f"m-{i}", {"set": "m", "odd": str(i % 2)}))
    names = [one.metadata.name for one in client.list(ConfigMap, labels={"set": "m"}, chunk_size=3)]
    expect(len(names) == 7, names)
    some = client.list(ConfigMap, labels={"set": operators.in_(["m"]), "odd": operators.not_equal("1")})
    expect(len(list(some)) == 4)


@step("list by field")
def _():
    expect(len(list(client.list(ConfigMap, fields={"metadata.name": "m-0"}))) == 1)


@step("patch kinds")
def _():
    client.create(Deployment.from_dict(deployment("web", 2)))
    by_json = client.patch(
        Deployment,
        "web",
        [{"op": "replace", "path": "/spec/replicas", "value": 3}],
        patch_type=PatchType.JSON,
    )
    expect(by_json.spec.replicas == 3)
    side = {"name": "side", "image": "example.com/side:1"}
    strategic = client.patch(
        Deployment, "web", {"spec": {"template": {"spec": {"containers": [side]}}}}
    )
    expect(len(strategic.spec.template.spec.containers) == 2)
    merged = client.patch(Deployment, "web", {"spec": {"paused": True}}, patch_type=PatchType.MERGE)
    expect(merged.spec.paused)


@step("apply, its conflict, by force")
def _():
    client.apply(made("applied", key="1"))
    refused(lambda: client.apply(made("applied", key="2"), field_manager="second"), 409)
    forced = client.apply(made("applied", key="2"), field_manager="second", force=True)
    expect(forced.data["key"] == "2")


@step("dry run")
def _():
    client.create(made("dry"), dry_run=True)
    refused(lambda: client.get(ConfigMap, "dry"), 404)


@step("scale")
def _():
    scale = client.get(Deployment.Scale, "web")
    scale.spec = ScaleSpec(replicas=5)
    expect(client.replace(scale, "web").spec.replicas == 5)
    patched = client.patch(Deployment.Scale, "web", {"spec": {"replicas": 6}}, patch_type=PatchType.MERGE)
    expect(patched.spec.replicas == 6)


@step("status")
def _():
    patched = client.patch(
        Deployment.Status, "web", {"status": {"replicas": 2}}, patch_type=PatchType.MERGE
    )
    expect(patched.status.replicas == 2)


@step("watch from a version")
def _():
    listed = client.list(ConfigMap)
    expect(list(listed))
    version = listed.resourceVersion
    client.create(made("watched"))
    client.delete(ConfigMap, "watched")
    seen = []
    for kind, one in client.watch(ConfigMap, resource_version=version, server_timeout=10):
        seen.append((kind, one.metadata.name))
        if len(seen) == 2:
            break
    expect(seen == [("ADDED", "watched"), ("DELETED", "watched")], seen)


@step("wait for a condition")
def _():
    client.create(Pod.from_dict(pod("idle")))
    ready = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    client.patch(Pod.Status, "idle", ready, patch_type=PatchType.MERGE)
    client.wait(Pod, "idle", for_conditions=["Ready"])


@step("logs of a pod without node")
def _():
    expect(list(client.log("idle")) == [])


@step("evict")
def _():
    from lightkube.resources.core_v1 import PodEviction

    client.create(PodEviction(metadata=ObjectMeta(name="idle")), "idle")
    refused(lambda: client.get(Pod, "idle"), 404)


@step("delete in the foreground")
def _():
    for one in list(client.list(ConfigMap, labels={"set": "m"})):
        client.delete(ConfigMap, one.metadata.name, cascade=CascadeType.FOREGROUND)
    listed = list(client.list(ConfigMap, labels={"set": "m"}))
    expect(all(one.metadata.deletionTimestamp for one in listed), len(listed))


@step("manifests from YAML")
def _():
    text = f"""
apiVersion: v1
kind: Secret
metadata: {{name: loaded, namespace: {NAMESPACE}}}
stringData: {{a: b}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: loaded, namespace: {NAMESPACE}}}
"""
    for one in load_all_yaml(text):
        client.apply(one)
    expect(client.get(Secret, "loaded").data == {"a": "Yg=="})


@step("definition and generic resource")
def _():
    client.create(CustomResourceDefinition.from_dict(definition()))
    client.wait(CustomResourceDefinition, f"widgets.{GROUP}", for_conditions=["Established"])
    Widget = create_namespaced_resource(GROUP, "v1", "Widget", "widgets")

    def served():
        try:
            return client.create(Widget(metadata=ObjectMeta(name="one"), spec={"size": 1}))
        except ApiError as error:
            expect(error.response.status_code == 404, error)

    eventually("served", served)
    expect(client.get(Widget, "one").spec["colour"] == "blue")
    load_in_cluster_generic_resources(client)


@step("events")
def _():
    expect(list(client.list(Event, namespace="*")) is not None)


end()
