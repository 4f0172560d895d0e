/** The data with which a client connects. */
export interface ReadyReport {
  /** With scheme and port, e.g. `https://127.0.0.1:6443`. */
  readonly address: string;
  /** The path of the file. */
  readonly kubeconfig: string;
  /** The names of the controllers that work in it. */
  readonly controllers: readonly string[];
}

/** The line on standard output when clients can connect. Its JSON form has `ready`, `address`, `kubeconfig`, `controllers` and `kubectl`. */
export function readyLine(
  { address, kubeconfig, controllers }: ReadyReport,
  json: boolean,
): string {
  const kubectl = `kubectl --kubeconfig ${shellWord(kubeconfig)} get namespaces`;
  if (json)
    return `${JSON.stringify({ ready: true, address, kubeconfig, controllers, kubectl })}\n`;
  return `ready on ${address}: ${kubectl}\n`;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
