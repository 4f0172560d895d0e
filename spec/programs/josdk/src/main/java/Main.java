import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Steps with an operator of the Java Operator SDK. */
public class Main {
  private static final String NS = Steps.NAMESPACE;
  private static final String DEFINITION = "widgets." + Widget.GROUP;
  private static KubernetesClient client;
  private static MixedOperation<Widget, KubernetesResourceList<Widget>, Resource<Widget>> widgets;
  private static WidgetReconciler reconciler;
  private static Operator operator;

  public static void main(String[] arguments) {
    client = new KubernetesClientBuilder().build();
    widgets = client.resources(Widget.class);
    started();
    reconciled();
    mended();
    failed();
    deleted();
    elected();
    Steps.step("definition is deleted", () -> {
      definitions().withName(DEFINITION).delete();
      Steps.eventually("gone", () -> definitions().withName(DEFINITION).get() == null);
    });
    Steps.end();
  }

  private static NonNamespaceOperation<CustomResourceDefinition, ?, Resource<CustomResourceDefinition>> definitions() {
    return client.apiextensions().v1().customResourceDefinitions();
  }

  private static Resource<Widget> widget(String name) {
    return widgets.inNamespace(NS).withName(name);
  }

  private static Widget made(String name) {
    var one = new Widget();
    one.setMetadata(new ObjectMetaBuilder().withName(name).withNamespace(NS).build());
    one.setSpec(new Widget.Spec());
    one.getSpec().size = 2;
    one.getSpec().colour = "blue";
    return one;
  }

  /** The operator writes the status at any time, so that an edit may come too late. */
  private static void change(String name, Consumer<Widget> change) throws Exception {
    Steps.eventually("changed", () -> {
      try {
        widget(name).edit(one -> {
          change.accept(one);
          return one;
        });
        return true;
      } catch (KubernetesClientException error) {
        Steps.expect(error.getCode() == 409, error);
        return false;
      }
    });
  }

  /** The objects that a widget brings with it; the Ingress only when it is exposed. */
  private static List<HasMetadata> dependents(String name) {
    var all = new ArrayList<HasMetadata>();
    Stream.<HasMetadata>of(client.configMaps().inNamespace(NS).withName(name).get(), client.secrets().inNamespace(NS).withName(name).get(),
        client.apps().deployments().inNamespace(NS).withName(name).get(), client.apps().statefulSets().inNamespace(NS).withName(name).get(),
        client.services().inNamespace(NS).withName(name).get(), client.network().v1().ingresses().inNamespace(NS).withName(name).get())
        .filter(one -> one != null).forEach(all::add);
    return all;
  }

  private static List<String> versions(String name) {
    return dependents(name).stream().map(one -> one.getKind() + " " + one.getMetadata().getResourceVersion()).toList();
  }

  private static boolean isSeen(String name, String phase) {
    var one = widget(name).get();
    return one.getStatus() != null && phase.equals(one.getStatus().phase)
        && one.getMetadata().getGeneration().equals(one.getStatus().observedGeneration);
  }

