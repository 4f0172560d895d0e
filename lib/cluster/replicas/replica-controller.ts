import { controller } from '../../controller/builder/controller-builder.ts';
import { ownerIndexFunc, OWNER_INDEX } from '../../controller/builder/source/owner-index.ts';
import { isListwatchError } from '../../kernel/failure/errors.ts';
import { labelSelectorFromSpec, type LabelSelector } from '../../meta/selectors/label-selector.ts';
import {
  mayBeAdopted,
  ORPHAN_INDEX,
  orphanIndexFunc,
  SELECTOR_INDEX,
  selectorIndexValue,
  selectorIndexValuesFor,
} from '../ownership/orphans.ts';
import type { ClusterPart } from '../resources/cluster-parts.ts';
import { runningController } from '../resources/running-controller.ts';
import { workloadOptions } from '../resources/workload-options.ts';
import type { WorkloadParts } from '../resources/workload-parts.ts';
import {
  replicaSetKind,
  replicationControllerKind,
  type ReplicaKind,
  type ReplicaOwner,
} from './replica-kind.ts';
import { ReplicaRun } from './replica-run.ts';

/** Pods change in groups, and each group needs one count. */
const MIN_INTERVAL_MS = 50;

/**
 * The controller that keeps as many pods of a ReplicaSet as its spec says.
 *
 * - It counts pods that it controls and selects, which have not ended and are not being deleted.
 * - A refusal of the server, such as a quota, ends in the condition `ReplicaFailure` and an event; the next tries come after a back-off.
 * - It needs no counts of expected writes: its caches show each of its writes as soon as it is answered.
 */
export function replicaSets(parts: WorkloadParts): ClusterPart {
  return replicas(parts, replicaSetKind);
}

/** The same for ReplicationControllers. */
export function replicationControllers(parts: WorkloadParts): ClusterPart {
  return replicas(parts, replicationControllerKind);
}

function replicas<T extends ReplicaOwner>(parts: WorkloadParts, kind: ReplicaKind<T>): ClusterPart {
  const { client, runtime, logger } = parts;
  const { apiVersion, resource, component: name } = kind;
  const options = workloadOptions(parts, name);
  const built = controller<T>(client, apiVersion, resource, {
    ...options,
    name,
    // The status that a user has written is put right.
    everyUpdate: true,
    queue: { minIntervalMs: MIN_INTERVAL_MS },
    onError: ({ key, cause }) => {
      logger.debug('pods are not as they should be', { controller: name, key, error: cause });
    },
  })
    .indexers({
      [OWNER_INDEX]: ownerIndexFunc,
      [SELECTOR_INDEX]: (owner) => {
        const selector = selectorFor(kind, owner);
        const { namespace } = owner.metadata;
        return selector === undefined ? [] : [selectorIndexValue(namespace, selector)];
      },
    })
    .owns('v1', 'pods', { indexers: { [ORPHAN_INDEX]: orphanIndexFunc } })
    .watches(
      'v1',
      'pods',
      ({ metadata }, { byIndex }) =>
        selectorIndexValuesFor(metadata).flatMap((value) => byIndex(SELECTOR_INDEX, value)),
      { where: mayBeAdopted },
    )
    .reconcile(async (owner, context) => {
      const selector = selectorFor(kind, owner);
      if (selector === undefined) return {};
      const nowMs = runtime.wallMs();
      return await new ReplicaRun({ kind, owner, context, selector, nowMs }).run();
    });
  return runningController(built, options);
}

/** Undefined for a selector that selects nothing, because no label can be like that. */
function selectorFor<T extends ReplicaOwner>(
  { selectorOf }: ReplicaKind<T>,
  owner: T,
): LabelSelector | undefined {
  try {
    return labelSelectorFromSpec(selectorOf(owner));
  } catch (error) {
    if (isListwatchError(error, 'INVALID_SELECTOR')) return undefined;
    throw error;
  }
}
