/** The arguments of `listwatch doctor`. */
export interface DoctorOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Left out: all namespaces. */
  readonly namespace?: string | undefined;
  readonly server?: string | undefined;
  /** Resources as kubectl names them: `pods`, `deployments.apps`, `deployments.v1.apps`. */
  readonly resources: readonly string[];
  /** The longest time of one step, milliseconds. */
  readonly timeoutMs: number;
}
