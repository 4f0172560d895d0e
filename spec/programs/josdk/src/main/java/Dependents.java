import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.IngressBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.dependent.DependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.workflow.Condition;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** What a widget brings with it. The SDK applies each, and compares it with its managed fields before it applies it again. */
final class Dependents {
  static ObjectMeta meta(Widget owner) {
    return new ObjectMetaBuilder().withName(owner.getMetadata().getName()).withNamespace(owner.getMetadata().getNamespace())
        .addToLabels("widget", owner.getMetadata().getName()).build();
  }

  public static class Settings extends CRUDKubernetesDependentResource<ConfigMap, Widget> {
    @Override
    protected ConfigMap desired(Widget owner, Context<Widget> context) {
      return new ConfigMapBuilder().withMetadata(meta(owner)).addToData("colour", owner.getSpec().colour).build();
    }
  }

  public static class Key extends CRUDKubernetesDependentResource<Secret, Widget> {
    @Override
    protected Secret desired(Widget owner, Context<Widget> context) {
      // The field stringData is never read back, so that a Secret with it would differ each time.
      var encoded = Base64.getEncoder().encodeToString(owner.getSpec().colour.getBytes(StandardCharsets.UTF_8));
      return new SecretBuilder().withMetadata(meta(owner)).addToData("key", encoded).build();
    }
  }

  public static class Web extends CRUDKubernetesDependentResource<Deployment, Widget> {
    @Override
    protected Deployment desired(Widget owner, Context<Widget> context) {
      return new DeploymentBuilder().withMetadata(meta(owner)).withNewSpec().withReplicas(owner.getSpec().size).withNewSelector()
          .withMatchLabels(meta(owner).getLabels()).endSelector().withNewTemplate().withNewMetadata()
          .withLabels(meta(owner).getLabels()).endMetadata().withNewSpec().addNewContainer().withName("main")
          .withImage("example.com/main:1").addNewPort().withContainerPort(80).endPort().addNewEnv().withName("COLOUR")
          .withValue(owner.getSpec().colour).endEnv().withNewResources().addToRequests("cpu", new Quantity("0.5"))
          .addToLimits("memory", new Quantity("1024Mi")).endResources().endContainer().endSpec().endTemplate().endSpec().build();
    }
  }

  public static class Store extends CRUDKubernetesDependentResource<StatefulSet, Widget> {
    @Override
    protected StatefulSet desired(Widget owner, Context<Widget> context) {
      return new StatefulSetBuilder().withMetadata(meta(owner)).withNewSpec().withReplicas(1).withServiceName("store")
          .withNewSelector().withMatchLabels(meta(owner).getLabels()).endSelector().withNewTemplate().withNewMetadata()
          .withLabels(meta(owner).getLabels()).endMetadata().withNewSpec().addNewContainer().withName("main")
          .withImage("example.com/store:1").addNewVolumeMount().withName("data").withMountPath("/data").endVolumeMount()
          .endContainer().endSpec().endTemplate().addNewVolumeClaimTemplate().withNewMetadata().withName("data").endMetadata()
          .withNewSpec().withAccessModes("ReadWriteOnce").withNewResources().addToRequests("storage", new Quantity("1Gi"))
          .endResources().endSpec().endVolumeClaimTemplate().endSpec().build();
    }
  }

  public static class Front extends CRUDKubernetesDependentResource<Service, Widget> {
    @Override
    protected Service desired(Widget owner, Context<Widget> context) {
      return new ServiceBuilder().withMetadata(meta(owner)).withNewSpec().withSelector(meta(owner).getLabels()).addNewPort()
          .withName("http").withPort(80).withNewTargetPort(80).endPort().endSpec().build();
    }
  }

  public static class Gate extends CRUDKubernetesDependentResource<Ingress, Widget> {
    @Override
    protected Ingress desired(Widget owner, Context<Widget> context) {
      return new IngressBuilder().withMetadata(meta(owner)).withNewSpec().addNewRule().withHost("widget.example.com").withNewHttp()
          .addNewPath().withPath("/").withPathType("Prefix").withNewBackend().withNewService()
          .withName(owner.getMetadata().getName()).withNewPort().withNumber(80).endPort().endService().endBackend().endPath()
          .endHttp().endRule().endSpec().build();
    }
  }

  public static class IsExposed implements Condition<Ingress, Widget> {
    @Override
    public boolean isMet(DependentResource<Ingress, Widget> gate, Widget owner, Context<Widget> context) {
      return owner.getSpec().exposed;
    }
  }

  private Dependents() {}
}
