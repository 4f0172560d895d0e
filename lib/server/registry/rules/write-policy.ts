import type { KubernetesMinor } from '../../../meta/releases/kubernetes-releases.ts';

/** Which rules a server has for a kind, and when they are applied. */
export interface WritePolicy {
  /** The minor version of Kubernetes whose rules they are. @defaultValue the newest one */
  readonly minor?: KubernetesMinor | undefined;
  /** Whether containers may be privileged, as in a cluster with the flag `--allow-privileged`. @defaultValue true */
  readonly allowPrivileged?: boolean | undefined;
  /** The wall-clock time, at an update. */
  readonly nowMs?: number | undefined;
}
