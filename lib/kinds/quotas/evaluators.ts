import type { UnstructuredObject } from '../../meta/object.ts';
import type { AdmissionRequest, AdmissionScope } from '../../server/registry/contract/admission.ts';
import {
  isHugePages,
  isNativeResource,
  isExtendedResource,
} from '../pods/containers/resource-names.ts';
import { recordAt, recordsAt, textAt, valueAt, type JsonRecord } from '../../meta/json-value.ts';
import { podIsInScope, selectsName, type ScopeSelector } from './pod-scopes.ts';
import { containerTotals } from '../pods/spec/pod-resources.ts';
import { parseQuantity, type Quantity } from '../../meta/quantity.ts';
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
function podUsage(pod: UnstructuredObject, nowMs: number): Amounts {
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
function computeUsage(requests: Amounts, limits: Amounts): Map<string, Quantity> {
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
function serviceUsage(service: UnstructuredObject): Amounts {
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
function claimUsage(claim: UnstructuredObject): Amounts {
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
function isClaimResource(name: string): boolean {
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

/** How the objects of one resource count. */
export interface QuotaEvaluator {
  /** Whether a request can change what is used. */
  handles(scope: AdmissionScope): boolean;
  /** Whether this one of the requests that it handles can. Left out: each of them. */
  concerns?(
    request: Pick<AdmissionRequest, 'operation' | 'subresource' | 'object' | 'oldObject'>,
  ): boolean;
  /** @param nowMs The wall clock, in milliseconds since 1970. */
  usage(object: UnstructuredObject, nowMs: number): Amounts;
  /** Whether the objects use what a quota counts under the name. */
  counts(name: string): boolean;
  isInScope(object: UnstructuredObject, selector: ScopeSelector): boolean;
  /** Required fields that an object lacks; empty if it has all. */
  missing(object: UnstructuredObject, names: readonly string[]): string;
}

/** Resources that each container has to state once a quota counts them. */
const STATED = new Set(
  ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
);
/** Counted under their own names too. */
const WITH_OWN_NAME = new Set([
  'configmaps',
  'resourcequotas',
  'replicationcontrollers',
  'secrets',
]);
const POD_NAMES = new Set(
  ['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [
    name,
    `requests.${name}`,
    `limits.${name}`,
  ]),
);

const TERMINATING: ScopeSelector = { scope: 'Terminating', operator: 'Exists', values: [] };

const isWrite = ({ operation }: AdmissionScope): boolean =>
  operation === 'CREATE' || operation === 'UPDATE';

const pods: QuotaEvaluator = {
  handles: (scope) =>
    scope.subresource === ''
      ? isWrite(scope)
      : scope.subresource === 'resize' && scope.operation === 'UPDATE',
  // An update of a pod itself matters when it enters the scope of other quotas.
  concerns: ({ operation, subresource, object = {}, oldObject = {} }) =>
    operation !== 'UPDATE' ||
    subresource !== '' ||
    podIsInScope(object, TERMINATING) !== podIsInScope(oldObject, TERMINATING),
  usage: podUsage,
  counts: (name) =>
    name === 'pods' ||
    name === 'count/pods' ||
    POD_NAMES.has(name) ||
    isHugePages(name) ||
    (name.startsWith('requests.') && name !== 'requests.storage' && isOfPods(name)),
  isInScope: podIsInScope,
  missing: missingAmounts,
};

function isOfPods(name: string): boolean {
  return name.startsWith('requests.hugepages-') || !isNativeResource(name);
}

const services: QuotaEvaluator = {
  handles: (scope) => scope.subresource === '' && isWrite(scope),
  usage: serviceUsage,
  counts: (name) => serviceUsage({}).has(name),
  isInScope: () => false,
  missing: () => '',
};

const claims: QuotaEvaluator = {
  handles: (scope) => ['', 'status'].includes(scope.subresource) && isWrite(scope),
  usage: claimUsage,
  counts: isClaimResource,
  isInScope: (claim, selector) =>
    selector.scope === 'VolumeAttributesClass' &&
    attributesClasses(claim).some((name) => selectsName(selector, name)),
  missing: () => '',
};

/** The evaluator of a resource; undefined for those that no quota counts. */
export function evaluatorOf({
  group,
  resource,
}: Pick<AdmissionScope, 'group' | 'resource'>): QuotaEvaluator | undefined {
  if (resource === 'events' && (group === '' || group === 'events.k8s.io')) return undefined;
  if (group !== '') return countOnly(`count/${resource}.${group}`, undefined);
  if (resource === 'pods') return pods;
  if (resource === 'services') return services;
  if (resource === 'persistentvolumeclaims') return claims;
  return countOnly(`count/${resource}`, WITH_OWN_NAME.has(resource) ? resource : undefined);
}

function countOnly(name: string, own: string | undefined): QuotaEvaluator {
  const names = own === undefined ? [name] : [name, own];
  return {
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    usage: () => new Map(names.map((one) => [one, counted(1)])),
    counts: (one) => names.includes(one),
    isInScope: () => false,
    missing: () => '',
  };
}

/** Those that are set, asked for or on their way; one empty name when there are none. */
function attributesClasses(claim: UnstructuredObject): readonly string[] {
  const names = [
    textAt(claim, 'spec', 'volumeAttributesClassName'),
    textAt(claim, 'status', 'currentVolumeAttributesClassName'),
    textAt(claim, 'status', 'modifyVolumeStatus', 'targetVolumeAttributesClassName'),
  ].filter((name) => name !== '');
  return names.length === 0 ? [''] : names;
}

function missingAmounts(pod: UnstructuredObject, names: readonly string[]): string {
  const stated = names.filter((name) => STATED.has(name)).toSorted();
  if (stated.length === 0 || valueAt(pod, 'spec', 'resources') !== undefined) return '';
  const containers = [
    ...recordsAt(pod, 'spec', 'containers'),
    ...recordsAt(pod, 'spec', 'initContainers'),
  ].map((one) => ({
    name: textAt(one, 'name'),
    usage: computeUsage(
      amountsOf(recordAt(one, 'resources', 'requests')),
      amountsOf(recordAt(one, 'resources', 'limits')),
    ),
  }));
  const faults = stated.flatMap((name) => {
    const without = containers.filter(({ usage }) => !usage.has(name)).map((one) => one.name);
    return without.length === 0 ? [] : [`${name} for: ${without.toSorted().join(',')}`];
  });
  return faults.length === 0 ? '' : `must specify ${faults.join('; ')}`;
}
