import { controller } from '../../controller/builder/controller-builder.ts';
import type { ControllerContext } from '../../controller/builder/run/controller-context.ts';
import { isNotFound } from '../../meta/failure/failures.ts';
import { splitMetaNamespaceKey } from '../../meta/key.ts';
import type { ClusterPart } from '../resources/cluster-parts.ts';
import { runningController } from '../resources/running-controller.ts';
import { workloadOptions } from '../resources/workload-options.ts';
import type { WorkloadParts } from '../resources/workload-parts.ts';
import type { Endpoints } from '../../types/built-in/core-v1-kinds.ts';
import { ENDPOINTS_CONTROLLER, MANAGED_BY, wantedEndpoints } from './endpoints-object.ts';
import { failureMessage, isNamespaceEnding } from '../ownership/failure-message.ts';
import { hasSelectedPods, keyOf, SelectedPods } from './selected-pods.ts';
import { ServicePace } from './service-pace.ts';
import { TriggerTimes } from './trigger-times.ts';

/** Pods become ready one after the other: their changes are gathered. */
export const GATHER_MS = 100;

/**
 * The controller that keeps the Endpoints of each service that selects pods.
 *
 * Guarantees:
 * - A service of n pods is computed at once after a change, and then not more often than every 100 ms and every n/5 ms.
 * - The pods of a service and the services of a pod are found by indexes of labels.
 * - Endpoints of services without a selector are left alone until their service is deleted.
 *
 * Writes are in the cache when their calls return, so a run never computes from Endpoints that it has replaced.
 * @see kubernetes pkg/controller/endpoint/endpoints_controller.go @ v1.37.2
 */
export function endpoints(parts: WorkloadParts): ClusterPart {
  const { client, informers, runtime } = parts;
  const selected = new SelectedPods(informers);
  const triggers = new TriggerTimes();
  const pace = new ServicePace(runtime, GATHER_MS);
  const options = workloadOptions(parts, ENDPOINTS_CONTROLLER);
  const made = controller(client, 'v1', 'services', {
    ...options,
    name: 'endpoint',
    queue: { minIntervalMs: GATHER_MS },
  })
    .watches('v1', 'pods', ({ metadata }) => selected.servicesOf(metadata), {
      where: selected.matters,
    })
    .watches('v1', 'endpoints', ({ metadata }) => keyOf(metadata), {
      // A service that was deleted while no controller ran has left Endpoints of this label.
      where: ({ type, initial, metadata }) =>
        type === 'deleted' || (initial && metadata.labels?.[MANAGED_BY] === ENDPOINTS_CONTROLLER),
    })
    .whenGone(async ({ key, name, uid }, { resource, lister }) => {
      triggers.forget(key);
      pace.forget(key);
      const { namespace } = splitMetaNamespaceKey(key);
      // Of a service that was never seen, only Endpoints that are there are deleted.
      if (
        uid === undefined &&
        lister('v1', 'endpoints').namespace(namespace).get(name) === undefined
      )
        return;
      await resource('v1', 'endpoints', { namespace })
        .delete(name)
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    })
    .reconcile(async (service, context) => {
      const { key, lister } = context;
      if (!hasSelectedPods(service)) {
        pace.forget(key);
        return {};
      }
      const waitMs = pace.waitMs(key);
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      const { name, namespace = '' } = service.metadata;
      const pods = selected.of(service);
      const lastChange = triggers.look(key, service.metadata, pods);
      const present = lister('v1', 'endpoints').namespace(namespace).get(name);
      const wanted = wantedEndpoints(service, pods, present, lastChange);
      pace.computed(key, pods.length);
      if (wanted !== undefined) await write(wanted, present !== undefined, context);
      return {};
    });
  return pace.part(runningController(made, options));
}

async function write(
  wanted: Endpoints,
  isThere: boolean,
  { resource, event }: Pick<ControllerContext, 'resource' | 'event'>,
): Promise<void> {
  const all = resource('v1', 'endpoints');
  try {
    if (isThere) await all.update(wanted);
    else await all.create(wanted);
  } catch (error) {
    if (!isThere && isNamespaceEnding(error)) return;
    const { name, namespace } = wanted.metadata ?? {};
    const what = isThere ? 'update endpoint' : 'create endpoint for service';
    event(
      {
        type: 'Warning',
        reason: isThere ? 'FailedToUpdateEndpoint' : 'FailedToCreateEndpoint',
        note: `Failed to ${what} ${namespace}/${name}: ${failureMessage(error)}`,
      },
      wanted,
    );
    throw error;
  }
}
