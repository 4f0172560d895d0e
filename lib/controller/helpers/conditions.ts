import type { KubernetesObject } from '../../meta/object.ts';

/** The status of a kind; of a kind without a known one, any object. */
export type StatusOf<T extends KubernetesObject> = T extends {
  readonly status?: infer Status | undefined;
}
  ? Status
  : object;

/** A condition of a kind whose type says nothing about its conditions; the form that Kubernetes recommends. */
export interface AnyCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly observedGeneration?: number | undefined;
  /** RFC 3339. */
  readonly lastTransitionTime?: string | undefined;
  readonly reason: string;
  readonly message?: string | undefined;
}

/** The conditions that the status of a kind has. */
export type ConditionOf<T extends KubernetesObject> =
  StatusOf<T> extends {
    readonly conditions?: readonly (infer Condition extends object)[] | undefined;
  }
    ? Condition
    : AnyCondition;

type SetByHelper = 'lastTransitionTime' | 'observedGeneration' | 'message';

/** A condition as it should be; what is left out is filled in. */
export type ConditionChange<T extends KubernetesObject> = Omit<ConditionOf<T>, SetByHelper> & {
  readonly [Field in SetByHelper & keyof ConditionOf<T>]?: ConditionOf<T>[Field] | undefined;
};

interface SomeCondition {
  readonly type?: unknown;
  readonly status?: unknown;
  readonly lastTransitionTime?: unknown;
}

/**
 * The conditions of an object with some of them set; the others stay, and so does the order.
 *
 * - `lastTransitionTime` is the given time when the `status` of the condition changes, and stays otherwise.
 * - `observedGeneration` is that of the object, `message` is empty, unless the change has them.
 *
 * Inside a reconcile, return `conditions` instead.
 *
 * @param nowMs milliseconds since the epoch
 * @example
 * const conditions = setConditions(site, [{ type: 'Ready', status: 'True', reason: 'Served' }], Date.now());
 * @see apimachinery pkg/api/meta/conditions.go SetStatusCondition
 */
export function setConditions<T extends KubernetesObject>(
  object: T,
  changes: readonly ConditionChange<T>[],
  nowMs: number,
): readonly ConditionOf<T>[] {
  const conditions = [...conditionsOf(object)];
  for (const change of changes as readonly SomeCondition[]) {
    const at = conditions.findIndex(({ type }) => type === change.type);
    const next = completed(object, change, conditions[at], nowMs);
    if (at === -1) conditions.push(next);
    else conditions[at] = next;
  }
  return conditions as readonly unknown[] as readonly ConditionOf<T>[];
}

/** The condition of a type; undefined when the object does not have it. */
export function conditionOf<T extends KubernetesObject>(
  object: T | undefined,
  type: string,
): ConditionOf<T> | undefined {
  const found = object && conditionsOf(object).find((one) => one.type === type);
  return found as ConditionOf<T> | undefined;
}

/** Whether the object has this condition with the status `True`. */
export function isConditionTrue(object: KubernetesObject | undefined, type: string): boolean {
  const found: SomeCondition | undefined = conditionOf(object, type);
  return found?.status === 'True';
}

function conditionsOf(object: KubernetesObject): readonly SomeCondition[] {
  const { status } = object as { readonly status?: { readonly conditions?: unknown } | null };
  const conditions = status?.conditions;
  return Array.isArray(conditions) ? conditions : [];
}

function completed(
  { metadata }: KubernetesObject,
  change: SomeCondition,
  before: SomeCondition | undefined,
  nowMs: number,
): SomeCondition {
  const since = before?.status === change.status ? before?.lastTransitionTime : undefined;
  const generation = metadata?.generation;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: since ?? `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
    message: '',
    ...change,
  } as SomeCondition;
}
