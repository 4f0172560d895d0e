import type { KubernetesObject } from '../../meta/object.ts';
import type { LabelSelectorSpec } from '../../meta/selectors/label-selector.ts';
import type { ReplicaSet } from '../../types/built-in/apps-v1-kinds.ts';
import type { PodTemplateSpec, ReplicationController } from '../../types/built-in/core-v1-kinds.ts';

export interface ReplicaCondition {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly lastTransitionTime?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

export interface ReplicaStatus {
  readonly replicas?: number | undefined;
  readonly fullyLabeledReplicas?: number | undefined;
  readonly readyReplicas?: number | undefined;
  readonly availableReplicas?: number | undefined;
  readonly terminatingReplicas?: number | undefined;
  readonly observedGeneration?: number | undefined;
  readonly conditions?: readonly ReplicaCondition[] | undefined;
}

/** The part that the kinds have in common. */
export interface ReplicaOwner extends KubernetesObject {
  readonly spec?:
    | {
        readonly replicas?: number | undefined;
        readonly minReadySeconds?: number | undefined;
        readonly template?: PodTemplateSpec | undefined;
      }
    | undefined;
  readonly status?: ReplicaStatus | undefined;
}

/** A kind that keeps a number of pods of one template. */
export interface ReplicaKind<T extends ReplicaOwner> {
  readonly apiVersion: string;
  readonly resource: string;
  /** The reporter of its events. */
  readonly component: string;
  readonly selectorOf: (owner: T) => LabelSelectorSpec;
  /** Whether its status has `terminatingReplicas`. */
  readonly countsTerminating: boolean;
}

export const replicaSetKind: ReplicaKind<ReplicaSet> = {
  apiVersion: 'apps/v1',
  resource: 'replicasets',
  component: 'replicaset-controller',
  selectorOf: ({ spec }) => spec.selector,
  countsTerminating: true,
};

export const replicationControllerKind: ReplicaKind<ReplicationController> = {
  apiVersion: 'v1',
  resource: 'replicationcontrollers',
  component: 'replication-controller',
  selectorOf: ({ spec }) => ({ matchLabels: spec?.selector }),
  countsTerminating: false,
};
