"""Steps with the package kubernetes."""

import json
import threading

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.leaderelection import leaderelection
from kubernetes.leaderelection.electionconfig import Config
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock
from kubernetes.stream import stream

from steps import *  # noqa: F403

config.load_kube_config()
core = client.CoreV1Api()
apps = client.AppsV1Api()
api = client.ApiClient()


@step("namespace create")
def _():
    made = core.create_namespace({"metadata": {"name": NAMESPACE}})
    expect(made.status.phase == "Active", made)


@step("version")
def _():
    expect(client.VersionApi().get_code().major == "1")


@step("create, read, replace, delete")
def _():
    made = core.create_namespaced_config_map(NAMESPACE, config_map("one"))
    made.data["key"] = "changed"
    changed = core.replace_namespaced_config_map("one", NAMESPACE, made)
    expect(changed.metadata.resource_version != made.metadata.resource_version)
    refused(lambda: core.replace_namespaced_config_map("one", NAMESPACE, made), 409)
    core.delete_namespaced_config_map("one", NAMESPACE)
    refused(lambda: core.read_namespaced_config_map("one", NAMESPACE), 404)


@step("already exists")
def _():
    core.create_namespaced_config_map(NAMESPACE, config_map("twice"))
    refused(
        lambda: core.create_namespaced_config_map(NAMESPACE, config_map("twice")),
        409,
        "AlreadyExists",
    )


@step("list with limit and continue")
def _():
    for i in range(7):
        core.create_namespaced_config_map(NAMESPACE, config_map(f"many-{i}", {"set": "many"}))
    names, token, pages = [], None, 0
    while True:
        more = {"_continue": token} if token else {}
        page = core.list_namespaced_config_map(
            NAMESPACE, label_selector="set=many", limit=3, **more
        )
        names += [one.metadata.name for one in page.items]
        pages += 1
        token = page.metadata._continue
        if not token:
            break
    expect(len(names) == 7 and pages == 3, names, pages)


@step("patch by JSON, merge and strategic merge")
def _():
    apps.create_namespaced_deployment(NAMESPACE, deployment("web", 2))
    by_json = apps.patch_namespaced_deployment(
        "web", NAMESPACE, [{"op": "replace", "path": "/spec/replicas", "value": 3}]
    )
    expect(by_json.spec.replicas == 3)
    side = {"name": "side", "image": "example.com/side:1"}
    body = {"spec": {"template": {"spec": {"containers": [side]}}}}
    merged = apps.patch_namespaced_deployment("web", NAMESPACE, body)
    expect(len(merged.spec.template.spec.containers) == 2, merged.spec.template.spec.containers)


@step("server-side apply and its conflict")
def _():
    def apply(manager, value, force=False):
        return core.patch_namespaced_config_map(
            "applied",
            NAMESPACE,
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "applied"},
                "data": {"key": value},
            },
            field_manager=manager,
            force=force,
            _content_type="application/apply-patch+yaml",
        )

    apply("first", "1")
    refused(lambda: apply("second", "2"), 409, 'conflict with \\"first\\"')
    expect(apply("second", "2", force=True).data["key"] == "2")


@step("strict field validation")
def _():
    wrong = {**deployment("strict"), "dada": {}}
    place = ("apps", "v1", NAMESPACE, "deployments")
    refused(
        lambda: client.CustomObjectsApi().create_namespaced_custom_object(
            *place, wrong, field_validation="Strict"
        ),
        400,
        "strict decoding error",
    )


@step("dry run")
def _():
    core.create_namespaced_config_map(NAMESPACE, config_map("dry"), dry_run="All")
    refused(lambda: core.read_namespaced_config_map("dry", NAMESPACE), 404)


@step("status and scale")
def _():
    status = apps.patch_namespaced_deployment_status(
        "web", NAMESPACE, {"status": {"replicas": 3, "observedGeneration": 1}}
    )
    expect(status.status.replicas == 3)
    scale = apps.read_namespaced_deployment_scale("web", NAMESPACE)
    scale.spec.replicas = 5
    expect(apps.replace_namespaced_deployment_scale("web", NAMESPACE, scale).spec.replicas == 5)
    patched = apps.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 6}})
    expect(patched.spec.replicas == 6)


