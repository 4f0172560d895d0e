import { containerTotals } from '../pods/spec/pod-resources.ts';
import {
  recordAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
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