  private static void started() {
    Steps.step("definition", () -> {
      client.namespaces().resource(new NamespaceBuilder().withNewMetadata().withName(NS).endMetadata().build()).create();
      var yaml = """
          apiVersion: apiextensions.k8s.io/v1
          kind: CustomResourceDefinition
          metadata: {name: %s}
          spec:
            group: %s
            scope: Namespaced
            names: {plural: widgets, singular: widget, kind: Widget}
            versions:
            - name: v1
              served: true
              storage: true
              subresources: {status: {}}
              schema:
                openAPIV3Schema:
                  type: object
                  properties:
                    spec:
                      type: object
                      required: [size]
                      properties:
                        size: {type: integer, maximum: 10}
                        colour: {type: string}
                        exposed: {type: boolean}
                        broken: {type: boolean}
                    status:
                      type: object
                      properties:
                        phase: {type: string}
                        ready: {type: integer}
                        observedGeneration: {type: integer, format: int64}
          """.formatted(DEFINITION, Widget.GROUP);
      client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).serverSideApply();
      Steps.eventually("established", () -> definitions().withName(DEFINITION).get().getStatus().getConditions().stream()
          .anyMatch(one -> "Established".equals(one.getType()) && "True".equals(one.getStatus())));
      Steps.eventually("served", () -> client.resources(Widget.class).inNamespace(NS).list().getItems().isEmpty());
    });
    Steps.step("operator starts", () -> {
      reconciler = new WidgetReconciler();
      operator = new Operator(options -> options.withKubernetesClient(client).withCloseClientOnStop(false).checkingCRDAndValidateLocalModel(true));
      operator.register(reconciler, options -> options.settingNamespace(NS));
      operator.start();
      Steps.expect(operator.getRuntimeInfo().allEventSourcesAreHealthy(), "event sources");
    });
  }

  private static void reconciled() {
    Steps.step("object of a wrong size is refused", () -> {
      var large = made("large");
      large.getSpec().size = 11;
      try {
        widgets.resource(large).create();
      } catch (KubernetesClientException error) {
        Steps.expect(error.getCode() == 422, error);
        return;
      }
      Steps.expect(false, "accepted");
    });
    Steps.step("dependents are created, with owner and finalizer", () -> {
      widgets.resource(made("one")).create();
      Steps.eventually("five dependents", () -> dependents("one").size() == 5);
      var one = widget("one").get();
      Steps.expect(one.getMetadata().getFinalizers().equals(List.of(DEFINITION + "/finalizer")), one.getMetadata().getFinalizers());
      for (var dependent : dependents("one")) {
        Steps.expect(dependent.hasOwnerReferenceFor(one), dependent);
      }
    });
    Steps.step("status is applied", () -> Steps.eventually("Ready", () -> isSeen("one", "Ready")));
    Steps.step("dependents that match are not written again", () -> {
      Steps.eventually("Ready", () -> isSeen("one", "Ready"));
      var before = versions("one");
      int runs = reconciler.runs.get();
      change("one", one -> {
        one.getSpec().size = 3;
      });
      Steps.eventually("another run", () -> reconciler.runs.get() > runs && isSeen("one", "Ready"));
      var after = versions("one");
      Steps.expect(before.stream().filter(version -> !after.contains(version)).allMatch(version -> version.startsWith("Deployment ")),
          before + " then " + after);
      Steps.expect(client.apps().deployments().inNamespace(NS).withName("one").get().getSpec().getReplicas() == 3, "replicas");
    });
    Steps.step("status of a dependent comes back by its event", () -> {
      client.apps().deployments().inNamespace(NS).withName("one").editStatus(web -> new DeploymentBuilder(web).editOrNewStatus()
          .withReplicas(3).withReadyReplicas(3).withObservedGeneration(web.getMetadata().getGeneration()).endStatus().build());
      Steps.eventually("ready replicas", () -> Integer.valueOf(3).equals(widget("one").get().getStatus().ready));
    });
    Steps.step("a change of the spec reaches the dependents", () -> {
      change("one", one -> {
        one.getSpec().colour = "red";
      });
      Steps.eventually("red", () -> "red".equals(client.configMaps().inNamespace(NS).withName("one").get().getData().get("colour"))
          && "cmVk".equals(client.secrets().inNamespace(NS).withName("one").get().getData().get("key")));
    });
  }

  private static void mended() {
    Steps.step("a dependent changed by others is mended", () -> {
      client.configMaps().inNamespace(NS).withName("one")
          .edit(map -> new ConfigMapBuilder(map).addToData("colour", "grey").build());
      Steps.eventually("red", () -> "red".equals(client.configMaps().inNamespace(NS).withName("one").get().getData().get("colour")));
    });
    Steps.step("fields of others stay", () -> {
      client.services().inNamespace(NS).withName("one").edit(front -> new ServiceBuilder(front).editMetadata()
          .addToAnnotations("other", "mine").endMetadata().build());
      change("one", one -> {
        one.getSpec().colour = "green";
      });
      Steps.eventually("green", () -> "green".equals(client.configMaps().inNamespace(NS).withName("one").get().getData().get("colour")));
      Steps.expect("mine".equals(client.services().inNamespace(NS).withName("one").get().getMetadata().getAnnotations().get("other")), "other");
    });
    Steps.step("a dependent that was deleted comes back", () -> {
      var before = client.services().inNamespace(NS).withName("one").get().getMetadata().getUid();
      client.services().inNamespace(NS).withName("one").delete();
      Steps.eventually("another", () -> {
        var now = client.services().inNamespace(NS).withName("one").get();
        return now != null && !now.getMetadata().getUid().equals(before);
      });
    });
    Steps.step("a dependent with a condition comes and goes", () -> {
      for (boolean exposed : new boolean[] {true, false}) {
        change("one", one -> {
          one.getSpec().exposed = exposed;
        });
        Steps.eventually("exposed " + exposed, () -> (client.network().v1().ingresses().inNamespace(NS).withName("one").get() != null) == exposed);
      }
    });
    Steps.step("fields are managed by the operator", () -> {
      var manager = client.services().inNamespace(NS).withName("one").get().getMetadata().getManagedFields().stream()
          .filter(entry -> "Apply".equals(entry.getOperation())).map(entry -> entry.getManager()).toList();
      Steps.expect(manager.equals(List.of("widgets")), manager);
    });
  }

  private static void failed() {
    Steps.step("an error is in the status", () -> {
      var broken = made("broken");
      broken.getSpec().broken = true;
      widgets.resource(broken).create();
      Steps.eventually("Failed", () -> isSeen("broken", "Failed"));
      change("broken", one -> {
        one.getSpec().broken = false;
      });
      Steps.eventually("Ready", () -> isSeen("broken", "Ready"));
    });
  }

  private static void deleted() {
    Steps.step("cleanup runs before the object goes", () -> {
      for (var name : List.of("one", "broken")) {
        widget(name).delete();
        Steps.eventually(name + " is gone", () -> widget(name).get() == null);
        Steps.expect(reconciler.cleaned.contains(name), name);
      }
    });
    Steps.step("operator stops", () -> operator.stop());
  }

  private static void elected() {
    Steps.step("operator that leads by a lease", () -> {
      var second = new WidgetReconciler();
      var leads = new Operator(options -> options.withKubernetesClient(client).withCloseClientOnStop(false)
          .withLeaderElectionConfiguration(LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration("widgets")
              .withLeaseNamespace(NS).withIdentity("second").withExitOnStopLeading(false).build()));
      leads.register(second, options -> options.settingNamespace(NS).withLabelSelector("by=leader"));
      leads.start();
      Steps.eventually("a holder", () -> {
        var lease = client.leases().inNamespace(NS).withName("widgets").get();
        return lease != null && "second".equals(lease.getSpec().getHolderIdentity());
      });
      var labelled = made("led");
      labelled.getMetadata().setLabels(Map.of("by", "leader"));
      widgets.resource(labelled).create();
      widgets.resource(made("other")).create();
      Steps.eventually("Ready", () -> isSeen("led", "Ready"));
      Steps.expect(widget("other").get().getStatus() == null, "an object without the label was reconciled");
      widget("led").delete();
      Steps.eventually("gone", () -> widget("led").get() == null);
      widget("other").delete();
      leads.stop();
    });
  }
}
