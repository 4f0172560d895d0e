import com.google.gson.reflect.TypeToken;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.ApisApi;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.AuthorizationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.CustomObjectsApi;
import io.kubernetes.client.openapi.apis.VersionApi;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1Eviction;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1ResourceAttributes;
import io.kubernetes.client.openapi.models.V1SelfSubjectAccessReview;
import io.kubernetes.client.openapi.models.V1SelfSubjectAccessReviewSpec;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.Dynamics;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Steps with the official Java client. */
public class Main {
  private static final String NAMESPACE = Steps.NAMESPACE;
  private static ApiClient client;
  private static CoreV1Api core;
  private static AppsV1Api apps;

  private static V1ConfigMap made(String name, Map<String, String> labels) {
    return new V1ConfigMap().apiVersion("v1").kind("ConfigMap").metadata(new V1ObjectMeta().name(name).namespace(NAMESPACE).labels(labels))
        .data(Map.of("key", "value"));
  }

  private static V1PodSpec pods() {
    return new V1PodSpec().automountServiceAccountToken(false)
        .containers(List.of(new V1Container().name("main").image("example.com/main:1")));
  }

  private static V1ConfigMap create(String name, Map<String, String> labels) throws ApiException {
    return core.createNamespacedConfigMap(NAMESPACE, made(name, labels)).execute();
  }

  private static void refused(Steps.Check check, int code, String part) throws Exception {
    try {
      check.run();
    } catch (ApiException error) {
      Steps.expect(error.getCode() == code && error.getResponseBody().contains(part), error.getCode() + " " + error.getResponseBody());
      return;
    }
    Steps.expect(false, "accepted, but " + code + " was expected");
  }

  public static void main(String[] arguments) throws Exception {
    client = Config.defaultClient();
    client.setReadTimeout(0);
    core = new CoreV1Api(client);
    apps = new AppsV1Api(client);
    writes();
    patches();
    streams();
    others();
    Steps.end();
  }

  private static void writes() {
    Steps.step("namespace create", () -> {
      var space = new V1Namespace().metadata(new V1ObjectMeta().name(NAMESPACE));
      Steps.expect("Active".equals(core.createNamespace(space).execute().getStatus().getPhase()), "phase");
    });
    Steps.step("version and groups", () -> {
      Steps.expect("1".equals(new VersionApi(client).getCode().execute().getMajor()), "major");
      Steps.expect(new ApisApi(client).getAPIVersions().execute().getGroups().size() > 15, "groups");
    });
    Steps.step("create, replace, delete", () -> {
      var one = create("one", Map.of());
      core.replaceNamespacedConfigMap("one", NAMESPACE, one.putDataItem("more", "x")).execute();
      refused(() -> core.replaceNamespacedConfigMap("one", NAMESPACE, one.putDataItem("late", "x")).execute(), 409, "modified");
      core.deleteNamespacedConfigMap("one", NAMESPACE).execute();
      refused(() -> core.readNamespacedConfigMap("one", NAMESPACE).execute(), 404, "not found");
    });
    Steps.step("already exists", () -> {
      create("twice", Map.of());
      refused(() -> create("twice", Map.of()), 409, "AlreadyExists");
    });
    Steps.step("list with limit and continue", () -> {
      for (int i = 0; i < 7; i++) {
        create("m-" + i, Map.of("set", "m"));
      }
      var first = core.listNamespacedConfigMap(NAMESPACE).labelSelector("set=m").limit(4).execute();
      var rest = core.listNamespacedConfigMap(NAMESPACE).labelSelector("set=m").limit(4)._continue(first.getMetadata().getContinue()).execute();
      Steps.expect(first.getItems().size() == 4 && rest.getItems().size() == 3, rest.getItems().size());
    });
    Steps.step("dry run", () -> {
      core.createNamespacedConfigMap(NAMESPACE, made("dry", Map.of())).dryRun("All").execute();
      refused(() -> core.readNamespacedConfigMap("dry", NAMESPACE).execute(), 404, "not found");
    });
    Steps.step("delete collection by selector", () -> {
      core.deleteCollectionNamespacedConfigMap(NAMESPACE).labelSelector("set=m").execute();
      Steps.expect(core.listNamespacedConfigMap(NAMESPACE).labelSelector("set=m").execute().getItems().isEmpty(), "left");
    });
    Steps.step("deployment with status and scale", () -> {
      var labels = Map.of("app", "web");
      var template = new V1PodTemplateSpec().metadata(new V1ObjectMeta().labels(labels)).spec(pods());
      var spec = new V1DeploymentSpec().replicas(2).selector(new V1LabelSelector().matchLabels(labels)).template(template);
      var web = new V1Deployment().metadata(new V1ObjectMeta().name("web")).spec(spec);
      Steps.expect(apps.createNamespacedDeployment(NAMESPACE, web).execute().getSpec().getRevisionHistoryLimit() == 10, "defaults");
      var scale = apps.readNamespacedDeploymentScale("web", NAMESPACE).execute();
      scale.getSpec().setReplicas(5);
      Steps.expect(apps.replaceNamespacedDeploymentScale("web", NAMESPACE, scale).execute().getSpec().getReplicas() == 5, "scale");
      var read = apps.readNamespacedDeployment("web", NAMESPACE).execute();
      read.getStatus().setReplicas(5);
      Steps.expect(apps.replaceNamespacedDeploymentStatus("web", NAMESPACE, read).execute().getStatus().getReplicas() == 5, "status");
    });
    Steps.step("evict", () -> {
      core.createNamespacedPod(NAMESPACE, new V1Pod().metadata(new V1ObjectMeta().name("evicted")).spec(pods())).execute();
      var eviction = new V1Eviction().metadata(new V1ObjectMeta().name("evicted").namespace(NAMESPACE));
      // The package cannot read the answer, a Status.
      core.createNamespacedPodEviction("evicted", NAMESPACE, eviction).buildCall(null).execute().close();
      refused(() -> core.readNamespacedPod("evicted", NAMESPACE).execute(), 404, "not found");
    });
  }