@step("eviction")
def _():
    core.create_namespaced_pod(NAMESPACE, pod("evicted"))
    body = {"metadata": {"name": "evicted", "namespace": NAMESPACE}}
    core.create_namespaced_pod_eviction("evicted", NAMESPACE, body)
    refused(lambda: core.read_namespaced_pod("evicted", NAMESPACE), 404)


@step("delete collection by selector")
def _():
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="set=many")
    expect(not core.list_namespaced_config_map(NAMESPACE, label_selector="set=many").items)


@step("finalizer")
def _():
    core.create_namespaced_config_map(NAMESPACE, config_map("held", finalizers=["a.example/b"]))
    core.delete_namespaced_config_map("held", NAMESPACE, propagation_policy="Background")
    held = core.read_namespaced_config_map("held", NAMESPACE)
    expect(held.metadata.deletion_timestamp is not None)
    core.patch_namespaced_config_map("held", NAMESPACE, {"metadata": {"finalizers": None}})
    refused(lambda: core.read_namespaced_config_map("held", NAMESPACE), 404)


@step("watch from a version")
def _():
    version = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    made = core.create_namespaced_config_map(NAMESPACE, config_map("watched"))
    core.patch_namespaced_config_map("watched", NAMESPACE, {"data": {"key": "changed"}})
    core.delete_namespaced_config_map(made.metadata.name, NAMESPACE)
    seen = []
    for event in watch.Watch().stream(
        core.list_namespaced_config_map, NAMESPACE, resource_version=version, timeout_seconds=10
    ):
        seen.append((event["type"], event["object"].metadata.name))
        if len(seen) == 3:
            break
    expect(seen == [(kind, "watched") for kind in ("ADDED", "MODIFIED", "DELETED")], seen)


@step("watch ends at its time limit")
def _():
    events = watch.Watch().stream(
        core.list_namespaced_config_map, NAMESPACE, label_selector="set=none", timeout_seconds=1
    )
    expect(not list(events))


@step("create from YAML")
def _():
    utils.create_from_dict(api, config_map("from-dict"), namespace=NAMESPACE)
    expect(core.read_namespaced_config_map("from-dict", NAMESPACE).data["key"] == "value")


@step("definition, custom object, status, scale")
def _():
    client.ApiextensionsV1Api().create_custom_resource_definition(definition())
    custom = client.CustomObjectsApi()
    place = (GROUP, "v1", NAMESPACE, "widgets")

    def made():
        try:
            return custom.create_namespaced_custom_object(*place, widget("one"))
        except client.ApiException as error:
            expect(error.status == 404, error)

    eventually("served", made)
    expect(custom.get_namespaced_custom_object(*place, "one")["spec"]["colour"] == "blue")
    refused(lambda: custom.create_namespaced_custom_object(*place, widget("two", size=11)), 422)
    custom.patch_namespaced_custom_object_status(*place, "one", {"status": {"replicas": 1}})
    scaled = custom.patch_namespaced_custom_object_scale(*place, "one", {"spec": {"replicas": 4}})
    expect(scaled["spec"]["replicas"] == 4, scaled)
    events = watch.Watch().stream(
        custom.list_namespaced_custom_object, *place, timeout_seconds=5, resource_version="0"
    )
    expect(next(events)["type"] == "ADDED")


@step("dynamic client")
def _():
    dynamic_client = dynamic.DynamicClient(api)
    maps = dynamic_client.resources.get(api_version="v1", kind="ConfigMap")
    made = maps.create(namespace=NAMESPACE, body=config_map("dynamic"))
    expect(made.metadata.uid)
    applied = maps.server_side_apply(
        namespace=NAMESPACE,
        name="dynamic",
        body={**config_map("dynamic"), "data": {"other": "x"}},
        field_manager="dynamic",
    )
    expect(applied.data.other == "x")
    pods = dynamic_client.resources.get(api_version="v1", kind="Pod")
    expect(pods.get(namespace=NAMESPACE).kind == "PodList")
    seen = [event["type"] for event in maps.watch(namespace=NAMESPACE, timeout=1, name="dynamic")]
    expect(seen == ["ADDED"], seen)


