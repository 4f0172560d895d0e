import type { KubernetesObject, ObjectMeta } from 'listwatch';

/** The fields of the kinds that the examples read. Other fields are kept unchanged. */

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
}

export interface PodSpec {
  readonly containers: readonly Container[];
}

export interface PodTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec: PodSpec;
}

export interface ReplicaStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
}

export interface Deployment extends KubernetesObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
  };
  readonly status?: ReplicaStatus & { readonly updatedReplicas?: number };
}

export interface ReplicaSet extends KubernetesObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
  };
  readonly status?: ReplicaStatus;
}

export interface Pod extends KubernetesObject {
  readonly spec: PodSpec;
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly startTime?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export function isReady(pod: Pod): boolean {
  return (
    pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ??
    false
  );
}
