import { controller } from '../../../controller/builder/controller-builder.ts';
import type { ControllerContext } from '../../../controller/builder/run/controller-context.ts';
import type { Pod, Service } from '../../../types/built-in/core-v1-kinds.ts';
import type { ClusterPart } from '../../resources/cluster-parts.ts';
import { runningController } from '../../resources/running-controller.ts';
import { workloadOptions } from '../../resources/workload-options.ts';
import type { WorkloadParts } from '../../resources/workload-parts.ts';
import { GATHER_MS } from '../endpoints-controller.ts';
import { hasSelectedPods, SelectedPods } from '../selected-pods.ts';
import { ServicePace } from '../service-pace.ts';
import { SliceCache } from './slice-cache.ts';
import { SLICES_CONTROLLER } from './slice-object.ts';
import { plannedSlices } from './slice-plan.ts';
import { writeSlices } from './slice-writes.ts';
import { TriggerTimes } from '../trigger-times.ts';

/** Pods that a message names. */
const NAMED_PODS = 5;

/**
 * The controller that keeps the EndpointSlices of each service that selects pods.
 *
 * Guarantees:
 * - Slices have at most 100 endpoints. A change of a pod writes the slice that has it, and no other.
 * - A service of n pods is computed at once after a change, and then not more often than every 100 ms and every n/5 ms.
 * - A pod whose node is not there is left out, and comes in with its node.
 *
 * Writes are in the cache when their calls return, so no run computes from slices that an earlier one has changed.
 * @see kubernetes pkg/controller/endpointslice/endpointslice_controller.go @ v1.37.2
 */
export function endpointSlices(parts: WorkloadParts): ClusterPart {
  const { client, informers, runtime } = parts;
  const selected = new SelectedPods(informers);
  const slices = new SliceCache(informers, SLICES_CONTROLLER);
  const nodes = informers.for('v1', 'nodes');
  const triggers = new TriggerTimes();
  const pace = new ServicePace(runtime, GATHER_MS);
  /** Services that lack pods of unknown nodes, with the messages about them. */
  const incomplete = new Map<string, string>();
  const options = workloadOptions(parts, 'endpoint-slice-controller');
  const made = controller(client, 'v1', 'services', {
    ...options,
    name: 'endpoint_slice',
    queue: { minIntervalMs: GATHER_MS },
  })
    .watches('v1', 'pods', ({ metadata }) => selected.servicesOf(metadata), {
      where: selected.matters,
    })
    .watches('discovery.k8s.io/v1', 'endpointslices', slices.serviceOf)
    .watches('v1', 'nodes', () => [...incomplete.keys()], {
      where: ({ type }) => type === 'added',
    })
    .whenGone(({ key }) => {
      triggers.forget(key);
      pace.forget(key);
      incomplete.delete(key);
      return Promise.resolve();
    })
    .reconcile(async (service, context) => {
      const { key } = context;
      if (!hasSelectedPods(service)) {
        pace.forget(key);
        return {};
      }
      const waitMs = pace.waitMs(key);
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      const pods = selected.of(service);
      const plan = plannedSlices({
        service,
        pods,
        nodeOf: ({ spec }: Pod) => nodes.indexer.get(spec?.nodeName ?? ''),
        present: slices.of(key),
        lastChange: triggers.look(key, service.metadata, pods),
      });
      pace.computed(key, pods.length);
      const problem = missingNodes(service, plan.homeless);
      if (problem === undefined) incomplete.delete(key);
      else if (incomplete.get(key) !== problem) {
        incomplete.set(key, problem);
        report(service, problem, context);
      }
      const { namespace, name } = service.metadata;
      await writeSlices(plan, `Service ${namespace}/${name}`, context, (failure) => {
        report(service, failure, context);
      });
      return {};
    });
  return pace.part(runningController(made, options));
}

function report(
  { metadata }: Service,
  problem: string,
  { event }: Pick<ControllerContext, 'event'>,
): void {
  event({
    type: 'Warning',
    reason: 'FailedToUpdateEndpointSlices',
    note: `Error updating Endpoint Slices for Service ${metadata?.namespace}/${metadata?.name}: ${problem}`,
  });
}

function missingNodes({ metadata }: Service, pods: readonly Pod[]): string | undefined {
  if (pods.length === 0) return undefined;
  const texts = pods
    .slice(0, NAMED_PODS)
    .map(
      (pod) =>
        `skipping Pod ${pod.metadata?.name} for Service ${metadata?.namespace}/${metadata?.name}: Node ${pod.spec?.nodeName ?? ''} Not Found`,
    );
  return texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
}
