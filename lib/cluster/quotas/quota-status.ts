import type { UnstructuredObject } from '../../meta/object.ts';
import { recordAt, type JsonRecord } from '../../meta/json-value.ts';
import { quantityText, type Quantity } from '../../server/registry/typed/quantity.ts';
import { evaluatorOf, type QuotaEvaluator } from '../../kinds/quotas/evaluators.ts';
import { scopesOf } from '../../kinds/quotas/pod-scopes.ts';
import { amountsOf, counted, sumOf, type Amounts } from '../../kinds/quotas/usage.ts';
import { COUNTED_WHOLE, type CountedWhole } from './replenishment.ts';

/** A resource whose objects count by their number. */
export interface NumberedResource {
  readonly group: string;
  readonly resource: string;
}

/** The content of the namespace of a quota. */
export interface QuotaContent {
  /** The other resources that are counted. */
  readonly numbered: readonly NumberedResource[];
  objects(resource: CountedWhole): readonly UnstructuredObject[];
  /** Undefined while it is not known. */
  number(resource: NumberedResource): number | undefined;
  readonly nowMs: number;
}

export interface QuotaUse {
  readonly used: Amounts;
  /** Whether some names are missing because their objects are not known yet. */
  readonly isPartial: boolean;
}

/**
 * The usage of a quota by the objects of a namespace, by the names of its limits. Names that count nothing known are left out.
 * @see apiserver pkg/quota/v1/resources.go CalculateUsage @ v0.36.3
 */
export function quotaUse(quota: UnstructuredObject, content: QuotaContent): QuotaUse {
  const names = Object.keys(recordAt(quota, 'spec', 'hard') ?? {});
  const used = new Map<string, Quantity>();
  let isPartial = false;
  for (const resource of COUNTED_WHOLE) {
    const evaluator = evaluatorOf({ group: '', resource });
    const own = names.filter((name) => evaluator?.counts(name) === true);
    if (evaluator === undefined || own.length === 0) continue;
    for (const [name, amount] of sumOfObjects(
      quota,
      own,
      evaluator,
      content.objects(resource),
      content.nowMs,
    )) {
      used.set(name, amount);
    }
  }
  for (const resource of content.numbered) {
    const evaluator = evaluatorOf(resource);
    const own = names.filter((name) => evaluator?.counts(name) === true);
    if (own.length === 0) continue;
    // No scope selects objects that only count by their number.
    const number = scopesOf(quota).length > 0 ? 0 : content.number(resource);
    if (number === undefined) isPartial = true;
    else for (const name of own) used.set(name, counted(number));
  }
  return { used, isPartial };
}

function sumOfObjects(
  quota: UnstructuredObject,
  names: readonly string[],
  evaluator: QuotaEvaluator,
  objects: readonly UnstructuredObject[],
  nowMs: number,
): Amounts {
  const scopes = scopesOf(quota);
  const used = new Map(names.map((name) => [name, counted(0)]));
  for (const object of objects) {
    if (!scopes.every((scope) => evaluator.isInScope(object, scope))) continue;
    for (const [name, amount] of evaluator.usage(object, nowMs)) {
      if (used.has(name)) used.set(name, sumOf(used.get(name), amount));
    }
  }
  return used;
}

/**
 * The status of a quota with this usage; undefined if it has it already. Usage that was not calculated stays.
 * @see kubernetes pkg/controller/resourcequota/resource_quota_controller.go syncResourceQuota @ v1.36.3
 */
export function quotaStatus(quota: UnstructuredObject, used: Amounts): JsonRecord | undefined {
  const hard = recordAt(quota, 'spec', 'hard') ?? {};
  const before = recordAt(quota, 'status');
  const texts = [...used].map(([name, amount]) => [name, quantityText(amount)] as const);
  const all = { ...recordAt(before, 'used'), ...Object.fromEntries(texts) };
  const kept = Object.entries(all).filter(([name]) => Object.hasOwn(hard, name));
  const after = { hard, used: Object.fromEntries(kept) };
  const isSame =
    sameAmounts(hard, recordAt(before, 'hard')) &&
    sameAmounts(after.used, recordAt(before, 'used'));
  return isSame ? undefined : after;
}

/** Whether both have the same names with the same amounts, however they are written. */
export function sameAmounts(left: JsonRecord | undefined, right: JsonRecord | undefined): boolean {
  const [one, other] = [amountsOf(left), amountsOf(right)];
  if (one.size !== other.size) return false;
  return [...one].every(([name, { nanos }]) => other.get(name)?.nanos === nanos);
}
