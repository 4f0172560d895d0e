"""Steps that wait for pods that run, with kr8s."""

import kr8s
from kr8s.objects import Deployment, Namespace, Node, Pod, Service

from steps import *  # noqa: F403

api = kr8s.api(namespace=NAMESPACE)


def in_namespace(manifest):
    return {**manifest, "metadata": {**manifest["metadata"], "namespace": NAMESPACE}}


def pods_of(name):
    return list(kr8s.get("pods", namespace=NAMESPACE, label_selector={"app": name}))


@step("namespace create")
def _():
    Namespace({"metadata": {"name": NAMESPACE}}).create()


@step("pod.wait for a condition")
def _():
    one = Pod(in_namespace(pod("one")))
    one.create()
    one.wait("condition=Ready", timeout=30)
    expect(one.ready() and one.status.podIP and one.spec.nodeName, one.raw)


@step("pod.wait for a path")
def _():
    command = [{"name": "main", "image": "example.com/main:1", "command": ["sleep", "1"]}]
    ends = Pod(in_namespace(pod("ends", restartPolicy="Never", containers=command)))
    ends.create()
    ends.wait("jsonpath='{.status.phase}'=Succeeded", timeout=30)


@step("pod.wait for any of two conditions")
def _():
    command = [{"name": "main", "image": "example.com/main:1", "command": ["false"]}]
    fails = Pod(in_namespace(pod("fails", restartPolicy="Never", containers=command)))
    fails.create()
    fails.wait(["jsonpath='{.status.phase}'=Succeeded", "jsonpath='{.status.phase}'=Failed"], mode="any", timeout=30)
    expect(fails.status.phase == "Failed", fails.status.phase)


@step("deployment.wait")
def _():
    web = Deployment(in_namespace(deployment("web", 3)))
    web.create()
    web.wait("condition=Available", timeout=30)
    eventually("ready", web_ready)
    expect(len(web.pods()) == 3, web.pods())


def web_ready():
    web = Deployment.get("web", namespace=NAMESPACE)
    return web.ready()


@step("deployment.scale waits")
def _():
    web = Deployment.get("web", namespace=NAMESPACE)
    web.scale(5)
    eventually("ready", web_ready)
    web.scale(1)
    eventually("one pod", lambda: len(pods_of("web")) == 1)


@step("deployment.wait runs out of time")
def _():
    broken = in_namespace(deployment("broken"))
    broken["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.invalid/main:1"
    one = Deployment(broken)
    one.create()
    try:
        one.wait("condition=Available", timeout=2)
        expect(False, "available")
    except TimeoutError:
        pass
    waiting = pods_of("broken")[0].status.containerStatuses[0].state.waiting
    expect(waiting.reason in ("ErrImagePull", "ImagePullBackOff"), waiting)


@step("the ready pods of a service")
def _():
    manifest = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}}
    web = Service(in_namespace(manifest))
    web.create()
    eventually("ready", web.ready)
    expect(len(web.ready_pods()) == 1, web.ready_pods())


@step("pod.exec")
def _():
    one = Pod.get("one", namespace=NAMESPACE)
    ended = one.exec(["sh", "-c", "echo hello; exit 3"], check=False)
    expect(ended.stdout == b"hello\n" and ended.returncode == 3, ended)


@step("pod.logs follows")
def _():
    command = [{"name": "main", "image": "example.com/main:1", "command": ["sh", "-c", "echo one; echo two; sleep 2"]}]
    talks = Pod(in_namespace(pod("talks", restartPolicy="Never", containers=command)))
    talks.create()
    talks.wait("jsonpath='{.status.phase}'=Running", timeout=30)
    expect(list(talks.logs(follow=True, timeout=30)) == ["one", "two"])


@step("node.cordon and uncordon")
def _():
    node = next(iter(kr8s.get("nodes")))
    node.cordon()
    expect(node.unschedulable, node.raw)
    node.uncordon()
    expect(not Node.get(node.name).unschedulable)


@step("wait for delete")
def _():
    one = Pod.get("one", namespace=NAMESPACE)
    one.delete()
    one.wait("delete", timeout=60)
    web = Deployment.get("web", namespace=NAMESPACE)
    web.delete("Foreground")
    web.wait("delete", timeout=60)
    expect(pods_of("web") == [], pods_of("web"))


end()
