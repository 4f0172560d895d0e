import { join } from 'node:path';

/** For tests: nothing is flushed to the disk, and a leader is there at once. */
export function etcdFlags(
  dataDir: string,
  { client, peer }: { readonly client: number; readonly peer: number },
): readonly string[] {
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
  return [
    `--data-dir=${dataDir}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--heartbeat-interval=10',
    '--election-timeout=100',
    '--unsafe-no-fsync',
  ];
}

export interface ApiServerFlagsOptions {
  /** Has the keys. */
  readonly folder: string;
  readonly port: number;
  readonly etcdServers: readonly string[];
  /** Take the place of those with their names. */
  readonly further: readonly string[];
}

/** The flags of a kube-apiserver without a cluster: on loopback, with RBAC, without controllers and thus without accounts for pods. */
export function apiServerFlags({
  folder,
  port,
  etcdServers,
  further,
}: ApiServerFlagsOptions): readonly string[] {
  const at = (name: string): string => join(folder, name);
  const own = [
    `--etcd-servers=${etcdServers.join(',')}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    // It may not be a loopback address; nothing connects to it.
    '--advertise-address=192.0.2.1',
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.96.0.0/12',
    `--cert-dir=${folder}`,
    `--tls-cert-file=${at('server.crt')}`,
    `--tls-private-key-file=${at('server.key')}`,
    `--client-ca-file=${at('ca.crt')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${at('accounts.pub')}`,
    `--service-account-signing-key-file=${at('accounts.key')}`,
    `--token-auth-file=${at('tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
  ];
  const replaced = new Set(further.map(nameOf));
  return [...own.filter((flag) => !replaced.has(nameOf(flag))), ...further];
}

function nameOf(flag: string): string {
  return flag.replace(/=.*$/s, '').replace(/^-+/, '');
}
