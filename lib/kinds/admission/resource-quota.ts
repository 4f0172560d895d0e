import { forbidden, isNotFound } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { AdmissionRequest, AdmissionScope } from '../../server/registry/contract/admission.ts';
import { recordAt, type JsonRecord } from '../../meta/json-value.ts';
import { serverContext, serverStrategy } from '../../server/registry/contract/server-context.ts';
import { quantityText, type Quantity } from '../../meta/quantity.ts';
import {
  evaluatorOf,
  amountsOf,
  sumOf,
  type QuotaEvaluator,
  type Amounts,
} from '../quotas/evaluators.ts';
import { scopesOf } from '../quotas/pod-scopes.ts';
import {
  admittedName,
  type AdmissionPlugIn,
  type Followed,
  type PlugInParts,
} from '../../server/registry/contract/plug-in.ts';

/** The changes of a request, and its time. */
interface Charge {
  readonly request: AdmissionRequest;
  readonly evaluator: QuotaEvaluator;
  readonly nowMs: number;
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
  readonly #parts: Pick<PlugInParts, 'runtime' | 'storeOf'>;
  readonly #quotas: Followed<UnstructuredObject>;

  constructor({ follow, ...parts }: Pick<PlugInParts, 'runtime' | 'storeOf' | 'follow'>) {
    this.#parts = parts;
    this.#quotas = follow({ group: '', resource: 'resourcequotas', read: (quota) => quota });
  }

  wants(scope: AdmissionScope): boolean {
    if (this.#quotas.isEmpty) return false;
    if (scope.group === '' && scope.resource === 'namespaces') return false;
    return evaluatorOf(scope)?.handles(scope) === true;
  }

  /** @throws {ApiError} 403. */
  async validate(request: AdmissionRequest): Promise<void> {
    const evaluator = evaluatorOf(request.target);
    if (evaluator === undefined || request.namespace === '') return;
    if (evaluator.concerns?.(request) === false) return;
    const charge = { request, evaluator, nowMs: this.#parts.runtime.wallMs() };
    const inNamespace = this.#quotas.in(request.namespace);
    const charged = inNamespace.filter((one) => usedAfter(one, charge) !== undefined);
    if (request.dryRun) return;
    for (const one of charged) await this.#charge(one, charge);
  }

  async #charge(
    { metadata: { name = '', namespace = '' } = {} }: UnstructuredObject,
    charge: Charge,
  ): Promise<void> {
    const update = (existing: UnstructuredObject = {}): UnstructuredObject => {
      const used = usedAfter(existing, charge);
      if (used === undefined) return existing;
      return { ...existing, status: { ...recordAt(existing, 'status'), used } };
    };
    const context = serverContext(namespace);
    const options = { subresource: 'status' };
    try {
      const stored = this.#parts.storeOf('', 'resourcequotas');
      await stored?.updateThrough(serverStrategy, context, name, update, options);
    } catch (error) {
      // A quota that was deleted meanwhile limits nothing.
      if (!isNotFound(error)) throw error;
    }
  }
}

/** The usage of a quota after a request; undefined if that does not change. @throws {ApiError} 403. */
function usedAfter(
  quota: UnstructuredObject,
  { request, evaluator, nowMs }: Charge,
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
  const before = isCounted ? evaluator.usage(oldObject, nowMs) : new Map<string, Quantity>();
  const asked = added(evaluator.usage(object, nowMs), before, hard);
  if (asked.size === 0) return undefined;
  const after = new Map([...asked].map(([one, more]) => [one, sumOf(used.get(one), more)]));
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

/** The addition of a request to the resources of a quota; releases are not counted. */
function added(usage: Amounts, before: Amounts, hard: Amounts): Map<string, Quantity> {
  const more = new Map<string, Quantity>();
  for (const [name, amount] of usage) {
    const nanos = amount.nanos - (before.get(name)?.nanos ?? 0n);
    if (nanos > 0n && hard.has(name)) more.set(name, { ...amount, nanos });
  }
  return more;
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
