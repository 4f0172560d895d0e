import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientTimeoutException;
import io.fabric8.kubernetes.client.dsl.RollableScalableResource;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Steps that wait for pods that run, with fabric8's kubernetes-client. */
public class Waits {
  private static KubernetesClient client;

  private static Pod pod(String name, String... command) {
    return new PodBuilder().withNewMetadata().withName(name).endMetadata().withNewSpec().withRestartPolicy("Never")
        .addNewContainer().withName("main").withImage("example.com/main:1").withCommand(command).endContainer()
        .endSpec().build();
  }

  private static Deployment deployment(String name, int replicas, String image) {
    var labels = Map.of("app", name);
    return new DeploymentBuilder().withNewMetadata().withName(name).endMetadata().withNewSpec().withReplicas(replicas)
        .withNewSelector().withMatchLabels(labels).endSelector().withNewTemplate().withNewMetadata().withLabels(labels)
        .endMetadata().withNewSpec().addNewContainer().withName("main").withImage(image).endContainer().endSpec()
        .endTemplate().endSpec().build();
  }

  private static RollableScalableResource<Deployment> web() {
    return client.apps().deployments().withName("web");
  }

  private static String imageOf(Deployment found) {
    return found.getSpec().getTemplate().getSpec().getContainers().get(0).getImage();
  }

