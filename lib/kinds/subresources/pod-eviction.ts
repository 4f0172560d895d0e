import {
  conflict,
  invalid,
  isConflict,
  forbidden,
  type FieldCause,
} from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { ObjectStore } from '../../server/registry/contract/object-store.ts';
import type {
  DeleteRequest,
  RequestContext,
  RestStorage,
  WriteOptions,
  WriteResult,
} from '../../server/registry/contract/rest-storage.ts';
import { serverContext, serverStrategy } from '../../server/registry/contract/server-context.ts';
import type { SubresourceParts } from '../../server/registry/contract/subresource-parts.ts';
import { deletionCauses, policyOf } from '../../server/registry/contract/deletion-options.ts';
import { fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import {
  jsonEqual,
  recordAt,
  textAt,
  textsAt,
  valueAt,
  numberAt,
  recordsAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import { checkNamed, namedCreation, plainFailure, successStatus } from './named-creation.ts';
import { isPodReady, withPodCondition } from './pod-condition.ts';
import { failure } from '../../meta/failure/api-error.ts';
import { labelSelectorFromSpec } from '../../meta/selectors/label-selector.ts';
import { timestampOf } from '../../server/registry/rules/duration.ts';

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
function budgetInProgress(name: string): Error {
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

const DELETE_OPTIONS = { group: 'meta.k8s.io', kind: 'DeleteOptions' } as const;
const EVICTION = { group: 'policy', version: 'v1', kind: 'Eviction' } as const;
/** Attempts after concurrent writes of the pod. See pkg/registry/core/pod/storage EvictionsRetry @ 24a394e. */
const ATTEMPTS = 20;
const READ_ERROR_OPTION = 'ignoreStoreReadErrorWithClusterBreakingPotential';

const CONDITION = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
} as const;

/** `pods/NAME/eviction`: deletes a pod if its disruption budget allows it. */
export function podEviction(parts: SubresourceParts): RestStorage {
  return {
    ...namedCreation({
      of: parts.store.describe,
      kind: EVICTION,
      createNamed: async (context, name, eviction, options) => {
        checkNamed(eviction, name, 'Eviction');
        const { deletion, causes } = deletionOf(eviction, name, options);
        return await new Eviction(parts, context, name, deletion, causes).run();
      },
    }),
    acceptedVersions: ['policy/v1beta1'],
  };
}

interface AskedDeletion {
  readonly deletion: DeleteRequest;
  /** Why its options are refused, which is found when the pod is deleted. */
  readonly causes: readonly FieldCause[];
}

/** @throws {ApiError} 422; 500 when the dry run of query and body differ. */
function deletionOf(
  eviction: UnstructuredObject,
  name: string,
  { dryRun = false }: WriteOptions,
): AskedDeletion {
  const given = recordAt(eviction, 'deleteOptions') ?? {};
  if (given[READ_ERROR_OPTION] === true) {
    const rule = 'can not be set for pod eviction, try after removing the option';
    throw invalid(EVICTION, name, [fieldInvalid(`deleteOptions.${READ_ERROR_OPTION}`, true, rule)]);
  }
  const asked = textsAt(given, 'dryRun');
  if (dryRun && asked.length > 0 && !jsonEqual(asked, ['All'])) {
    throw plainFailure(
      `Non-matching dry-run options in request and content: [All] and [${asked.join(' ')}]`,
    );
  }
  const grace = valueAt(given, 'gracePeriodSeconds');
  const policy = valueAt(given, 'propagationPolicy');
  const orphans = valueAt(given, 'orphanDependents');
  const policies = {
    propagationPolicy: typeof policy === 'string' ? policy : undefined,
    orphanDependents: typeof orphans === 'boolean' ? orphans : undefined,
    dryRun: asked,
  };
  return {
    deletion: {
      dryRun: dryRun || asked.length > 0,
      gracePeriodSeconds: typeof grace === 'number' ? grace : undefined,
      propagationPolicy: policyOf(policies),
      preconditions: preconditionsOf(given),
    },
    causes: deletionCauses(policies),
  };
}

function preconditionsOf(given: object): DeleteRequest['preconditions'] {
  const uid = textAt(given, 'preconditions', 'uid') || undefined;
  const resourceVersion = textAt(given, 'preconditions', 'resourceVersion') || undefined;
  return uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion };
}

/**
 * One eviction. It awaits between the budget and the deletion: a budget may count a disruption although the deletion fails, as on
 * every cluster.
 * @see pkg/registry/core/pod/storage EvictionREST @ 24a394e
 */
class Eviction {
  readonly #parts: SubresourceParts;
  readonly #context: RequestContext;
  readonly #name: string;
  readonly #deletion: DeleteRequest;
  readonly #causes: readonly FieldCause[];

  constructor(
    parts: SubresourceParts,
    context: RequestContext,
    name: string,
    deletion: DeleteRequest,
    causes: readonly FieldCause[],
  ) {
    this.#parts = parts;
    this.#context = context;
    this.#name = name;
    this.#deletion = deletion;
    this.#causes = causes;
  }

  /** @throws {ApiError} 403, 404, 409, 429. */
  async run(): Promise<WriteResult> {
    for (let attempt = 1; ; attempt += 1) {
      const pod = await this.#parts.store.get(this.#context, this.#name);
      if (!isUnguarded(pod.object)) return await this.#withBudget(pod);
      try {
        const mayRace = textAt(pod.object, 'status', 'phase') === 'Pending' && !isLeaving(pod);
        await this.#delete(mayRace ? this.#at(pod.resourceVersion) : this.#deletion);
        return successStatus();
      } catch (error) {
        const asked = this.#deletion.preconditions?.resourceVersion;
        if (!isConflict(error) || asked !== undefined || attempt >= ATTEMPTS) throw error;
      }
    }
  }

  async #withBudget(pod: WriteResult): Promise<WriteResult> {
    const budgets = this.#parts.storeOf('policy', 'poddisruptionbudgets');
    const listed = await budgets?.list(this.#context);
    const [budget, another] = (listed?.items ?? []).filter((one) => guards(one.object, pod.object));
    if (another !== undefined) {
      throw plainFailure(
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      );
    }
    if (budgets === undefined || budget === undefined) {
      await this.#delete(this.#deletion);
      return successStatus();
    }
    const name = budget.metadata.name ?? '';
    if (isPodReady(pod.object) || !letsUnhealthyGo(budget.object)) {
      await this.#countDisruption(budgets, name);
      await this.#delete(this.#deletion);
    } else {
      await this.#deleteUnhealthy(pod, name);
    }
    return successStatus();
  }

  /** The pod must still be as unhealthy as it was when it was read. */
  async #deleteUnhealthy(pod: WriteResult, budget: string): Promise<void> {
    try {
      await this.#delete(this.#at(pod.resourceVersion));
    } catch (error) {
      const asked = this.#deletion.preconditions?.resourceVersion;
      throw isConflict(error) && asked === undefined ? budgetInProgress(budget) : error;
    }
  }

  async #countDisruption(budgets: ObjectStore, name: string): Promise<void> {
    const nowMs = this.#parts.runtime.wallMs();
    const { dryRun } = this.#deletion;
    await budgets.updateThrough(
      serverStrategy,
      serverContext(this.#context.namespace, this.#context.signal),
      name,
      (budget = {}) => withOneDisruption(budget, this.#name, nowMs),
      { dryRun, subresource: 'status' },
    );
  }

  /** The deletion of this version of the pod, unless the client has asked for another. */
  #at(resourceVersion: string): DeleteRequest {
    const { preconditions } = this.#deletion;
    return { ...this.#deletion, preconditions: { resourceVersion, ...preconditions } };
  }

  /** Sets the condition that says why the pod is deleted, and deletes it. */
  async #delete(deletion: DeleteRequest): Promise<void> {
    const { store, runtime } = this.#parts;
    let { preconditions } = deletion;
    if (deletion.dryRun !== true) {
      const nowMs = runtime.wallMs();
      const { result } = await store.updateThrough(
        serverStrategy,
        this.#context,
        this.#name,
        (pod = {}) => {
          checkPreconditions(pod, preconditions);
          return { ...pod, status: withPodCondition(pod, CONDITION, nowMs) };
        },
        { applied: true },
      );
      if (preconditions?.resourceVersion !== undefined) {
        preconditions = { ...preconditions, resourceVersion: result.resourceVersion };
      }
    }
    if (this.#causes.length > 0) throw invalid(DELETE_OPTIONS, '', this.#causes);
    await store.delete(this.#context, this.#name, {
      ...deletion,
      preconditions,
      admission: 'done',
    });
  }
}

/** Whether the containers of a pod do not run, so that no budget has to be asked. */
function isUnguarded(pod: UnstructuredObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  const leaving = pod.metadata?.deletionTimestamp !== undefined;
  return leaving || ['Succeeded', 'Failed', 'Pending'].includes(phase);
}

function isLeaving({ metadata }: WriteResult): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** @throws {ApiError} 409. */
function checkPreconditions(
  { metadata }: UnstructuredObject,
  preconditions: DeleteRequest['preconditions'],
): void {
  const { uid, resourceVersion } = preconditions ?? {};
  const name = metadata?.name ?? '';
  const pod = { group: '', resource: 'Pod' };
  if (uid !== undefined && uid !== metadata?.uid) {
    const reason = `the UID in the precondition (${uid}) does not match the UID in record (${metadata?.uid}). The object might have been deleted and then recreated`;
    throw conflict(pod, name, reason);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata?.resourceVersion) {
    const reason = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata?.resourceVersion}). The object might have been modified`;
    throw conflict(pod, name, reason);
  }
}
