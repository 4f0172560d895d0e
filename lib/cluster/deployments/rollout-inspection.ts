import { joinedKey } from '../../meta/key.ts';
import { conditionOf } from './deployment-conditions.ts';
import { isComplete, TIMED_OUT } from './deployment-status.ts';
import { wantedReplicas, type StoredDeployment } from './replica-counts.ts';

/** A Deployment as a person looks at it. */
export interface RolloutInspection {
  /** Its namespace and name. */
  readonly key: string;
  /** `failed`: a condition says why, and `message` has its text; the rollout goes on if its cause ends. */
  readonly state: 'complete' | 'progressing' | 'paused' | 'failed';
  readonly wanted: number;
  readonly updated: number;
  readonly available: number;
  /** Those of the old template count as well. */
  readonly present: number;
  readonly message: string | undefined;
}

export function rolloutInspection(deployment: StoredDeployment): RolloutInspection {
  const { metadata, spec, status = {} } = deployment;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, conditions = [] } = status;
  const { observedGeneration } = status;
  const counts = { observedGeneration, replicas, updatedReplicas, availableReplicas };
  const refused = conditionOf(conditions, 'ReplicaFailure');
  const progress = conditionOf(conditions, 'Progressing');
  const failure = refused ?? (progress?.reason === TIMED_OUT ? progress : undefined);
  const going = failure === undefined ? 'progressing' : 'failed';
  const state = isComplete(deployment, counts) ? 'complete' : going;
  return {
    key: joinedKey(metadata.name, metadata.namespace),
    state: state !== 'complete' && spec.paused === true ? 'paused' : state,
    wanted: wantedReplicas(deployment),
    updated: updatedReplicas,
    available: availableReplicas,
    present: replicas,
    message: failure?.message,
  };
}
