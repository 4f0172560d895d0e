//! Steps with kube and rustls.

mod controller;
mod steps;

use futures::{pin_mut, StreamExt, TryStreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::authorization::v1::SelfSubjectAccessReview;
use k8s_openapi::api::core::v1::{ConfigMap, Event, Namespace, Pod, ServiceAccount};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{
    Api, DeleteParams, EvictParams, ListParams, LogParams, Patch, PatchParams, PostParams,
    PropagationPolicy, WatchEvent, WatchParams,
};
use kube::runtime::{conditions, reflector, wait::await_condition, watcher, WatchStreamExt};
use kube::core::PartialObjectMeta;
use kube::{discovery, Client, CustomResourceExt, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::{json, Value};
use std::time::Duration;
use steps::{eventually, expect, refused, step};

#[derive(kube::CustomResource, Clone, Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[kube(group = "kube-rs.example.com", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus")]
struct WidgetSpec {
    size: i32,
    colour: Option<String>,
}

#[derive(Clone, Debug, Default, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct WidgetStatus {
    seen: bool,
}

fn object<K: DeserializeOwned>(value: Value) -> K {
    serde_json::from_value(value).expect("an object")
}

fn config_map(name: &str, set: &str) -> ConfigMap {
    object(json!({"metadata": {"name": name, "labels": {"set": set}}, "data": {"key": "value"}}))
}

fn pod(name: &str) -> Pod {
    let containers = json!([{"name": "main", "image": "example.com/main:1"}]);
    object(json!({"metadata": {"name": name}, "spec": {"automountServiceAccountToken": false, "containers": containers}}))
}

#[tokio::main]
async fn main() -> Result<(), kube::Error> {
    let client = Client::try_default().await?;
    let namespace = std::env::var("PROGRAM_NAMESPACE").expect("PROGRAM_NAMESPACE");
    writes(&client, &namespace).await;
    patches(&client, &namespace).await;
    watches(&client, &namespace).await;
    custom(&client, &namespace).await;
    others(&client, &namespace).await;
    println!("STEP end");
    Ok(())
}

async fn writes(client: &Client, namespace: &str) {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let post = PostParams::default();
    step("namespace create", async {
        let made: Namespace = object(json!({"metadata": {"name": namespace}}));
        let made = Api::all(client.clone()).create(&post, &made).await?;
        expect(made.uid().is_some(), "no uid")
    })
    .await;
    step("version", async { expect(client.apiserver_version().await?.major == "1", "version") }).await;
    step("create, replace, delete", async {
        let mut one = maps.create(&post, &config_map("one", "one")).await?;
        let before = one.clone();
        one.data.get_or_insert_default().insert("key".into(), "changed".into());
        maps.replace("one", &post, &one).await?;
        refused(maps.replace("one", &post, &before).await, 409, "modified")?;
        maps.delete("one", &DeleteParams::default()).await?;
        refused(maps.get("one").await, 404, "not found")?;
        expect(maps.get_opt("one").await?.is_none(), "still there")
    })
    .await;
    step("already exists", async {
        maps.create(&post, &config_map("twice", "one")).await?;
        refused(maps.create(&post, &config_map("twice", "one")).await, 409, "already exists")
    })
    .await;
    step("list with limit and continue", async {
        for i in 0..7 {
            maps.create(&post, &config_map(&format!("m-{i}"), "m")).await?;
        }
        let mut params = ListParams::default().labels("set=m").limit(4);
        let first = maps.list(&params).await?;
        params = params.continue_token(first.metadata.continue_.as_deref().unwrap_or_default());
        let rest = maps.list(&params).await?;
        expect(first.items.len() == 4 && rest.items.len() == 3, format!("{}", rest.items.len()))
    })
    .await;
    step("metadata alone", async {
        let list = maps.list_metadata(&ListParams::default().labels("set=m")).await?;
        expect(list.items.len() == 7, format!("{}", list.items.len()))
    })
    .await;
    step("dry run", async {
        let dry = PostParams { dry_run: true, ..PostParams::default() };
        maps.create(&dry, &config_map("dry", "one")).await?;
        expect(maps.get_opt("dry").await?.is_none(), "stored")
    })
    .await;
    step("delete collection", async {
        let params = ListParams::default().labels("set=m");
        maps.delete_collection(&DeleteParams::default(), &params).await?;
        expect(maps.list(&params).await?.items.is_empty(), "left")
    })
    .await;
    step("finalizer and propagation", async {
        let mut held = config_map("held", "one");
        held.finalizers_mut().push("a.example/b".into());
        maps.create(&post, &held).await?;
        let params = DeleteParams { propagation_policy: Some(PropagationPolicy::Background), ..DeleteParams::default() };
        maps.delete("held", &params).await?;
        expect(maps.get("held").await?.meta().deletion_timestamp.is_some(), "no timestamp")?;
        let patch = json!({"metadata": {"finalizers": null}});
        maps.patch("held", &PatchParams::default(), &Patch::Merge(patch)).await?;
        expect(maps.get_opt("held").await?.is_none(), "still there")
    })
    .await;
}

async fn patches(client: &Client, namespace: &str) {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), namespace);
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let none = PatchParams::default();
    step("deployment and patch kinds", async {
        let labels = json!({"app": "web"});
        let template = json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "example.com/main:1"}]}});
        let web: Deployment = object(json!({"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": labels}, "template": template}}));
        deployments.create(&PostParams::default(), &web).await?;
        let strategic = json!({"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "example.com/side:1"}]}}}});
        let patched = deployments.patch("web", &none, &Patch::Strategic(strategic)).await?;
        let containers = patched.spec.template.spec.map(|spec| spec.containers.len());
        expect(containers == Some(2), format!("{containers:?}"))
    })
    .await;
    step("apply and its conflict", async {
        let part = |value: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"key": value}});
        maps.patch("applied", &PatchParams::apply("first"), &Patch::Apply(part("1"))).await?;
        refused(maps.patch("applied", &PatchParams::apply("second"), &Patch::Apply(part("2"))).await, 409, "first")?;
        maps.patch("applied", &PatchParams::apply("second").force(), &Patch::Apply(part("2"))).await?;
        Ok(())
    })
    .await;
    step("strict field validation", async {
        let wrong = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "strict"}, "dada": {}});
        refused(maps.patch("strict", &PatchParams::apply("first").validation_strict(), &Patch::Apply(wrong)).await, 500, "dada")
    })
    .await;
    step("scale and status", async {
        let scaled = deployments.patch_scale("web", &none, &Patch::Merge(json!({"spec": {"replicas": 4}}))).await?;
        expect(scaled.spec.and_then(|spec| spec.replicas) == Some(4), "scale")?;
        let status = deployments.patch_status("web", &none, &Patch::Merge(json!({"status": {"replicas": 4}}))).await?;
        expect(status.status.and_then(|status| status.replicas) == Some(4), "status")
    })
    .await;
    step("evict", async {
        let pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
        pods.create(&PostParams::default(), &pod("evicted")).await?;
        pods.evict("evicted", &EvictParams::default()).await?;
        expect(pods.get_opt("evicted").await?.is_none(), "still there")
    })
    .await;
}