  private static void patches() {
    Steps.step("patch kinds", () -> {
      for (var kind : Map.of(
          V1Patch.PATCH_FORMAT_JSON_PATCH, "[{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":3}]",
          V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH, "{\"spec\":{\"replicas\":3}}",
          V1Patch.PATCH_FORMAT_STRATEGIC_MERGE_PATCH, "{\"spec\":{\"replicas\":3}}").entrySet()) {
        var patched = PatchUtils.patch(V1Deployment.class,
            () -> apps.patchNamespacedDeployment("web", NAMESPACE, new V1Patch(kind.getValue())).buildCall(null), kind.getKey(), client);
        Steps.expect(patched.getSpec().getReplicas() == 3, kind.getKey());
      }
    });
    Steps.step("server-side apply and its conflict", () -> {
      apply("first", "1", false);
      refused(() -> apply("second", "2", false), 409, "first");
      Steps.expect("2".equals(apply("second", "2", true).getData().get("key")), "not forced");
    });
  }

  private static V1ConfigMap apply(String manager, String value, boolean force) throws ApiException {
    var body = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"applied\"},\"data\":{\"key\":\"" + value + "\"}}";
    return PatchUtils.patch(V1ConfigMap.class, () -> core.patchNamespacedConfigMap("applied", NAMESPACE, new V1Patch(body))
        .fieldManager(manager).force(force).buildCall(null), V1Patch.PATCH_FORMAT_APPLY_YAML, client);
  }

  private static void streams() {
    Steps.step("watch from a version", () -> {
      var version = core.listNamespacedConfigMap(NAMESPACE).execute().getMetadata().getResourceVersion();
      create("watched", Map.of());
      core.deleteNamespacedConfigMap("watched", NAMESPACE).execute();
      var seen = new ArrayList<String>();
      var call = core.listNamespacedConfigMap(NAMESPACE).resourceVersion(version).timeoutSeconds(10).watch(true).buildCall(null);
      try (Watch<V1ConfigMap> watch = Watch.createWatch(client, call, new TypeToken<Watch.Response<V1ConfigMap>>() {}.getType())) {
        for (var event : watch) {
          seen.add(event.type + " " + event.object.getMetadata().getName());
          if (seen.size() == 2) {
            break;
          }
        }
      }
      Steps.expect(seen.equals(List.of("ADDED watched", "DELETED watched")), seen);
    });
    Steps.step("informer", () -> {
      var factory = new SharedInformerFactory(client);
      var informer = factory.sharedIndexInformerFor((CallGeneratorParams params) -> core.listNamespacedConfigMap(NAMESPACE)
          .resourceVersion(params.resourceVersion).timeoutSeconds(params.timeoutSeconds).watch(params.watch).buildCall(null),
          V1ConfigMap.class, V1ConfigMapList.class);
      var seen = Collections.synchronizedList(new ArrayList<String>());
      informer.addEventHandler(new ResourceEventHandler<V1ConfigMap>() {
        @Override
        public void onAdd(V1ConfigMap map) {
          seen.add("add " + map.getMetadata().getName());
        }

        @Override
        public void onUpdate(V1ConfigMap before, V1ConfigMap map) {
          seen.add("update " + map.getMetadata().getName());
        }

        @Override
        public void onDelete(V1ConfigMap map, boolean unknown) {
          seen.add("delete " + map.getMetadata().getName());
        }
      });
      factory.startAllRegisteredInformers();
      Steps.eventually("synced", informer::hasSynced);
      var made = create("informed", Map.of());
      core.replaceNamespacedConfigMap("informed", NAMESPACE, made.putDataItem("more", "x")).execute();
      core.deleteNamespacedConfigMap("informed", NAMESPACE).execute();
      Steps.eventually("three events", () -> seen.containsAll(List.of("add informed", "update informed", "delete informed")));
      factory.stopAllRegisteredInformers();
    });
    Steps.step("generic and dynamic API", () -> {
      var maps = new GenericKubernetesApi<>(V1ConfigMap.class, V1ConfigMapList.class, "", "v1", "configmaps", client);
      Steps.expect(maps.create(made("generic", Map.of())).isSuccess(), "create");
      Steps.expect(maps.list(NAMESPACE).getObject().getItems().size() > 2, "list");
      Steps.expect(maps.delete(NAMESPACE, "generic").isSuccess(), "delete");
      var all = new DynamicKubernetesApi("apps", "v1", "deployments", client);
      Steps.expect(all.get(NAMESPACE, "web").isSuccess(), "dynamic");
    });
  }

  private static void others() {
    Steps.step("definition and custom objects", () -> {
      var yaml = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets." + Steps.GROUP
          + "}\nspec:\n  group: " + Steps.GROUP + "\n  scope: Namespaced\n  names: {plural: widgets, kind: Widget}\n  versions:\n"
          + "  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n"
          + "        properties: {spec: {type: object, properties: {size: {type: integer, maximum: 10}}}}\n";
      var definitions = new DynamicKubernetesApi("apiextensions.k8s.io", "v1", "customresourcedefinitions", client);
      var created = definitions.create(Dynamics.newFromYaml(yaml));
      Steps.expect(created.isSuccess(), created.getStatus());
      var custom = new CustomObjectsApi(client);
      var one = Map.of("apiVersion", Steps.GROUP + "/v1", "kind", "Widget", "metadata", Map.of("name", "one"), "spec", Map.of("size", 1));
      Steps.eventually("served", () -> {
        try {
          custom.createNamespacedCustomObject(Steps.GROUP, "v1", NAMESPACE, "widgets", one).execute();
          return true;
        } catch (ApiException error) {
          Steps.expect(error.getCode() == 404, error);
          return false;
        }
      });
      var wrong = Map.of("apiVersion", Steps.GROUP + "/v1", "kind", "Widget", "metadata", Map.of("name", "two"), "spec", Map.of("size", 11));
      refused(() -> custom.createNamespacedCustomObject(Steps.GROUP, "v1", NAMESPACE, "widgets", wrong).execute(), 422, "less than or equal to 10");
    });
    Steps.step("self subject access review", () -> {
      var attributes = new V1ResourceAttributes().verb("get").resource("pods").namespace(NAMESPACE);
      var review = new V1SelfSubjectAccessReview().spec(new V1SelfSubjectAccessReviewSpec().resourceAttributes(attributes));
      Steps.expect(new AuthorizationV1Api(client).createSelfSubjectAccessReview(review).execute().getStatus().getAllowed(), "not allowed");
    });
  }
}
