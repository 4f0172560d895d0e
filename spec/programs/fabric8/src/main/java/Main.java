import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Steps with fabric8's kubernetes-client. */
public class Main {
  private static KubernetesClient client;

  private static ConfigMap made(String name, Map<String, String> labels) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).withNamespace(Steps.NAMESPACE).withLabels(labels)
        .endMetadata().withData(Map.of("key", "value")).build();
  }

  private static Pod pod(String name) {
    return new PodBuilder().withNewMetadata().withName(name).withNamespace(Steps.NAMESPACE).endMetadata().withNewSpec()
        .withAutomountServiceAccountToken(false).addNewContainer().withName("main").withImage("example.com/main:1")
        .endContainer().endSpec().build();
  }

  private static void refused(Steps.Check check, int code, String part) throws Exception {
    try {
      check.run();
    } catch (KubernetesClientException error) {
      Steps.expect(error.getCode() == code && error.getMessage().contains(part), error);
      return;
    }
    Steps.expect(false, "accepted, but " + code + " was expected");
  }

  public static void main(String[] arguments) {
    client = new KubernetesClientBuilder().build();
    writes();
    patches();
    streams();
    custom();
    access();
    Steps.end();
  }

  private static void writes() {
    var maps = client.configMaps().inNamespace(Steps.NAMESPACE);
    Steps.step("namespace create", () -> {
      var name = new NamespaceBuilder().withNewMetadata().withName(Steps.NAMESPACE).endMetadata().build();
      Steps.expect("Active".equals(client.namespaces().resource(name).create().getStatus().getPhase()), "phase");
    });
    Steps.step("version and groups", () -> {
      Steps.expect("1".equals(client.getKubernetesVersion().getMajor()), client.getKubernetesVersion());
      Steps.expect(client.getApiGroups().getGroups().size() > 15, "groups");
      Steps.expect(client.hasApiGroup("autoscaling", true), "autoscaling");
      Steps.expect(client.supports(Deployment.class), "deployments");
    });
    Steps.step("create, edit, update, delete", () -> {
      var one = maps.resource(made("one", Map.of())).create();
      maps.withName("one").edit(map -> new ConfigMapBuilder(map).addToData("more", "x").build());
      refused(() -> maps.resource(new ConfigMapBuilder(one).addToData("late", "x").build())
          .lockResourceVersion(one.getMetadata().getResourceVersion()).update(), 409, "modified");
      maps.withName("one").delete();
      Steps.expect(maps.withName("one").get() == null, "still there");
    });
    Steps.step("already exists", () -> {
      maps.resource(made("twice", Map.of())).create();
      refused(() -> maps.resource(made("twice", Map.of())).create(), 409, "already exists");
    });
    Steps.step("list with limit and continue", () -> {
      for (int i = 0; i < 7; i++) {
        maps.resource(made("m-" + i, Map.of("set", "m"))).create();
      }
      var first = maps.list(new ListOptionsBuilder().withLimit(4L).withLabelSelector("set=m").build());
      var rest = maps.list(new ListOptionsBuilder().withLimit(4L).withLabelSelector("set=m")
          .withContinue(first.getMetadata().getContinue()).build());
      Steps.expect(first.getItems().size() == 4 && rest.getItems().size() == 3, rest.getItems().size());
    });
    Steps.step("selectors", () -> {
      Steps.expect(maps.withLabelIn("set", "m", "n").list().getItems().size() == 7, "in");
      Steps.expect(maps.withField("metadata.name", "m-1").list().getItems().size() == 1, "field");
    });
    Steps.step("dry run", () -> {
      maps.resource(made("dry", Map.of())).dryRun(true).create();
      Steps.expect(maps.withName("dry").get() == null, "stored");
    });
    Steps.step("delete by selector", () -> {
      maps.withLabel("set", "m").delete();
      Steps.expect(maps.withLabel("set", "m").list().getItems().isEmpty(), "left");
    });
    Steps.step("finalizer and propagation", () -> {
      var held = made("held", Map.of());
      held.getMetadata().setFinalizers(List.of("a.example/b"));
      maps.resource(held).create();
      maps.withName("held").withPropagationPolicy(DeletionPropagation.BACKGROUND).delete();
      Steps.expect(maps.withName("held").get().isMarkedForDeletion(), "no deletion timestamp");
      maps.withName("held").edit(map -> new ConfigMapBuilder(map).editMetadata().withFinalizers().endMetadata().build());
      Steps.expect(maps.withName("held").get() == null, "still there");
    });
    Steps.step("load YAML and apply it", () -> {
      var yaml = "apiVersion: v1\nkind: Secret\nmetadata: {name: loaded}\nstringData: {a: b}\n---\n"
          + "apiVersion: v1\nkind: Service\nmetadata: {name: loaded}\nspec: {ports: [{port: 80}]}\n";
      var loaded = client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).inNamespace(Steps.NAMESPACE);
      loaded.forceConflicts().serverSideApply();
      loaded.forceConflicts().serverSideApply();
      Steps.expect(client.services().inNamespace(Steps.NAMESPACE).withName("loaded").get().getSpec().getClusterIP() != null, "address");
    });
  }

  private static void patches() {
    var deployments = client.apps().deployments().inNamespace(Steps.NAMESPACE);
    var maps = client.configMaps().inNamespace(Steps.NAMESPACE);
    Steps.step("deployment with defaults", () -> {
      var web = new DeploymentBuilder().withNewMetadata().withName("web").endMetadata().withNewSpec().withReplicas(2)
          .withNewSelector().addToMatchLabels("app", "web").endSelector().withNewTemplate().withNewMetadata()
          .addToLabels("app", "web").endMetadata().withNewSpec().addNewContainer().withName("main")
          .withImage("example.com/main:1").endContainer().endSpec().endTemplate().endSpec().build();
      Steps.expect(deployments.resource(web).create().getSpec().getRevisionHistoryLimit() == 10, "defaults");
    });
    Steps.step("patch kinds", () -> {
      var json = deployments.withName("web").patch(PatchContext.of(PatchType.JSON),
          "[{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":3}]");
      Steps.expect(json.getSpec().getReplicas() == 3, json);
      var merge = deployments.withName("web").patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"paused\":true}}");
      Steps.expect(merge.getSpec().getPaused(), merge);
      var strategic = deployments.withName("web").patch(PatchContext.of(PatchType.STRATEGIC_MERGE),
          "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"side\",\"image\":\"example.com/side:1\"}]}}}}");
      Steps.expect(strategic.getSpec().getTemplate().getSpec().getContainers().size() == 2, strategic);
    });
    Steps.step("server-side apply and its conflict", () -> {
      maps.resource(made("applied", Map.of())).fieldManager("first").serverSideApply();
      var other = new ConfigMapBuilder(made("applied", Map.of())).withData(Map.of("key", "2")).build();
      refused(() -> maps.resource(other).fieldManager("second").serverSideApply(), 409, "first");
      var forced = maps.resource(other).fieldManager("second").forceConflicts().serverSideApply();
      Steps.expect("2".equals(forced.getData().get("key")), forced);
    });
    Steps.step("scale and status", () -> {
      Steps.expect(deployments.withName("web").scale(5).getSpec().getReplicas() == 5, "scale");
      Steps.expect(deployments.withName("web").scale().getSpec().getReplicas() == 5, "scale is read");
      deployments.withName("web").editStatus(one -> new DeploymentBuilder(one).withNewStatus().withReplicas(5).endStatus().build());
      Steps.expect(deployments.withName("web").get().getStatus().getReplicas() == 5, "status");
    });
    Steps.step("evict", () -> {
      var pods = client.pods().inNamespace(Steps.NAMESPACE);
      pods.resource(pod("evicted")).create();
      Steps.expect(pods.withName("evicted").evict(), "not evicted");
      Steps.expect(pods.withName("evicted").get() == null, "still there");
    });
  }

  private static void streams() {
    var maps = client.configMaps().inNamespace(Steps.NAMESPACE);
    var pods = client.pods().inNamespace(Steps.NAMESPACE);
    Steps.step("watch from a version", () -> {
      var version = maps.list().getMetadata().getResourceVersion();
      maps.resource(made("watched", Map.of())).create();
      var seen = Collections.synchronizedList(new ArrayList<String>());
      var watcher = new Watcher<ConfigMap>() {
        @Override
        public void eventReceived(Action action, ConfigMap map) {
          seen.add(action + " " + map.getMetadata().getName());
        }

        @Override
        public void onClose(WatcherException cause) {}
      };
      try (var watch = maps.watch(new ListOptionsBuilder().withResourceVersion(version).build(), watcher)) {
        maps.withName("watched").delete();
        Steps.eventually("two events", () -> seen.size() == 2);
      }
      Steps.expect(seen.equals(List.of("ADDED watched", "DELETED watched")), seen);
    });
    Steps.step("watch is closed at its time limit", () -> {
      var closed = new CountDownLatch(1);
      var options = new ListOptionsBuilder().withTimeoutSeconds(1L).withLabelSelector("set=none").build();
      var watcher = new Watcher<ConfigMap>() {
        @Override
        public void eventReceived(Action action, ConfigMap map) {}

        @Override
        public void onClose(WatcherException cause) {}

        @Override
        public void onClose() {
          closed.countDown();
        }

        @Override
        public boolean reconnecting() {
          closed.countDown();
          return false;
        }
      };
      try (var watch = maps.watch(options, watcher)) {
        closed.await(5, TimeUnit.SECONDS);
      }
    });
    Steps.step("informer", () -> {
      var seen = Collections.synchronizedList(new ArrayList<String>());
      var handler = new ResourceEventHandler<ConfigMap>() {
        @Override
        public void onAdd(ConfigMap map) {
          seen.add("add " + map.getMetadata().getName());
        }

        @Override
        public void onUpdate(ConfigMap before, ConfigMap map) {
          seen.add("update " + map.getMetadata().getName());
        }

        @Override
        public void onDelete(ConfigMap map, boolean unknown) {
          seen.add("delete " + map.getMetadata().getName());
        }
      };
      maps.resource(made("i-1", Map.of("set", "i"))).create();
      try (var informer = maps.withLabel("set", "i").inform(handler)) {
        maps.resource(made("i-2", Map.of("set", "i"))).create();
        Steps.eventually("added", () -> seen.contains("add i-1") && seen.contains("add i-2"));
        maps.withName("i-2").edit(map -> new ConfigMapBuilder(map).addToData("more", "x").build());
        Steps.eventually("updated", () -> seen.contains("update i-2"));
        maps.withName("i-2").delete();
        Steps.eventually("deleted", () -> seen.contains("delete i-2"));
        Steps.expect(informer.getStore().list().size() == 1, "store");
      }
    });
    Steps.step("wait until a condition holds", () -> {
      pods.resource(pod("idle")).create();
      pods.withName("idle").editStatus(one -> new PodBuilder(one).editOrNewStatus().withPhase("Running").addNewCondition()
          .withType("Ready").withStatus("True").endCondition().endStatus().build());
      pods.withName("idle").waitUntilReady(20, TimeUnit.SECONDS);
    });
    Steps.step("logs of a pod without node", () -> {
      pods.resource(pod("logged")).create();
      Steps.expect(pods.withName("logged").getLog().isEmpty(), "log");
    });
    Steps.step("exec in a pod without node", () -> {
      boolean failed = false;
      try (var watch = pods.withName("logged").writingOutput(System.err).exec("true")) {
        watch.exitCode().get(10, TimeUnit.SECONDS);
      } catch (Exception error) {
        failed = true;
      }
      Steps.expect(failed, "exec ran");
    });
    Steps.step("leader election", () -> {
      var leads = new CountDownLatch(1);
      var elector = client.leaderElector().withConfig(new LeaderElectionConfigBuilder().withName("leader")
          .withLeaseDuration(Duration.ofSeconds(10)).withRenewDeadline(Duration.ofSeconds(8)).withRetryPeriod(Duration.ofSeconds(1))
          .withLock(new LeaseLock(Steps.NAMESPACE, "leader", "first"))
          .withLeaderCallbacks(new LeaderCallbacks(leads::countDown, () -> {}, name -> {})).build()).build();
      var running = elector.start();
      Steps.expect(leads.await(20, TimeUnit.SECONDS), "does not lead");
      running.cancel(true);
    });
  }

  private static void custom() {
    var context = new ResourceDefinitionContext.Builder().withGroup(Steps.GROUP).withVersion("v1").withKind("Widget")
        .withPlural("widgets").withNamespaced(true).build();
    var widgets = client.genericKubernetesResources(context).inNamespace(Steps.NAMESPACE);
    Steps.step("definition", () -> {
      var yaml = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets." + Steps.GROUP
          + "}\nspec:\n  group: " + Steps.GROUP + "\n  scope: Namespaced\n  names: {plural: widgets, kind: Widget}\n  versions:\n"
          + "  - name: v1\n    served: true\n    storage: true\n    subresources: {status: {}}\n    schema:\n      openAPIV3Schema:\n"
          + "        type: object\n        properties:\n          spec:\n            type: object\n            properties:\n"
          + "              size: {type: integer, maximum: 10}\n              colour: {type: string, default: blue}\n"
          + "          status: {type: object, x-kubernetes-preserve-unknown-fields: true}\n";
      client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).create();
      client.apiextensions().v1().customResourceDefinitions().withName("widgets." + Steps.GROUP)
          .waitUntilCondition(one -> one != null && one.getStatus() != null && one.getStatus().getConditions().stream()
              .anyMatch(condition -> "Established".equals(condition.getType()) && "True".equals(condition.getStatus())), 20, TimeUnit.SECONDS);
    });
    Steps.step("custom object", () -> {
      var widget = new GenericKubernetesResource();
      widget.setApiVersion(Steps.GROUP + "/v1");
      widget.setKind("Widget");
      widget.setMetadata(new io.fabric8.kubernetes.api.model.ObjectMetaBuilder().withName("one").build());
      widget.setAdditionalProperty("spec", Map.of("size", 1));
      Steps.eventually("served", () -> {
        try {
          widgets.resource(widget).create();
          return true;
        } catch (KubernetesClientException error) {
          Steps.expect(error.getCode() == 404, error);
          return false;
        }
      });
      Steps.expect("blue".equals(widgets.withName("one").get().get("spec", "colour")), "default");
      widget.getMetadata().setName("two");
      widget.setAdditionalProperty("spec", Map.of("size", 11));
      refused(() -> widgets.resource(widget).create(), 422, "less than or equal to 10");
    });
    Steps.step("custom object informer", () -> {
      try (var informer = widgets.inform()) {
        Steps.eventually("synced", () -> informer.getStore().list().size() == 1);
      }
    });
  }

  private static void access() {
    Steps.step("events", () -> {
      client.v1().events().inNamespace(Steps.NAMESPACE).resource(new EventBuilder().withNewMetadata().withName("step").endMetadata()
          .withNewInvolvedObject().withKind("Pod").withName("idle").withNamespace(Steps.NAMESPACE).endInvolvedObject()
          .withReason("Tried").build()).create();
      Steps.expect(client.v1().events().inNamespace(Steps.NAMESPACE).withField("reason", "Tried").list().getItems().size() == 1, "events");
    });
    Steps.step("reviews", () -> {
      var own = client.authorization().v1().selfSubjectAccessReview().create(new SelfSubjectAccessReviewBuilder().withNewSpec()
          .withNewResourceAttributes().withVerb("get").withResource("pods").withNamespace(Steps.NAMESPACE).endResourceAttributes()
          .endSpec().build());
      Steps.expect(own.getStatus().getAllowed(), own);
      var token = client.authentication().v1().tokenReviews().create(new TokenReviewBuilder().withNewSpec().withToken("nonsense")
          .endSpec().build());
      Steps.expect(!Boolean.TRUE.equals(token.getStatus().getAuthenticated()), token);
    });
  }
}
