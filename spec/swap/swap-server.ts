/** One of the two servers, as a process over an etcd. */
export interface SwapServer extends AsyncDisposable {
  readonly name: string;
  readonly kubeconfig: string;
}
