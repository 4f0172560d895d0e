"""Steps with the package kubernetes_asyncio."""

from kubernetes_asyncio import client, config, dynamic, watch

from steps import *  # noqa: F403


async def main():
    await config.load_kube_config()
    async with client.ApiClient() as api:
        await steps(api)
    end()


async def steps(api):
    core = client.CoreV1Api(api)
    apps = client.AppsV1Api(api)

    async def namespace():
        made = await core.create_namespace({"metadata": {"name": NAMESPACE}})
        expect(made.status.phase == "Active", made)

    await astep("namespace create", namespace)

    async def crud():
        made = await core.create_namespaced_config_map(NAMESPACE, config_map("one"))
        made.data["key"] = "changed"
        await core.replace_namespaced_config_map("one", NAMESPACE, made)
        await arefused(lambda: core.replace_namespaced_config_map("one", NAMESPACE, made), 409)
        await core.delete_namespaced_config_map("one", NAMESPACE)
        await arefused(lambda: core.read_namespaced_config_map("one", NAMESPACE), 404)

    await astep("create, replace, delete", crud)

    async def pages():
        for i in range(5):
            await core.create_namespaced_config_map(NAMESPACE, config_map(f"m-{i}", {"set": "m"}))
        first = await core.list_namespaced_config_map(NAMESPACE, label_selector="set=m", limit=3)
        rest = await core.list_namespaced_config_map(
            NAMESPACE, label_selector="set=m", limit=3, _continue=first.metadata._continue
        )
        expect(len(first.items) == 3 and len(rest.items) == 2 and not rest.metadata._continue)

    await astep("list with limit and continue", pages)

    async def patches():
        await apps.create_namespaced_deployment(NAMESPACE, deployment("web", 2))
        operations = [{"op": "replace", "path": "/spec/replicas", "value": 3}]
        by_json = await apps.patch_namespaced_deployment(
            "web", NAMESPACE, operations, _content_type="application/json-patch+json"
        )
        expect(by_json.spec.replicas == 3)
        side = {"name": "side", "image": "example.com/side:1"}
        merged = await apps.patch_namespaced_deployment(
            "web",
            NAMESPACE,
            {"spec": {"template": {"spec": {"containers": [side]}}}},
            _content_type="application/strategic-merge-patch+json",
        )
        expect(len(merged.spec.template.spec.containers) == 2)
        merge = await apps.patch_namespaced_deployment(
            "web", NAMESPACE, {"spec": {"paused": True}}, _content_type="application/merge-patch+json"
        )
        expect(merge.spec.paused)

    await astep("patch kinds", patches)

    async def apply():
        async def by(manager, value, force):
            body = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"key": value}}
            body["metadata"] = {"name": "applied"}
            return await core.patch_namespaced_config_map(
                "applied",
                NAMESPACE,
                body,
                field_manager=manager,
                force=force,
                _content_type="application/apply-patch+yaml",
            )

        await by("first", "1", False)
        await arefused(lambda: by("second", "2", False), 409)
        expect((await by("second", "2", True)).data["key"] == "2")

    await astep("server-side apply and its conflict", apply)

    async def strict():
        wrong = {**config_map("strict"), "dada": {}}
        await arefused(
            lambda: core.create_namespaced_config_map(NAMESPACE, wrong, field_validation="Strict"), 400
        )

    await astep("strict field validation", strict)

    async def subresources():
        status = {"status": {"replicas": 3}}
        patched = await apps.patch_namespaced_deployment_status(
            "web", NAMESPACE, status, _content_type="application/merge-patch+json"
        )
        expect(patched.status.replicas == 3)
        scale = await apps.read_namespaced_deployment_scale("web", NAMESPACE)
        scale.spec.replicas = 5
        scaled = await apps.replace_namespaced_deployment_scale("web", NAMESPACE, scale)
        expect(scaled.spec.replicas == 5)
        await core.create_namespaced_pod(NAMESPACE, pod("evicted"))
        await core.create_namespaced_pod_eviction(
            "evicted", NAMESPACE, {"metadata": {"name": "evicted", "namespace": NAMESPACE}}
        )
        await arefused(lambda: core.read_namespaced_pod("evicted", NAMESPACE), 404)

    await astep("status, scale, eviction", subresources)

    async def watched():
        version = (await core.list_namespaced_config_map(NAMESPACE)).metadata.resource_version
        await core.create_namespaced_config_map(NAMESPACE, config_map("watched"))
        await core.delete_namespaced_config_map("watched", NAMESPACE)
        seen = []
        async with watch.Watch() as watching:
            stream = watching.stream(
                core.list_namespaced_config_map, NAMESPACE, resource_version=version, timeout_seconds=10
            )
            async for event in stream:
                seen.append(event["type"])
                if len(seen) == 2:
                    break
        expect(seen == ["ADDED", "DELETED"], seen)

    await astep("watch from a version", watched)

    async def limited():
        async with watch.Watch() as watching:
            stream = watching.stream(
                core.list_namespaced_config_map,
                NAMESPACE,
                label_selector="set=none",
                timeout_seconds=1,
            )
            expect([event async for event in stream] == [])

    await astep("watch ends at its time limit", limited)

    async def collection():
        await core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="set=m")
        left = await core.list_namespaced_config_map(NAMESPACE, label_selector="set=m")
        expect(not left.items)

    await astep("delete collection by selector", collection)

    async def custom():
        await client.ApiextensionsV1Api(api).create_custom_resource_definition(definition())
        objects = client.CustomObjectsApi(api)
        place = (GROUP, "v1", NAMESPACE, "widgets")

        async def made():
            try:
                return await objects.create_namespaced_custom_object(*place, widget("one"))
            except client.ApiException as error:
                expect(error.status == 404, error)

        await aeventually("served", made)
        read = await objects.get_namespaced_custom_object(*place, "one")
        expect(read["spec"]["colour"] == "blue", read)
        wrong = widget("two", size=11)
        await arefused(lambda: objects.create_namespaced_custom_object(*place, wrong), 422)

    await astep("definition and custom objects", custom)

    async def by_dynamic():
        dynamic_client = await dynamic.DynamicClient(api)
        maps = await dynamic_client.resources.get(api_version="v1", kind="ConfigMap")
        made = await maps.create(body=config_map("dynamic"), namespace=NAMESPACE)
        expect(made.metadata.uid)
        widgets = await dynamic_client.resources.get(api_version=f"{GROUP}/v1", kind="Widget")
        listed = await widgets.get(namespace=NAMESPACE)
        expect(len(listed.items) == 1)

    await astep("dynamic client", by_dynamic)

    async def reviews():
        await core.create_namespaced_service_account(NAMESPACE, {"metadata": {"name": "robot"}})
        token = await core.create_namespaced_service_account_token(
            "robot", NAMESPACE, {"spec": {"audiences": [], "expirationSeconds": 600}}
        )
        review = await client.AuthenticationV1Api(api).create_token_review(
            {"spec": {"token": token.status.token}}
        )
        expect(review.status.authenticated, review.status)

    await astep("token and its review", reviews)

    async def logs():
        await core.create_namespaced_pod(NAMESPACE, pod("idle"))
        expect(not await core.read_namespaced_pod_log("idle", NAMESPACE))

    await astep("logs of a pod without node", logs)

    async def parallel():
        bodies = [config_map(f"parallel-{i}", {"set": "parallel"}) for i in range(100)]
        await asyncio.gather(*[core.create_namespaced_config_map(NAMESPACE, one) for one in bodies])
        listed = await core.list_namespaced_config_map(NAMESPACE, label_selector="set=parallel")
        expect(len(listed.items) == 100)

    await astep("a hundred creates at once", parallel)


asyncio.run(main())
