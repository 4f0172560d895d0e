import { forbidden } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { AdmissionRequest, AdmissionScope } from '../../registry/contract/admission.ts';
import { recordAt, type JsonRecord } from '../../registry/rules/json-value.ts';
import type { ResourceStorage } from '../../registry/storage-factory.ts';
import { quantityText, type Quantity } from '../../registry/typed/quantity.ts';
import { admittedName, type AdmissionPlugIn } from '../contract/plug-in.ts';
import type { FollowedObjects } from '../followed/followed-objects.ts';
import { evaluatorOf, type QuotaEvaluator } from './evaluators.ts';
import { scopesOf } from './pod-scopes.ts';
import { amountsOf, type Amounts } from './usage.ts';

/** Where quotas are stored. */
export interface QuotaStorage {
  readonly storage: ResourceStorage;
  readonly keyRoot: string;
}

/**
 * Refuses what exceeds a quota, and counts what is written. What goes is not counted here: a controller of a cluster does that.
 *
 * Guarantees: usage is written by compare-and-swap, so that writes at the same time do not exceed a quota together. A dry run
 * counts nothing. A write that fails afterwards stays counted, as in kube-apiserver.
 * @see apiserver pkg/admission/plugin/resourcequota/controller.go @ v0.36.3
 */
export class ResourceQuotas implements AdmissionPlugIn {
  readonly name = 'ResourceQuota';
  readonly #quotas: FollowedObjects<UnstructuredObject>;
  readonly #stored: () => QuotaStorage | undefined;

  constructor(quotas: FollowedObjects<UnstructuredObject>, stored: () => QuotaStorage | undefined) {
    this.#quotas = quotas;
    this.#stored = stored;
  }

  wants(scope: AdmissionScope): boolean {
    if (this.#quotas.isEmpty || (scope.group === '' && scope.resource === 'namespaces'))
      return false;
    return evaluatorOf(scope)?.handles(scope) === true;
  }

  /** @throws {ApiError} 403. */
  async validate(request: AdmissionRequest): Promise<void> {
    const evaluator = evaluatorOf(request.target);
    if (evaluator === undefined || request.namespace === '') return;
    const quotas = this.#quotas.in(request.namespace);
    const charged = quotas.filter((one) => usedAfter(one, request, evaluator) !== undefined);
    if (request.dryRun) return;
    for (const one of charged) await this.#charge(one, request, evaluator);
  }

  async #charge(
    { metadata: { name = '', namespace = '' } = {} }: UnstructuredObject,
    request: AdmissionRequest,
    evaluator: QuotaEvaluator,
  ): Promise<void> {
    const stored = this.#stored();
    if (stored === undefined) return;
    const { storage, keyRoot } = stored;
    await storage.guaranteedUpdate(
      `${keyRoot}/${namespace}/${name}`,
      ({ existing }) => {
        const quota = existing ?? {};
        const used = usedAfter(quota, request, evaluator);
        if (used === undefined) return { object: quota };
        return { object: { ...quota, status: { ...recordAt(quota, 'status'), used } } };
      },
      { ignoreNotFound: false },
    );
  }
}

/** What a quota has used after a request; undefined if that does not change. @throws {ApiError} 403. */
function usedAfter(
  quota: UnstructuredObject,
  request: AdmissionRequest,
  evaluator: QuotaEvaluator,
): JsonRecord | undefined {
  const { object, oldObject, target, subresource } = request;
  const hard = amountsOf(recordAt(quota, 'status', 'hard'));
  const names = [...hard.keys()].filter((name) => evaluator.counts(name));
  if (object === undefined || !matches(quota, object, names, evaluator)) return undefined;
  const { name = '' } = quota.metadata ?? {};
  const refusal = (text: string): Error => forbidden(target, admittedName(request), text);
  const missing = evaluator.missing(object, names);
  if (missing !== '') throw refusal(`failed quota: ${name}: ${missing}`);
  const usedText = recordAt(quota, 'status', 'used') ?? {};
  const used = amountsOf(usedText);
  if (names.some((one) => !used.has(one))) {
    throw refusal(`status unknown for quota: ${name}, resources: ${names.toSorted().join(',')}`);
  }
  const isCounted = oldObject !== undefined && matches(quota, oldObject, names, evaluator);
  const before = isCounted ? evaluator.usage(oldObject) : new Map<string, Quantity>();
  const asked = added(evaluator.usage(object), before, hard);
  if (asked.size === 0) return undefined;
  const after = new Map([...asked].map(([one, more]) => [one, sum(used.get(one), more)]));
  const exceeded = [...asked.keys()].filter((one) => isMore(after.get(one), hard.get(one)));
  if (exceeded.length > 0 && subresource !== 'status') {
    const shown = (amounts: Amounts): string => amountsText(amounts, exceeded);
    throw refusal(
      `exceeded quota: ${name}, requested: ${shown(asked)}, used: ${shown(used)}, limited: ${shown(hard)}`,
    );
  }
  const changed = [...after].map(([one, amount]) => [one, quantityText(amount)] as const);
  return { ...usedText, ...Object.fromEntries(changed) };
}

function matches(
  quota: UnstructuredObject,
  object: UnstructuredObject,
  names: readonly string[],
  evaluator: QuotaEvaluator,
): boolean {
  return names.length > 0 && scopesOf(quota).every((scope) => evaluator.isInScope(object, scope));
}

/** What a request adds to the resources of a quota; what it gives back is not counted. */
function added(usage: Amounts, before: Amounts, hard: Amounts): Map<string, Quantity> {
  const more = new Map<string, Quantity>();
  for (const [name, amount] of usage) {
    const nanos = amount.nanos - (before.get(name)?.nanos ?? 0n);
    if (nanos > 0n && hard.has(name)) more.set(name, { ...amount, nanos });
  }
  return more;
}

/** In the form of the first one, unless that is nothing. */
function sum(left: Quantity | undefined, right: Quantity): Quantity {
  if (left === undefined || left.nanos === 0n) return right;
  return { ...left, nanos: left.nanos + right.nanos };
}

function isMore(left: Quantity | undefined, right: Quantity | undefined): boolean {
  return left !== undefined && right !== undefined && left.nanos > right.nanos;
}

function amountsText(amounts: Amounts, names: readonly string[]): string {
  return names
    .toSorted()
    .flatMap((name) => {
      const amount = amounts.get(name);
      return amount === undefined ? [] : [`${name}=${quantityText(amount)}`];
    })
    .join(',');
}