async fn watches(client: &Client, namespace: &str) {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let post = PostParams::default();
    step("watch from a version", async {
        let version = maps.list(&ListParams::default()).await?.metadata.resource_version.unwrap_or_default();
        maps.create(&post, &config_map("watched", "w")).await?;
        maps.delete("watched", &DeleteParams::default()).await?;
        let events = maps.watch(&WatchParams::default().labels("set=w").timeout(10), &version).await?.boxed();
        pin_mut!(events);
        let mut seen = Vec::new();
        while let Some(event) = events.try_next().await? {
            match event {
                WatchEvent::Added(_) => seen.push("added"),
                WatchEvent::Deleted(_) => seen.push("deleted"),
                _ => {}
            }
            if seen.len() == 2 {
                break;
            }
        }
        expect(seen == ["added", "deleted"], format!("{seen:?}"))
    })
    .await;
    for (name, config) in [("list and watch", watcher::Config::default()), ("streaming list", watcher::Config::default().streaming_lists())] {
        step(&format!("reflector by {name}"), async {
            let set = name.replace(' ', "-");
            let (reader, writer) = reflector::store();
            let stream = watcher(maps.clone(), config.labels(&format!("set={set}"))).default_backoff().reflect(writer).applied_objects().boxed();
            let running = tokio::spawn(stream.for_each(|_| async {}));
            for i in 0..3 {
                maps.create(&post, &config_map(&format!("{set}-{i}"), &set)).await?;
            }
            eventually("three in the store", || async { reader.len() == 3 }).await?;
            maps.delete(&format!("{set}-0"), &DeleteParams::default()).await?;
            eventually("two in the store", || async { reader.len() == 2 }).await?;
            running.abort();
            Ok(())
        })
        .await;
    }
    step("metadata watcher", async {
        let metadata: Api<PartialObjectMeta<ConfigMap>> = Api::namespaced(client.clone(), namespace);
        let stream = watcher(metadata, watcher::Config::default()).applied_objects().boxed();
        pin_mut!(stream);
        expect(stream.try_next().await?.is_some(), "nothing")
    })
    .await;
}

