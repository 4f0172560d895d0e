import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

/** The custom resource of the operator. */
@Group(Widget.GROUP)
@Version("v1")
public class Widget extends CustomResource<Widget.Spec, Widget.Status> implements Namespaced {
  static final String GROUP = "josdk.example.com";

  public static class Spec {
    public int size;
    public String colour;
    public boolean exposed;
    public boolean broken;
  }

  public static class Status {
    public String phase;
    public Integer ready;
    public Long observedGeneration;
  }
}