  public static void main(String[] arguments) {
    client = new KubernetesClientBuilder().build();
    client.getConfiguration().setNamespace(Steps.NAMESPACE);
    Steps.step("namespace create", () -> client.namespaces()
        .resource(new NamespaceBuilder().withNewMetadata().withName(Steps.NAMESPACE).endMetadata().build()).create());
    Steps.step("waitUntilReady of a pod", () -> {
      client.pods().resource(pod("one")).create();
      var ready = client.pods().withName("one").waitUntilReady(30, TimeUnit.SECONDS);
      Steps.expect(Readiness.getInstance().isReady(ready) && ready.getStatus().getPodIP() != null, ready.getStatus());
    });
    Steps.step("waitUntilCondition of a pod", () -> {
      client.pods().resource(pod("ends", "sleep", "1")).create();
      client.pods().withName("ends").waitUntilCondition(
          found -> found != null && "Succeeded".equals(found.getStatus().getPhase()), 30, TimeUnit.SECONDS);
    });
    Steps.step("waitUntilReady of a Deployment", () -> {
      client.apps().deployments().resource(deployment("web", 3, "example.com/main:1")).create();
      var ready = web().waitUntilReady(30, TimeUnit.SECONDS);
      Steps.expect(ready.getStatus().getAvailableReplicas() == 3, ready.getStatus());
    });
    Steps.step("waitUntilReady of a list", () -> {
      var objects = List.of(pod("first"), pod("second"));
      client.resourceList(objects.toArray(new Pod[0])).inNamespace(Steps.NAMESPACE).create();
      var ready = client.resourceList(objects.toArray(new Pod[0])).inNamespace(Steps.NAMESPACE)
          .waitUntilReady(30, TimeUnit.SECONDS);
      Steps.expect(ready.size() == 2, ready.size());
    });
    Steps.step("waitUntilReady of a ReplicaSet", () -> {
      var labels = Map.of("app", "set");
      client.apps().replicaSets().resource(new ReplicaSetBuilder().withNewMetadata().withName("set").endMetadata()
          .withNewSpec().withReplicas(2).withNewSelector().withMatchLabels(labels).endSelector().withNewTemplate()
          .withNewMetadata().withLabels(labels).endMetadata().withNewSpec().addNewContainer().withName("main")
          .withImage("example.com/main:1").endContainer().endSpec().endTemplate().endSpec().build()).create();
      client.apps().replicaSets().withName("set").waitUntilReady(30, TimeUnit.SECONDS);
    });
    Steps.step("waitUntilReady runs out of time", () -> {
      client.apps().deployments().resource(deployment("broken", 1, "registry.invalid/main:1")).create();
      try {
        client.apps().deployments().withName("broken").waitUntilReady(2, TimeUnit.SECONDS);
        Steps.expect(false, "ready");
      } catch (KubernetesClientTimeoutException expected) {
        client.apps().deployments().withName("broken").delete();
      }
    });
    Steps.step("scale and wait", () -> {
      web().scale(5);
      web().waitUntilCondition(found -> Integer.valueOf(5).equals(found.getStatus().getAvailableReplicas()), 30,
          TimeUnit.SECONDS);
      web().withTimeout(30, TimeUnit.SECONDS).scale(2);
      Steps.eventually("two", () -> Integer.valueOf(2).equals(web().get().getStatus().getReplicas()));
    });
    Steps.step("rolling updateImage", () -> {
      var updated = web().rolling().withTimeout(30, TimeUnit.SECONDS).updateImage("example.com/main:2");
      Steps.expect(imageOf(updated).equals("example.com/main:2"), updated);
      web().waitUntilCondition(found -> Integer.valueOf(2).equals(found.getStatus().getUpdatedReplicas())
          && Integer.valueOf(2).equals(found.getStatus().getReplicas()), 30, TimeUnit.SECONDS);
    });
    Steps.step("rolling undo", () -> {
      web().rolling().undo();
      web().waitUntilCondition(found -> imageOf(found).equals("example.com/main:1")
          && Integer.valueOf(2).equals(found.getStatus().getUpdatedReplicas()), 30, TimeUnit.SECONDS);
    });
    Steps.step("rolling pause, resume, restart", () -> {
      web().rolling().pause();
      Steps.expect(web().get().getSpec().getPaused(), web().get().getSpec());
      web().rolling().resume();
      var before = web().get().getMetadata().getGeneration();
      web().rolling().restart();
      web().waitUntilCondition(found -> found.getMetadata().getGeneration() > before
          && found.getStatus().getObservedGeneration().equals(found.getMetadata().getGeneration())
          && Integer.valueOf(2).equals(found.getStatus().getUpdatedReplicas())
          && Integer.valueOf(2).equals(found.getStatus().getAvailableReplicas()), 30, TimeUnit.SECONDS);
    });
    Steps.step("endpoints of a service are ready", () -> {
      client.services().resource(new ServiceBuilder().withNewMetadata().withName("web").endMetadata().withNewSpec()
          .withSelector(Map.of("app", "web")).addNewPort().withPort(80).withTargetPort(new IntOrString(8080)).endPort()
          .endSpec().build()).create();
      client.endpoints().withName("web").waitUntilReady(30, TimeUnit.SECONDS);
    });
    Steps.step("exec", () -> {
      var out = new ByteArrayOutputStream();
      try (var running = client.pods().withName("one").writingOutput(out).exec("sh", "-c", "echo hello; exit 3")) {
        int code = running.exitCode().get(30, TimeUnit.SECONDS);
        Steps.expect(code == 3 && out.toString(StandardCharsets.UTF_8).equals("hello\n"), code + " " + out);
      }
    });
    Steps.step("watchLog", () -> {
      client.pods().resource(pod("talks", "sh", "-c", "echo one; echo two; sleep 2")).create();
      client.pods().withName("talks").waitUntilReady(30, TimeUnit.SECONDS);
      var out = new ByteArrayOutputStream();
      try (var watch = client.pods().withName("talks").watchLog(out)) {
        Steps.eventually("two lines", () -> out.toString(StandardCharsets.UTF_8).equals("one\ntwo\n"));
      }
    });
    Steps.step("delete and wait", () -> {
      client.pods().withName("one").withTimeout(30, TimeUnit.SECONDS).delete();
      Steps.expect(client.pods().withName("one").get() == null, "still there");
      web().withTimeout(30, TimeUnit.SECONDS).delete();
      client.pods().withLabel("app", "web").waitUntilCondition(found -> found == null, 60, TimeUnit.SECONDS);
    });
    Steps.end();
  }
}
