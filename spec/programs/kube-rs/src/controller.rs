//! A controller of kube's runtime: a finalizer, a child that is applied, the status, and a child that is mended.

use crate::steps::{eventually, expect, step};
use crate::{Widget, WidgetSpec};
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{finalizer, Error as FinalizerError, Event};
use kube::runtime::watcher;
use kube::{Client, Resource, ResourceExt};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

const FINALIZER: &str = "kube-rs.example.com/cleanup";

struct Context {
    client: Client,
    cleaned: AtomicUsize,
}

async fn reconcile(widget: Arc<Widget>, context: Arc<Context>) -> Result<Action, FinalizerError<kube::Error>> {
    let namespace = widget.namespace().unwrap_or_default();
    let widgets: Api<Widget> = Api::namespaced(context.client.clone(), &namespace);
    let maps: Api<ConfigMap> = Api::namespaced(context.client.clone(), &namespace);
    finalizer(&widgets, FINALIZER, widget, |event| async {
        match event {
            Event::Apply(widget) => write(&widgets, &maps, &widget).await?,
            Event::Cleanup(_) => {
                context.cleaned.fetch_add(1, Ordering::SeqCst);
            }
        }
        Ok(Action::await_change())
    })
    .await
}

async fn write(widgets: &Api<Widget>, maps: &Api<ConfigMap>, widget: &Widget) -> Result<(), kube::Error> {
    let (name, params) = (widget.name_any(), PatchParams::apply("widgets").force());
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "ownerReferences": [widget.controller_owner_ref(&())]},
        "data": {"size": widget.spec.size.to_string()},
    });
    maps.patch(&name, &params, &Patch::Apply(child)).await?;
    let status = json!({"apiVersion": "kube-rs.example.com/v1", "kind": "Widget", "status": {"seen": true}});
    widgets.patch_status(&name, &params, &Patch::Apply(status)).await?;
    Ok(())
}

/// The definition of the widgets is established.
pub async fn controller(client: &Client, namespace: &str) {
    let widgets: Api<Widget> = Api::namespaced(client.clone(), namespace);
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let context = Arc::new(Context { client: client.clone(), cleaned: AtomicUsize::new(0) });
    let running = tokio::spawn(
        Controller::new(widgets.clone(), watcher::Config::default().labels("led=yes"))
            .owns(maps.clone(), watcher::Config::default())
            .run(reconcile, |_, _, _| Action::requeue(Duration::from_secs(1)), context.clone())
            .for_each(|_| async {}),
    );
    let size = || async { maps.get_opt("led").await.ok().flatten().and_then(|map| map.data?.get("size").cloned()) };
    step("controller reconciles", async {
        let mut widget = Widget::new("led", WidgetSpec { size: 1, colour: None });
        widget.labels_mut().insert("led".into(), "yes".into());
        widgets.create(&PostParams::default(), &widget).await?;
        eventually("a child", || async { size().await.as_deref() == Some("1") }).await?;
        eventually("a status", || async {
            widgets.get("led").await.is_ok_and(|widget| widget.status.is_some_and(|status| status.seen))
        })
        .await?;
        let stored = widgets.get("led").await?;
        expect(stored.finalizers() == [FINALIZER], format!("{:?}", stored.finalizers()))?;
        let owner = maps.get("led").await?.owner_references().first().cloned();
        expect(owner == stored.controller_owner_ref(&()), format!("{owner:?}"))
    })
    .await;
    step("controller follows the spec", async {
        let larger = Patch::Merge(json!({"spec": {"size": 2}}));
        widgets.patch("led", &PatchParams::default(), &larger).await?;
        eventually("the size", || async { size().await.as_deref() == Some("2") }).await
    })
    .await;
    step("controller mends a child", async {
        let other = Patch::Merge(json!({"data": {"size": "9"}}));
        maps.patch("led", &PatchParams::default(), &other).await?;
        eventually("the size", || async { size().await.as_deref() == Some("2") }).await?;
        maps.delete("led", &DeleteParams::default()).await?;
        eventually("another child", || async { size().await.as_deref() == Some("2") }).await
    })
    .await;
    step("controller cleans up behind its finalizer", async {
        widgets.delete("led", &DeleteParams::default()).await?;
        eventually("gone", || async { matches!(widgets.get_opt("led").await, Ok(None)) }).await?;
        expect(context.cleaned.load(Ordering::SeqCst) >= 1, "no cleanup")
    })
    .await;
    running.abort();
}