@step("leader election on a lease")
def _():
    leads = threading.Event()
    lock = LeaseLock("leader", NAMESPACE, "first")
    elector = leaderelection.LeaderElection(
        Config(lock, 10, 8, 2, onstarted_leading=leads.set, onstopped_leading=lambda: None)
    )
    threading.Thread(target=elector.run, daemon=True).start()
    expect(leads.wait(30))
    lease = client.CoordinationV1Api().read_namespaced_lease("leader", NAMESPACE)
    expect("first" in lease.spec.holder_identity, lease.spec)


@step("events")
def _():
    core.create_namespaced_event(
        NAMESPACE,
        {
            "metadata": {"generateName": "step-"},
            "involvedObject": {"kind": "Pod", "name": "web", "namespace": NAMESPACE},
            "reason": "Tried",
            "message": "a step",
            "type": "Normal",
        },
    )
    expect(len(core.list_namespaced_event(NAMESPACE, field_selector="reason=Tried").items) == 1)
    both = client.EventsV1Api().list_namespaced_event(NAMESPACE, _preload_content=False)
    expect("Tried" in [one["reason"] for one in json.loads(both.data)["items"]])


@step("token, token review, access reviews")
def _():
    core.create_namespaced_service_account(NAMESPACE, {"metadata": {"name": "robot"}})
    token = core.create_namespaced_service_account_token(
        "robot", NAMESPACE, {"spec": {"expirationSeconds": 600, "audiences": []}}
    )
    user = f"system:serviceaccount:{NAMESPACE}:robot"
    review = client.AuthenticationV1Api().create_token_review({"spec": {"token": token.status.token}})
    expect(review.status.authenticated and review.status.user.username == user, review.status)
    attributes = {"namespace": NAMESPACE, "verb": "get", "resource": "pods"}
    access = client.AuthorizationV1Api().create_subject_access_review(
        {"spec": {"user": user, "resourceAttributes": attributes}}
    )
    expect(access.status.allowed is False, access.status)
    own = client.AuthorizationV1Api().create_self_subject_access_review(
        {"spec": {"resourceAttributes": attributes}}
    )
    expect(own.status.allowed is True, own.status)


@step("logs and exec of a pod without node")
def _():
    core.create_namespaced_pod(NAMESPACE, pod("idle"))
    expect(not core.read_namespaced_pod_log("idle", NAMESPACE))
    refused(
        lambda: stream(
            core.connect_get_namespaced_pod_exec, "idle", NAMESPACE, command=["true"], stdout=True
        ),
        0,
        "400",
    )


@step("discovery")
def _():
    groups = client.ApisApi().get_api_versions().groups
    expect({"apps", "batch", "events.k8s.io"} <= {one.name for one in groups})
    resources = client.AppsV1Api().get_api_resources().resources
    expect("deployments/scale" in [one.name for one in resources])


@step("many kinds are listed")
def _():
    client.BatchV1Api().list_cron_job_for_all_namespaces()
    client.NetworkingV1Api().list_ingress_for_all_namespaces()
    client.AutoscalingV2Api().list_horizontal_pod_autoscaler_for_all_namespaces()
    client.StorageV1Api().list_storage_class()
    client.RbacAuthorizationV1Api().list_cluster_role()
    client.PolicyV1Api().list_pod_disruption_budget_for_all_namespaces()
    client.CertificatesV1Api().list_certificate_signing_request()
    client.AdmissionregistrationV1Api().list_validating_admission_policy()
    client.SchedulingV1Api().list_priority_class()
    client.FlowcontrolApiserverV1Api().list_flow_schema()
    client.ApiregistrationV1Api().list_api_service()
    client.DiscoveryV1Api().list_endpoint_slice_for_all_namespaces()


end()
