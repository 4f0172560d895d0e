import { failure } from '../../meta/failure/api-error.ts';
import { forbidden } from '../../meta/failure/failures.ts';
import { labelSelectorFromSpec } from '../../meta/selectors/label-selector.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { timestampOf } from '../../server/registry/rules/duration.ts';
import {
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../meta/json-value.ts';

const BUDGET = { group: 'policy', resource: 'poddisruptionbudget' } as const;
const VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget.";
const RETRY_SECONDS = 10;
/** @see pkg/registry/core/pod/storage MaxDisruptedPodSize @ 24a394e */
const MOST_DISRUPTED_PODS = 2000;

/** 429 with the cause that drains wait for. */
function violation(message: string, retryAfterSeconds?: number): Error {
  const causes = [{ reason: 'DisruptionBudget', message }];
  const details = retryAfterSeconds === undefined ? { causes } : { causes, retryAfterSeconds };
  return failure('TooManyRequests', VIOLATION, { details });
}

/** 429 for a budget that has no current status yet; clients try again after ten seconds. */
export function budgetInProgress(name: string): Error {
  const text = `The disruption budget ${name} is still being processed by the server.`;
  return violation(text, RETRY_SECONDS);
}

/** Whether a disruption budget is about a pod. One with an unreadable selector is about none. */
export function guards(budget: UnstructuredObject, pod: UnstructuredObject): boolean {
  const selector = recordAt(budget, 'spec', 'selector');
  if (selector === undefined) return false;
  try {
    return labelSelectorFromSpec(selector).matches(pod.metadata?.labels ?? {});
  } catch {
    return false;
  }
}

/** Whether a pod that is not ready may be evicted without counting as a disruption. */
export function letsUnhealthyGo(budget: UnstructuredObject): boolean {
  if (textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const desired = numberAt(budget, 'status', 'desiredHealthy');
  return desired > 0 && numberAt(budget, 'status', 'currentHealthy') >= desired;
}

/**
 * The budget with one disruption less.
 * @throws {ApiError} 403 or 429 when it allows none.
 * @see pkg/registry/core/pod/storage EvictionREST.checkAndDecrement @ 24a394e
 */
export function withOneDisruption(
  budget: UnstructuredObject,
  podName: string,
  nowMs: number,
): UnstructuredObject {
  const name = budget.metadata?.name ?? '';
  const status = recordAt(budget, 'status') ?? {};
  if (numberAt(status, 'observedGeneration') < (budget.metadata?.generation ?? 0)) {
    throw budgetInProgress(name);
  }
  const allowed = numberAt(status, 'disruptionsAllowed');
  if (allowed < 0) throw forbidden(BUDGET, name, 'pdb disruptions allowed is negative');
  const disrupted = recordAt(status, 'disruptedPods') ?? {};
  if (Object.keys(disrupted).length > MOST_DISRUPTED_PODS) {
    const reason = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw forbidden(BUDGET, name, reason);
  }
  if (allowed === 0) throw violation(refusal(name, status));
  const next: JsonRecord = {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...disrupted, [podName]: timestampOf(nowMs) },
  };
  if (allowed === 1) next['conditions'] = withoutAllowance(status, nowMs);
  return { ...budget, status: next };
}

const ALLOWED_CONDITION = 'DisruptionAllowed';

function allowedCondition(status: JsonRecord): JsonRecord | undefined {
  return recordsAt(status, 'conditions').find((one) => textAt(one, 'type') === ALLOWED_CONDITION);
}

function refusal(name: string, status: JsonRecord): string {
  const condition = allowedCondition(status);
  const message = textAt(condition, 'status') === 'False' ? textAt(condition, 'message') : '';
  const reason = textAt(condition, 'reason');
  const healthy = numberAt(status, 'currentHealthy');
  const desired = numberAt(status, 'desiredHealthy');
  const subject = `The disruption budget ${name}`;
  if (message !== '' && reason === 'SyncFailed') {
    return `${subject} does not allow evicting pods currently because it failed sync: ${message}`;
  }
  if (healthy <= desired) {
    return `${subject} needs ${desired} healthy pods and has ${healthy} currently`;
  }
  const detail = message === '' ? '' : ` (${reason}): ${message}`;
  return `${subject} does not allow evicting pods currently${detail}`;
}

function withoutAllowance(status: JsonRecord, nowMs: number): JsonRecord[] {
  const before = allowedCondition(status);
  const others = recordsAt(status, 'conditions').filter((one) => one !== before);
  const same = textAt(before, 'status') === 'False';
  const condition: JsonRecord = {
    type: ALLOWED_CONDITION,
    status: 'False',
    observedGeneration: numberAt(status, 'observedGeneration'),
    lastTransitionTime: same ? before?.['lastTransitionTime'] : timestampOf(nowMs),
    reason: 'InsufficientPods',
    message: '',
  };
  return [...others, condition];
}
