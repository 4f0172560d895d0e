"""Steps with kopf: an operator of widgets, in this process."""

import threading

import kopf
from kubernetes import client, config

from steps import *  # noqa: F403

config.load_kube_config()
core = client.CoreV1Api()
custom = client.CustomObjectsApi()
place = (GROUP, "v1", NAMESPACE, "widgets")
calls = []


@kopf.on.startup()
def configure(settings, **_):
    settings.posting.level = 20
    settings.persistence.finalizer = f"{GROUP}/kopf"
    settings.peering.standalone = True


@kopf.on.create(GROUP, "v1", "widgets")
def created(name, spec, patch, body, **_):
    calls.append(("create", name))
    kopf.event(body, type="Normal", reason="Made", message="made")
    child = config_map(f"child-of-{name}")
    kopf.adopt(child)
    core.create_namespaced_config_map(NAMESPACE, child)
    patch.status["colour"] = spec["colour"]
    return {"size": spec["size"]}


@kopf.on.update(GROUP, "v1", "widgets")
def updated(name, **_):
    calls.append(("update", name))


@kopf.on.field(GROUP, "v1", "widgets", field="spec.size")
def resized(old, new, **_):
    calls.append(("field", old, new))


@kopf.on.delete(GROUP, "v1", "widgets")
def deleted(name, **_):
    calls.append(("delete", name))


@kopf.on.event("v1", "configmaps", labels={"seen": "yes"})
def seen(type, name, **_):
    calls.append(("event", type, name))


@kopf.on.resume(GROUP, "v1", "widgets")
def resumed(name, **_):
    calls.append(("resume", name))


@kopf.timer(GROUP, "v1", "widgets", interval=0.5, initial_delay=0.2)
def tick(name, **_):
    calls.append(("timer", name))


attempts = []


@kopf.on.create(GROUP, "v1", "widgets", id="retried", backoff=0.2)
def retried(name, **_):
    attempts.append(name)
    if len(attempts) < 3:
        raise kopf.TemporaryError("again", delay=0.2)


@kopf.index(GROUP, "v1", "widgets")
def by_colour(name, spec, **_):
    return {spec.get("colour"): name}


@kopf.daemon(GROUP, "v1", "widgets", cancellation_timeout=1.0)
async def serve(stopped, name, **_):
    calls.append(("daemon", name))
    await stopped.wait()


def has(*call):
    return lambda: call in calls


stop = threading.Event()
ready = threading.Event()


def operate():
    asyncio.run(
        kopf.operator(namespaces=[NAMESPACE], stop_flag=stop, ready_flag=ready, standalone=True)
    )


thread = threading.Thread(target=operate, daemon=True)


@step("definition")
def _():
    core.create_namespace({"metadata": {"name": NAMESPACE}})
    client.ApiextensionsV1Api().create_custom_resource_definition(definition())

    def served():
        try:
            custom.create_namespaced_custom_object(*place, widget("early"))
            return True
        except client.ApiException as error:
            expect(error.status == 404, error)

    eventually("served", served)


@step("operator is ready")
def _():
    thread.start()
    expect(ready.wait(60))


@step("object from before is handled")
def _():
    eventually("create of early", has("create", "early"))


@step("create handler")
def _():
    custom.create_namespaced_custom_object(*place, widget("one"))
    eventually("create of one", has("create", "one"))


@step("result and status are stored")
def _():
    def stored():
        status = custom.get_namespaced_custom_object(*place, "one").get("status", {})
        return status.get("created") == {"size": 1} and status.get("colour") == "blue"

    eventually("status", stored)


@step("finalizer is set")
def _():
    read = custom.get_namespaced_custom_object(*place, "one")
    expect(read["metadata"]["finalizers"] == [f"{GROUP}/kopf"], read["metadata"])


@step("child has its owner")
def _():
    child = core.read_namespaced_config_map("child-of-one", NAMESPACE)
    expect(child.metadata.owner_references[0].name == "one")


@step("handler is tried again")
def _():
    eventually("three attempts", lambda: len(attempts) >= 3)


@step("event is posted")
def _():
    def posted():
        events = core.list_namespaced_event(NAMESPACE, field_selector="reason=Made")
        return len(events.items) >= 1

    eventually("event", posted)


@step("update and field handlers")
def _():
    # A change before kopf has noted that the creation was handled is no update for it.
    handled = "kopf.zalando.org/last-handled-configuration"

    def noted():
        read = custom.get_namespaced_custom_object(*place, "one")
        return handled in read["metadata"].get("annotations", {})

    eventually("creation handled", noted)
    custom.patch_namespaced_custom_object(*place, "one", {"spec": {"size": 5}})
    eventually("update", has("update", "one"))
    eventually("field", has("field", 1, 5))


@step("timer and daemon")
def _():
    eventually("timer", has("timer", "one"))
    eventually("daemon", has("daemon", "one"))


@step("events of a built-in kind by label")
def _():
    core.create_namespaced_config_map(NAMESPACE, config_map("labelled", {"seen": "yes"}))
    eventually("event", has("event", "ADDED", "labelled"))
    core.delete_namespaced_config_map("labelled", NAMESPACE)
    eventually("event", has("event", "DELETED", "labelled"))


@step("last handled state is stored")
def _():
    read = custom.get_namespaced_custom_object(*place, "one")
    expect("kopf.zalando.org/last-handled-configuration" in read["metadata"]["annotations"])


@step("fifty objects")
def _():
    for i in range(50):
        custom.create_namespaced_custom_object(*place, widget(f"w-{i}"))
    eventually("all created", lambda: all(("create", f"w-{i}") in calls for i in range(50)), 60)


@step("delete handler and finalizer")
def _():
    custom.delete_namespaced_custom_object(*place, "one")
    eventually("delete", has("delete", "one"))

    def gone():
        try:
            custom.get_namespaced_custom_object(*place, "one")
        except client.ApiException as error:
            return error.status == 404

    eventually("gone", gone)


@step("operator stops")
def _():
    stop.set()
    thread.join(40)
    expect(not thread.is_alive())


end()
