import { controller } from '../../../controller/builder/controller-builder.ts';
import type { ControllerContext } from '../../../controller/builder/run/controller-context.ts';
import type { ClusterPart } from '../../resources/cluster-parts.ts';
import { runningController } from '../../resources/running-controller.ts';
import { workloadOptions } from '../../resources/workload-options.ts';
import type { WorkloadParts } from '../../resources/workload-parts.ts';
import { GATHER_MS } from '../endpoints-controller.ts';
import {
  mayBeMirrored,
  MIRRORING_CONTROLLER,
  MOST_MIRRORED,
  plannedMirror,
  type MirrorPlan,
} from './mirror-plan.ts';
import { hasSelector, keyOf } from '../selected-pods.ts';
import { SliceCache } from './slice-cache.ts';
import { writeSlices } from './slice-writes.ts';

/**
 * The controller that makes EndpointSlices of Endpoints that are written by hand, for services without a selector.
 * @see kubernetes pkg/controller/endpointslicemirroring/endpointslicemirroring_controller.go @ v1.37.2
 */
export function mirroredEndpointSlices(parts: WorkloadParts): ClusterPart {
  const { client, informers } = parts;
  const slices = new SliceCache(informers, MIRRORING_CONTROLLER);
  const services = informers.for('v1', 'services');
  const options = workloadOptions(parts, 'endpoint-slice-mirroring-controller');
  const made = controller(client, 'v1', 'endpoints', {
    ...options,
    name: 'endpoint_slice_mirroring',
    queue: { minIntervalMs: GATHER_MS },
  })
    // Those of a service with a selector are of the other controller. When that ends, the service is reported.
    .where(({ key }) => {
      const service = services.indexer.get(key);
      return service === undefined || !hasSelector(service);
    })
    .watches('v1', 'services', ({ metadata }) => keyOf(metadata), {
      where: ({ object, old = object, type }) => {
        const isSelecting = hasSelector(object);
        return type === 'updated' ? isSelecting !== hasSelector(old) : !isSelecting;
      },
    })
    .watches('discovery.k8s.io/v1', 'endpointslices', slices.serviceOf)
    .whenGone(async ({ key }, context) => {
      await remove(key, slices, context);
    })
    .reconcile(async (endpoints, context) => {
      const { key, lister } = context;
      const { name, namespace = '' } = endpoints.metadata;
      const service = lister('v1', 'services').namespace(namespace).get(name);
      if (!mayBeMirrored(endpoints) || service === undefined || hasSelector(service)) {
        await remove(key, slices, context);
        return;
      }
      const plan = plannedMirror(endpoints, slices.of(key));
      report(plan, context);
      await writeSlices(plan, `Endpoints ${key}`, context);
    });
  return runningController(made, options);
}

async function remove(
  key: string,
  slices: SliceCache,
  context: Pick<ControllerContext, 'resource'>,
): Promise<void> {
  const plan = { create: [], update: [], remove: slices.of(key) };
  await writeSlices(plan, `Endpoints ${key}`, context);
}

function report(
  { invalid, skipped }: MirrorPlan,
  { event }: Pick<ControllerContext, 'event'>,
): void {
  if (invalid > 0) {
    event({
      type: 'Warning',
      reason: 'InvalidIPAddress',
      note: `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`,
    });
  }
  if (skipped > invalid) {
    event({
      type: 'Warning',
      reason: 'TooManyAddressesToMirror',
      note: `A max of ${MOST_MIRRORED} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
    });
  }
}