async fn custom(client: &Client, namespace: &str) {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let widgets: Api<Widget> = Api::namespaced(client.clone(), namespace);
    let name = Widget::crd_name();
    step("definition is established", async {
        let apply = PatchParams::apply("kube-rs").force();
        definitions.patch(name, &apply, &Patch::Apply(Widget::crd())).await?;
        let established = await_condition(definitions.clone(), name, conditions::is_crd_established());
        tokio::time::timeout(Duration::from_secs(20), established).await??;
        Ok(())
    })
    .await;
    step("custom object and its status", async {
        let widget = Widget::new("one", WidgetSpec { size: 1, colour: None });
        eventually("served", || async { widgets.create(&PostParams::default(), &widget).await.is_ok() }).await?;
        let status = Patch::Merge(json!({"status": {"seen": true}}));
        let patched = widgets.patch_status("one", &PatchParams::default(), &status).await?;
        expect(patched.status.is_some_and(|status| status.seen), "status")?;
        let wrong = json!({"apiVersion": "kube-rs.example.com/v1", "kind": "Widget", "spec": {"size": "large"}});
        refused(widgets.patch("two", &PatchParams::apply("kube-rs"), &Patch::Apply(wrong)).await, 500, "spec.size")
    })
    .await;
    step("custom object finalizer helper", async {
        use kube::runtime::finalizer::{finalizer, Event as Finalizer};
        let widget = std::sync::Arc::new(widgets.get("one").await?);
        finalizer(&widgets, "example.com/hold", widget, |event| async move {
            match event {
                Finalizer::Apply(_) | Finalizer::Cleanup(_) => Ok::<_, kube::Error>(kube::runtime::controller::Action::await_change()),
            }
        })
        .await?;
        expect(widgets.get("one").await?.finalizers() == ["example.com/hold"], "no finalizer")?;
        let patch = Patch::Merge(json!({"metadata": {"finalizers": null}}));
        widgets.patch("one", &PatchParams::default(), &patch).await?;
        Ok(())
    })
    .await;
    controller::controller(client, namespace).await;
    step("definition is deleted", async {
        definitions.delete(name, &DeleteParams::default()).await?;
        eventually("gone", || async { matches!(definitions.get_opt(name).await, Ok(None)) }).await
    })
    .await;
}

async fn others(client: &Client, namespace: &str) {
    let pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
    step("discovery", async {
        let all = discovery::Discovery::new(client.clone()).run().await?;
        expect(all.has_group("apps") && all.has_group("autoscaling"), "groups")?;
        let aggregated = discovery::Discovery::new(client.clone()).run_aggregated().await?;
        expect(aggregated.groups().count() > 15, "aggregated groups")
    })
    .await;
    step("logs of a pod without node", async {
        pods.create(&PostParams::default(), &pod("idle")).await?;
        expect(pods.logs("idle", &LogParams::default()).await?.is_empty(), "log")
    })
    .await;
    step("exec in a pod without node", async {
        let answer = pods.exec("idle", ["true"], &kube::api::AttachParams::default()).await;
        expect(answer.is_err(), "exec ran")
    })
    .await;
    step("events", async {
        let events: Api<Event> = Api::namespaced(client.clone(), namespace);
        let event: Event = object(json!({
            "metadata": {"generateName": "step-"}, "reason": "Tried",
            "involvedObject": {"kind": "Pod", "name": "idle", "namespace": namespace},
        }));
        events.create(&PostParams::default(), &event).await?;
        let list = events.list(&ListParams::default().fields("reason=Tried")).await?;
        expect(list.items.len() == 1, format!("{}", list.items.len()))
    })
    .await;
    step("token of a service account", async {
        let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), namespace);
        accounts.create(&PostParams::default(), &object(json!({"metadata": {"name": "robot"}}))).await?;
        let request = object(json!({"spec": {"audiences": [], "expirationSeconds": 600}}));
        let token = accounts.create_token_request("robot", &PostParams::default(), &request).await?;
        expect(token.status.is_some_and(|status| status.token.is_some_and(|token| !token.is_empty())), "no token")
    })
    .await;
    step("self subject access review", async {
        let reviews: Api<SelfSubjectAccessReview> = Api::all(client.clone());
        let review = object(json!({"metadata": {}, "spec": {"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": namespace}}}));
        let answer = reviews.create(&PostParams::default(), &review).await?;
        expect(answer.status.is_some_and(|status| status.allowed), "not allowed")
    })
    .await;
}
