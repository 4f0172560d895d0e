import type { UnstructuredObject } from '../../meta/object.ts';
import type { AdmissionRequest, AdmissionScope } from '../../server/registry/contract/admission.ts';
import { isHugePages, isNativeResource } from '../pods/containers/resource-names.ts';
import { recordAt, recordsAt, textAt, valueAt } from '../../meta/json-value.ts';
import { podIsInScope, selectsName, type ScopeSelector } from './pod-scopes.ts';
import {
  amountsOf,
  claimUsage,
  computeUsage,
  counted,
  isClaimResource,
  podUsage,
  serviceUsage,
  type Amounts,
} from './usage.ts';

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
