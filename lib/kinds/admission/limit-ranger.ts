import { forbidden } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { AdmissionRequest, AdmissionScope } from '../../server/registry/contract/admission.ts';
import {
  recordsAt,
  ensureRecord,
  recordAt,
  setOwn,
  textAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import {
  admittedName,
  type AdmissionPlugIn,
  type Followed,
  type PlugInParts,
} from '../../server/registry/contract/plug-in.ts';
import { containerTotals } from '../pods/spec/pod-resources.ts';
import { compareQuantities, nanosOf } from '../../server/registry/validation/quantity-checks.ts';

/** Requests and limits of a container, of a pod as a whole or of a claim. */
interface Amounts {
  readonly requests: JsonRecord;
  /** Undefined when the type has no limits. */
  readonly limits: JsonRecord | undefined;
}

/** How far the texts of ratios go, in digits. */
const RATIO_DIGITS = 6;

/**
 * The resources of which a pod has too much or too little.
 * @see plugin/pkg/admission/limitranger/admission.go PodValidateLimitFunc @ v1.36.3
 */
export function podFaults(pod: UnstructuredObject, limits: readonly JsonRecord[]): string[] {
  const spec = recordAt(pod, 'spec') ?? {};
  return limits.flatMap((limit) => {
    const type = textAt(limit, 'type');
    if (type === 'Pod') return faultsOf(limit, totalsOf(spec));
    if (type !== 'Container') return [];
    const containers = [...recordsAt(spec, 'containers'), ...recordsAt(spec, 'initContainers')];
    return containers.flatMap((one) => faultsOf(limit, amountsOf(one)));
  });
}

/** The resources of which a claim requests too much or too little. */
export function claimFaults(claim: UnstructuredObject, limits: readonly JsonRecord[]): string[] {
  const requests = recordAt(claim, 'spec', 'resources', 'requests') ?? {};
  return limits
    .filter((limit) => textAt(limit, 'type') === 'PersistentVolumeClaim')
    .flatMap((limit) => faultsOf(limit, { requests, limits: undefined }));
}

function amountsOf(holder: JsonRecord): {
  readonly requests: JsonRecord;
  readonly limits: JsonRecord;
} {
  return {
    requests: recordAt(holder, 'resources', 'requests') ?? {},
    limits: recordAt(holder, 'resources', 'limits') ?? {},
  };
}

/** Values of the pod as a whole count in place of the sum of its containers. */
function totalsOf(spec: JsonRecord): Amounts {
  const own = amountsOf(spec);
  return {
    requests: { ...containerTotals(spec, 'requests'), ...own.requests },
    limits: { ...containerTotals(spec, 'limits'), ...own.limits },
  };
}

function faultsOf(limit: JsonRecord, amounts: Amounts): string[] {
  const type = textAt(limit, 'type');
  const each = (
    name: string,
    check: (resource: string, bound: unknown) => string | undefined,
  ): string[] => {
    const bounds = recordAt(limit, name) ?? {};
    return Object.keys(bounds)
      .toSorted()
      .flatMap((resource) => check(resource, bounds[resource]) ?? []);
  };
  return [
    ...each('min', (resource, bound) => minimumFault(type, resource, bound, amounts)),
    ...each('max', (resource, bound) => maximumFault(type, resource, bound, amounts)),
    ...(amounts.limits === undefined
      ? []
      : each('maxLimitRequestRatio', (resource, bound) =>
          ratioFault(type, resource, bound, amounts),
        )),
  ];
}

function minimumFault(
  type: string,
  resource: string,
  bound: unknown,
  { requests, limits }: Amounts,
): string | undefined {
  const rule = `minimum ${resource} usage per ${type} is ${String(bound)}`;
  const [request, limit] = [requests[resource], limits?.[resource]];
  if (request === undefined) return `${rule}.  No request is specified`;
  if (compareQuantities(request, bound) < 0) return `${rule}, but request is ${textOf(request)}`;
  if (limit === undefined || compareQuantities(limit, bound) >= 0) return undefined;
  return `${rule}, but limit is ${textOf(limit)}`;
}

function maximumFault(
  type: string,
  resource: string,
  bound: unknown,
  { requests, limits }: Amounts,
): string | undefined {
  const rule = `maximum ${resource} usage per ${type} is ${String(bound)}`;
  const [request, limit] = [requests[resource], limits?.[resource]];
  if (limits === undefined) {
    if (request === undefined) return `${rule}.  No request is specified`;
  } else {
    if (limit === undefined) return `${rule}.  No limit is specified`;
    if (compareQuantities(limit, bound) > 0) return `${rule}, but limit is ${textOf(limit)}`;
  }
  if (request === undefined || compareQuantities(request, bound) <= 0) return undefined;
  return `${rule}, but request is ${textOf(request)}`;
}

function ratioFault(
  type: string,
  resource: string,
  bound: unknown,
  { requests, limits }: Amounts,
): string | undefined {
  const rule = `${resource} max limit to request ratio per ${type} is ${String(bound)}`;
  const [request, limit] = [nanosOf(requests[resource]), nanosOf(limits?.[resource])];
  if (request === 0n) return `${rule}, but no request is specified or request is 0`;
  if (limit === 0n) return `${rule}, but no limit is specified or limit is 0`;
  if (limit * nanosOf('1') <= nanosOf(bound) * request) return undefined;
  const ratio = Number(limit) / Number(request);
  return `${rule}, but provided ratio is ${ratio.toFixed(RATIO_DIGITS)}`;
}

/** Amounts of read objects are texts. */
function textOf(amount: unknown): string {
  return typeof amount === 'string' ? amount : '';
}

const ANNOTATION = 'kubernetes.io/limit-ranger';

/** The defaults of containers, by the name of a resource. */
interface Defaults {
  readonly requests: JsonRecord;
  readonly limits: JsonRecord;
}

/**
 * Gives the containers of a pod the requests and limits that they leave out, and says so in an annotation.
 * @param limits The items of one LimitRange.
 * @see plugin/pkg/admission/limitranger/admission.go PodMutateLimitFunc @ v1.36.3
 */
export function setContainerDefaults(pod: MutableObject, limits: readonly JsonRecord[]): void {
  const defaults = defaultsOf(limits);
  const notes = [
    ...recordsAt(pod, 'spec', 'containers').flatMap((one) => fill(one, 'container', defaults)),
    ...recordsAt(pod, 'spec', 'initContainers').flatMap((one) =>
      fill(one, 'init container', defaults),
    ),
  ];
  if (notes.length === 0) return;
  const annotations = ensureRecord(pod.metadata, 'annotations');
  if (annotations !== undefined) {
    annotations[ANNOTATION] = `LimitRanger plugin set: ${notes.join('; ')}`;
  }
}

function defaultsOf(limits: readonly JsonRecord[]): Defaults {
  const ofContainers = limits.filter((one) => textAt(one, 'type') === 'Container');
  const merged = (name: string): JsonRecord =>
    Object.assign({}, ...ofContainers.map((one) => recordAt(one, name))) as JsonRecord;
  return { requests: merged('defaultRequest'), limits: merged('default') };
}

/** Fills one container; returns what was set, in words. */
function fill(container: JsonRecord, what: string, { requests, limits }: Defaults): string[] {
  const note = (which: string, set: readonly string[]): string[] =>
    set.length === 0 ? [] : [`${set.join(', ')} ${which} for ${what} ${textAt(container, 'name')}`];
  const setLimits = fillAmounts(container, 'limits', limits);
  const setRequests = fillAmounts(container, 'requests', requests);
  return [...note('request', setRequests), ...note('limit', setLimits)];
}

function fillAmounts(
  container: JsonRecord,
  which: 'limits' | 'requests',
  defaults: JsonRecord,
): string[] {
  const given = recordAt(container, 'resources', which);
  const missing = Object.keys(defaults)
    .filter((name) => given === undefined || !Object.hasOwn(given, name))
    .toSorted();
  if (missing.length === 0) return [];
  const resources = ensureRecord(container, 'resources');
  const amounts = resources && ensureRecord(resources, which);
  if (amounts === undefined) return [];
  for (const name of missing) setOwn(amounts, name, defaults[name]);
  return missing;
}

/** The items of a LimitRange. */
type Limits = readonly JsonRecord[];

/**
 * Sets the defaults of LimitRanges in new pods, and refuses pods and claims beyond their bounds.
 * @see plugin/pkg/admission/limitranger/admission.go @ v1.36.3
 */
export class LimitRanger implements AdmissionPlugIn {
  readonly name = 'LimitRanger';
  readonly #ranges: Followed<Limits>;

  constructor({ follow }: Pick<PlugInParts, 'follow'>) {
    this.#ranges = follow({
      group: '',
      resource: 'limitranges',
      read: (limitRange) => recordsAt(limitRange, 'spec', 'limits'),
    });
  }

  wants({ group, resource, subresource, operation }: AdmissionScope): boolean {
    if (this.#ranges.isEmpty || group !== '') return false;
    const isChange = operation === 'UPDATE';
    if (resource === 'pods') {
      return subresource === '' ? operation === 'CREATE' : subresource === 'resize' && isChange;
    }
    const isClaim = resource === 'persistentvolumeclaims' && subresource === '';
    return isClaim && (isChange || operation === 'CREATE');
  }

  mutate({ target, object, oldObject, namespace }: AdmissionRequest): void {
    if (target.resource !== 'pods' || object === undefined || isDeleted(oldObject)) return;
    for (const limits of this.#ranges.in(namespace)) {
      setContainerDefaults(object as MutableObject, limits);
    }
  }

  /** @throws {ApiError} 403 with the faults of the first LimitRange that has some. */
  validate(request: AdmissionRequest): void {
    const { target, object, oldObject, namespace } = request;
    if (object === undefined || isDeleted(oldObject)) return;
    const faultsOf = target.resource === 'pods' ? podFaults : claimFaults;
    for (const limits of this.#ranges.in(namespace)) {
      const faults = [...new Set(faultsOf(object, limits))];
      if (faults.length === 0) continue;
      const [only = ''] = faults;
      const text = faults.length === 1 ? only : `[${faults.join(', ')}]`;
      throw forbidden(target, admittedName(request), text);
    }
  }
}

function isDeleted(object: UnstructuredObject | undefined): boolean {
  return object?.metadata?.deletionTimestamp !== undefined;
}
