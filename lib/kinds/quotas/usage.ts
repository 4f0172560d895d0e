import type { UnstructuredObject } from '../../meta/object.ts';
import { isExtendedResource, isHugePages } from '../pods/containers/resource-names.ts';
import { containerTotals } from '../pods/spec/pod-resources.ts';
import {
  recordAt,
  recordsAt,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import { parseQuantity, type Quantity } from '../../server/registry/typed/quantity.ts';
import { wholeOf } from '../../server/registry/validation/quantity-checks.ts';

/** Amounts of resources by name. */
export type Amounts = ReadonlyMap<string, Quantity>;

const OF_CLASS = '.storageclass.storage.k8s.io/';
const NANO = 1_000_000_000n;
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];

export function amountsOf(record: JsonRecord | undefined): Map<string, Quantity> {
  const all = Object.entries(record ?? {});
  return new Map(all.map(([name, text]) => [name, parseQuantity(String(text))]));
}

/**
 * The usage of a pod: one that has ended, or should have, is an object and uses nothing.
 * @see pkg/quota/v1/evaluator/core/pods.go PodUsageFunc @ v1.36.3
 */
export function podUsage(pod: UnstructuredObject, nowMs: number): Amounts {
  const usage = new Map([['count/pods', counted(1)]]);
  if (!podIsAtWork(pod, nowMs)) return usage;
  const spec = recordAt(pod, 'spec') ?? {};
  const requests = podTotals(spec, 'requests');
  const limits = podTotals(spec, 'limits');
  return new Map([...usage, ['pods', counted(1)], ...computeUsage(requests, limits)]);
}

/** Whether a pod uses what it asks for: it has not ended, and is not past its end, as on a node that is lost. */
export function podIsAtWork(pod: UnstructuredObject, nowMs: number): boolean {
  return (
    !['Failed', 'Succeeded'].includes(textAt(pod, 'status', 'phase')) && !isOverdue(pod, nowMs)
  );
}

function isOverdue(pod: UnstructuredObject, nowMs: number): boolean {
  const until = textAt(pod, 'metadata', 'deletionTimestamp');
  const grace = valueAt(pod, 'metadata', 'deletionGracePeriodSeconds');
  return until !== '' && typeof grace === 'number' && nowMs > Date.parse(until) + grace * 1000;
}

/** The names under which requests and limits count. */
export function computeUsage(requests: Amounts, limits: Amounts): Map<string, Quantity> {
  const usage = new Map<string, Quantity>();
  for (const [name, amount] of requests) {
    const isPages = isHugePages(name);
    if (COMPUTE.includes(name) || isPages) usage.set(name, amount);
    if (COMPUTE.includes(name) || isPages || isExtendedResource(name)) {
      usage.set(`requests.${name}`, amount);
    }
  }
  for (const [name, amount] of limits) {
    if (COMPUTE.includes(name)) usage.set(`limits.${name}`, amount);
  }
  return usage;
}

function podTotals(spec: JsonRecord, which: 'requests' | 'limits'): Amounts {
  const own = recordAt(spec, 'resources', which);
  const totals = amountsOf({ ...containerTotals(spec, which), ...own });
  for (const [name, more] of amountsOf(recordAt(spec, 'overhead'))) {
    const before = totals.get(name);
    if (before !== undefined) totals.set(name, { ...before, nanos: before.nanos + more.nanos });
    else if (which === 'requests') totals.set(name, more);
  }
  return totals;
}

/** @see pkg/quota/v1/evaluator/core/services.go @ v1.36.3 */
export function serviceUsage(service: UnstructuredObject): Amounts {
  const type = textAt(service, 'spec', 'type');
  const ports = recordsAt(service, 'spec', 'ports');
  const isBalanced = type === 'LoadBalancer';
  const isAllocated = valueAt(service, 'spec', 'allocateLoadBalancerNodePorts') !== false;
  const asked = ports.filter((port) => valueAt(port, 'nodePort') !== undefined).length;
  const balanced = isAllocated ? ports.length : asked;
  const nodePorts = type === 'NodePort' ? ports.length : isBalanced ? balanced : 0;
  return new Map([
    ['count/services', counted(1)],
    ['services', counted(1)],
    ['services.loadbalancers', counted(isBalanced ? 1 : 0)],
    ['services.nodeports', counted(nodePorts)],
  ]);
}

/** @see pkg/quota/v1/evaluator/core/persistent_volume_claims.go @ v1.36.3 */
export function claimUsage(claim: UnstructuredObject): Amounts {
  const className =
    claim.metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ??
    textAt(claim, 'spec', 'storageClassName');
  const usage = new Map<string, Quantity>([['count/persistentvolumeclaims', counted(1)]]);
  const add = (name: string, amount: Quantity): void => {
    usage.set(name, amount);
    if (className !== '') usage.set(`${className}${OF_CLASS}${name}`, amount);
  };
  add('persistentvolumeclaims', counted(1));
  const asked = valueAt(claim, 'spec', 'resources', 'requests', 'storage');
  if (typeof asked === 'string') add('requests.storage', storageOf(claim, asked));
  return usage;
}

/** The requested bytes, or the allocated ones if they are more. */
function storageOf(claim: UnstructuredObject, asked: string): Quantity {
  const allocated = valueAt(claim, 'status', 'allocatedResources', 'storage');
  const isMore = typeof allocated === 'string' && wholeOf(allocated) > wholeOf(asked);
  const text = isMore ? allocated : asked;
  return { nanos: wholeOf(text) * NANO, format: parseQuantity(text).format };
}

/** Whether a name is of a claim's resources. */
export function isClaimResource(name: string): boolean {
  const [, bare = name] = name.split(OF_CLASS);
  return (
    name === 'count/persistentvolumeclaims' ||
    bare === 'persistentvolumeclaims' ||
    bare === 'requests.storage'
  );
}

/** In the form of the first one, unless that is nothing. */
export function sumOf(left: Quantity | undefined, right: Quantity): Quantity {
  if (left === undefined || left.nanos === 0n) return right;
  return { ...left, nanos: left.nanos + right.nanos };
}

export function counted(count: number): Quantity {
  return { nanos: BigInt(count) * NANO, format: 'decimal' };
}
