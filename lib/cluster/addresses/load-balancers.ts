import { controller } from '../../controller/builder/controller-builder.ts';
import type { ControllerContext } from '../../controller/builder/run/controller-context.ts';
import type { ControllerResult } from '../../controller/builder/run/controller-result.ts';
import { addFinalizers, removeFinalizer } from '../../controller/helpers/finalizers.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { isNotFound } from '../../meta/failure/failures.ts';
import type { Stored } from '../../meta/stored.ts';
import type { LoadBalancerIngress, Service } from '../../types/built-in/core-v1-kinds.ts';
import type { ClusterPart } from '../resources/cluster-parts.ts';
import { runningController } from '../resources/running-controller.ts';
import { workloadOptions } from '../resources/workload-options.ts';
import type { WorkloadParts } from '../resources/workload-parts.ts';
import { AddressPool } from './address-pool.ts';

const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';
/** As long as a cloud's controller waits at most. */
const RETRY_MS = 300_000;
const ADDRESSES = 'addresses of load balancers';

function pointsOf({ status }: Service): readonly LoadBalancerIngress[] {
  return status?.loadBalancer?.ingress ?? [];
}

function addressesOf(service: Service): readonly string[] {
  return pointsOf(service).flatMap(({ ip }) => ip ?? []);
}

/** The state of a service that the load balancers have to do something about. */
export type BalancerTask = 'ensure' | 'clean up' | undefined;

/**
 * A service of another class belongs to another controller, and so does one whose status has an entry already.
 * @see cloud-provider controllers/service/controller.go syncLoadBalancerIfNeeded @ v0.37.2
 */
export function balancerTask(service: Service): BalancerTask {
  const { metadata = {}, spec = {} } = service;
  const isHeld = metadata.finalizers?.includes(FINALIZER) === true;
  const isGoing = metadata.deletionTimestamp !== undefined;
  if (isHeld && (isGoing || spec.type !== 'LoadBalancer')) return 'clean up';
  if (isGoing || spec.type !== 'LoadBalancer' || spec.loadBalancerClass !== undefined) return;
  return isHeld && pointsOf(service).length > 0 ? undefined : 'ensure';
}

/**
 * A stand-in for the load balancers of a cloud: services of type `LoadBalancer` without a class get addresses that nothing answers at,
 * one for each of their IP families, of 198.18.0.0/16 and 2001:db8:18::/112; or `spec.loadBalancerIP`. It has the finalizer and the
 * events of a cloud's controller.
 */
export function loadBalancers(parts: WorkloadParts): ClusterPart {
  const { client, informers, runtime } = parts;
  const services = informers.for('v1', 'services', { indexers: { [ADDRESSES]: addressesOf } });
  const pool = new AddressPool(
    (address) => services.indexer.indexKeys(ADDRESSES, address).length > 0,
  );
  const options = workloadOptions(parts, 'service-controller');
  const made = controller(client, 'v1', 'services', {
    ...options,
    name: 'service-lb-controller',
    // One at a time: two services must not get one address.
    concurrency: 1,
  }).reconcile(async (service, context) => {
    const task = balancerTask(service);
    if (task === 'ensure') return await ensure(service, pool, runtime, context);
    if (task === 'clean up') await cleanUp(service, runtime, context);
    return {};
  });
  return runningController(made, options);
}

type Calls = Pick<ControllerContext, 'resource' | 'event' | 'signal'>;

async function ensure(
  service: Stored<Service>,
  pool: AddressPool,
  runtime: Runtime,
  { resource, event, signal }: Calls,
): Promise<ControllerResult<Service>> {
  const services = resource('v1', 'services');
  event({ reason: 'EnsuringLoadBalancer', note: 'Ensuring load balancer' });
  await addFinalizers(services, service, [FINALIZER], { signal, runtime });
  const ingress = pointsOf(service).length > 0 ? pointsOf(service) : newPoints(service, pool);
  if (ingress.length === 0) {
    const note =
      'Error syncing load balancer: failed to ensure load balancer: all addresses are in use';
    event({ type: 'Warning', reason: 'SyncLoadBalancerFailed', note });
    return { requeueAfterMs: RETRY_MS };
  }
  event({ reason: 'EnsuredLoadBalancer', note: 'Ensured load balancer' });
  await services.patch(
    service.metadata.name,
    { status: { loadBalancer: { ingress } } },
    { type: 'merge', subresource: 'status' },
  );
  return {};
}

function newPoints({ spec = {} }: Service, pool: AddressPool): LoadBalancerIngress[] {
  const { loadBalancerIP = '', ipFamilies = ['IPv4'] } = spec;
  const addresses =
    loadBalancerIP === ''
      ? ipFamilies.flatMap((family) => pool.next(family) ?? [])
      : [loadBalancerIP];
  return addresses.map((ip) => ({ ip, ipMode: 'VIP' }));
}

async function cleanUp(
  service: Stored<Service>,
  runtime: Runtime,
  { resource, event, signal }: Calls,
): Promise<void> {
  const services = resource('v1', 'services');
  event({ reason: 'DeletingLoadBalancer', note: 'Deleting load balancer' });
  const left = await removeFinalizer(services, service, FINALIZER, { signal, runtime });
  event({ reason: 'DeletedLoadBalancer', note: 'Deleted load balancer' });
  if (left === undefined || pointsOf(left).length === 0) return;
  try {
    await services.patch(
      service.metadata.name,
      { metadata: { uid: service.metadata.uid }, status: { loadBalancer: { ingress: null } } },
      { type: 'merge', subresource: 'status' },
    );
  } catch (error) {
    // It has gone with its last finalizer.
    if (!isNotFound(error)) throw error;
  }
}
