import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Reconciles widgets by a workflow of dependents, says so in their status, and cleans up behind a finalizer. */
@ControllerConfiguration(name = "widgets")
@Workflow(dependents = {
    @Dependent(type = Dependents.Settings.class, name = "settings"),
    @Dependent(type = Dependents.Key.class, name = "key"),
    @Dependent(type = Dependents.Web.class, name = "web", dependsOn = {"settings", "key"}),
    @Dependent(type = Dependents.Store.class, name = "store"),
    @Dependent(type = Dependents.Front.class, name = "front"),
    @Dependent(type = Dependents.Gate.class, name = "gate", dependsOn = "front",
        reconcilePrecondition = Dependents.IsExposed.class),
})
class WidgetReconciler implements Reconciler<Widget>, Cleaner<Widget> {
  final AtomicInteger runs = new AtomicInteger();
  final Set<String> cleaned = ConcurrentHashMap.newKeySet();

  @Override
  public UpdateControl<Widget> reconcile(Widget widget, Context<Widget> context) {
    runs.incrementAndGet();
    if (widget.getSpec().broken) {
      throw new IllegalStateException("the widget is broken");
    }
    var web = context.getSecondaryResource(Deployment.class);
    return UpdateControl.patchStatus(seen(widget, "Ready", web.map(Deployment::getStatus).map(one -> one.getReadyReplicas()).orElse(0)));
  }

  @Override
  public ErrorStatusUpdateControl<Widget> updateErrorStatus(Widget widget, Context<Widget> context, Exception error) {
    if (!widget.getSpec().broken) {
      return ErrorStatusUpdateControl.defaultErrorProcessing();
    }
    return ErrorStatusUpdateControl.patchStatus(seen(widget, "Failed", 0)).withNoRetry();
  }

  @Override
  public DeleteControl cleanup(Widget widget, Context<Widget> context) {
    cleaned.add(widget.getMetadata().getName());
    return DeleteControl.defaultDelete();
  }

  /** The SDK applies the status: what is sent has the fields of this operator and no others. */
  private static Widget seen(Widget widget, String phase, Integer ready) {
    var applied = new Widget();
    applied.setMetadata(new ObjectMetaBuilder().withName(widget.getMetadata().getName())
        .withNamespace(widget.getMetadata().getNamespace()).build());
    var status = new Widget.Status();
    status.phase = phase;
    status.ready = ready;
    status.observedGeneration = widget.getMetadata().getGeneration();
    applied.setStatus(status);
    return applied;
  }
}
