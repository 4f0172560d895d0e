"""Steps with pykube-ng."""

import pykube
from pykube import ConfigMap, CustomResourceDefinition, Deployment, Event, Namespace, Pod
from pykube.objects import NamespacedAPIObject

from steps import *  # noqa: F403

api = pykube.HTTPClient(pykube.KubeConfig.from_env())


def in_namespace(manifest):
    return {**manifest, "metadata": {**manifest["metadata"], "namespace": NAMESPACE}}


def made(name, labels=None):
    return ConfigMap(api, in_namespace(config_map(name, labels)))


@step("namespace create")
def _():
    Namespace(api, {"metadata": {"name": NAMESPACE}}).create()


@step("version and resources")
def _():
    expect(api.version[0] == "1", api.version)
    names = [one["name"] for one in api.resource_list("apps/v1")["resources"]]
    expect("deployments" in names)


@step("create, reload, update, delete")
def _():
    one = made("one")
    one.create()
    one.obj["data"]["key"] = "changed"
    one.update()
    one.reload()
    expect(one.obj["data"]["key"] == "changed")
    one.delete()
    expect(not one.exists())


@step("create twice")
def _():
    made("twice").create()
    refused(lambda: made("twice").create(), 409)


@step("query by selector and field")
def _():
    for i in range(5):
        made(f"m-{i}", {"set": "m", "odd": str(i % 2)}).create()
    query = ConfigMap.objects(api).filter(namespace=NAMESPACE)
    expect(len(query.filter(selector={"set": "m"})) == 5)
    expect(len(query.filter(selector={"set": "m", "odd__neq": "1"})) == 3)
    expect(len(query.filter(field_selector={"metadata.name": "m-1"})) == 1)
    expect(query.get_by_name("m-1").name == "m-1")
    expect(query.get_or_none(name="missing") is None)


@step("patch")
def _():
    one = ConfigMap.objects(api).filter(namespace=NAMESPACE).get_by_name("m-1")
    one.patch({"data": {"key": "patched"}})
    expect(one.obj["data"]["key"] == "patched")
    one.labels["new"] = "label"
    one.update()
    one.reload()
    expect(one.labels["new"] == "label")


@step("scale and rollout of a deployment")
def _():
    web = Deployment(api, in_namespace(deployment("web", 1)))
    web.create()
    web.replicas = 3
    web.update()
    web.reload()
    expect(web.replicas == 3)
    web.patch({"status": {"replicas": 3}}, subresource="status")
    expect(web.obj["status"]["replicas"] == 3)


@step("watch")
def _():
    seen = []
    query = ConfigMap.objects(api).filter(namespace=NAMESPACE, selector={"set": "w"})
    watching = query.watch()
    stream = iter(watching)
    made("w-1", {"set": "w"}).create()
    for event in stream:
        seen.append((event.type, event.object.name))
        if len(seen) == 1:
            event.object.delete()
        if len(seen) == 2:
            break
    expect(seen == [("ADDED", "w-1"), ("DELETED", "w-1")], seen)


@step("logs of a pod without node")
def _():
    idle = Pod(api, in_namespace(pod("idle")))
    idle.create()
    expect(idle.logs() == "" and not idle.ready)


@step("definition and object factory")
def _():
    CustomResourceDefinition(api, definition()).create()

    class Widget(NamespacedAPIObject):
        version = f"{GROUP}/v1"
        endpoint = "widgets"
        kind = "Widget"

    def served():
        try:
            Widget(api, widget("one")).create()
            return True
        except Exception as error:  # noqa: BLE001 - an error of pykube or of requests
            check_refusal(error, 404)

    eventually("served", served)
    Found = pykube.object_factory(api, f"{GROUP}/v1", "Widget")
    expect(Found.objects(api).filter(namespace=NAMESPACE).get_by_name("one").obj["spec"]["colour"] == "blue")


@step("propagation policy")
def _():
    one = ConfigMap.objects(api).filter(namespace=NAMESPACE).get_by_name("m-2")
    one.delete(propagation_policy="Background")
    expect(not one.exists())


@step("events")
def _():
    expect(len(Event.objects(api).filter(namespace=pykube.all)) >= 0)


end()
