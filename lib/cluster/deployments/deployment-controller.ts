import { controller } from '../../controller/builder/controller-builder.ts';
import { ownerIndexFunc, OWNER_INDEX } from '../../controller/builder/source/owner-index.ts';
import { isListwatchError } from '../../kernel/failure/errors.ts';
import { joinedKey } from '../../meta/key.ts';
import { controllerOf, type HasMetadata } from '../../meta/object.ts';
import { labelSelectorFromSpec, type LabelSelector } from '../../meta/selectors/label-selector.ts';
import type { Deployment } from '../../types/built-in/apps-v1-kinds.ts';
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
import { DeploymentRun } from './deployment-run.ts';
import { isRolling } from './replica-counts.ts';

const NAME = 'deployment-controller';
/** ReplicaSets report their pods in groups. */
const MIN_INTERVAL_MS = 50;

/**
 * The controller that rolls Deployments out by means of ReplicaSets.
 *
 * - The newest ReplicaSet is the one with the template of the Deployment; the others are its history, which `kubectl rollout undo` uses.
 * - A refusal of the server ends in a condition and an event; the next tries come after a back-off.
 * - A run makes all steps that are possible now, and writes the status once. It needs no counts of expected writes: its caches show each of
 *   its writes as soon as it is answered.
 * - It wakes for the deadline of a rollout, and never when nothing is rolled out.
 */
export function deployments(parts: WorkloadParts): ClusterPart {
  const { client, informers, runtime, logger } = parts;
  const options = workloadOptions(parts, NAME);
  const sets = informers.for('apps/v1', 'replicasets');
  const owners = informers.for('apps/v1', 'deployments');
  /** A Deployment that waits until its old pods are gone. */
  const waiting = (pod: HasMetadata): string | undefined => {
    const { namespace } = pod.metadata ?? {};
    const set = controllerOf(pod);
    const found = set && sets.indexer.get(joinedKey(set.name, namespace));
    const owner = found?.metadata.uid === set?.uid && found && controllerOf(found);
    if (!owner) return undefined;
    const key = joinedKey(owner.name, namespace);
    const deployment = owners.indexer.get(key);
    const isOwner = deployment?.metadata.uid === owner.uid;
    return isOwner && deployment && !isRolling(deployment) ? key : undefined;
  };
  const built = controller(client, 'apps/v1', 'deployments', {
    ...options,
    name: NAME,
    // The status that a user has written is put right.
    everyUpdate: true,
    queue: { minIntervalMs: MIN_INTERVAL_MS },
    onError: ({ key, cause }) => {
      logger.debug('a rollout does not go on', { controller: NAME, key, error: cause });
    },
  })
    .indexers({
      [SELECTOR_INDEX]: (deployment) => {
        const selector = selectorOf(deployment);
        const { namespace } = deployment.metadata;
        return selector === undefined ? [] : [selectorIndexValue(namespace, selector)];
      },
    })
    .owns('apps/v1', 'replicasets', { indexers: { [ORPHAN_INDEX]: orphanIndexFunc } })
    .watches(
      'apps/v1',
      'replicasets',
      ({ metadata }, { byIndex }) =>
        selectorIndexValuesFor(metadata).flatMap((value) => byIndex(SELECTOR_INDEX, value)),
      { where: mayBeAdopted },
    )
    .watches('v1', 'pods', waiting, {
      where: ({ type }) => type === 'deleted',
      indexers: { [OWNER_INDEX]: ownerIndexFunc },
    })
    .reconcile(async (deployment, context) => {
      const selector = selectorOf(deployment);
      if (selector === undefined) return {};
      if (selector.empty) {
        const note = 'This deployment is selecting all pods. A non-empty selector is required.';
        context.event({ type: 'Warning', reason: 'SelectingAll', note });
        return { status: { observedGeneration: deployment.metadata.generation } };
      }
      const nowMs = runtime.wallMs();
      return await new DeploymentRun({ deployment, context, selector, nowMs }).run();
    });
  return runningController(built, options);
}

/** Undefined for a selector that no label can satisfy. */
function selectorOf({ spec }: Deployment): LabelSelector | undefined {
  try {
    return labelSelectorFromSpec(spec.selector);
  } catch (error) {
    if (isListwatchError(error, 'INVALID_SELECTOR')) return undefined;
    throw error;
  }
}
