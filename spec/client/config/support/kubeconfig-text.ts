import {
  kubeconfigConnection,
  type KubeconfigConnectionOptions,
} from '../../../../lib/client/config/context/kubeconfig-connection.ts';
import type { ConnectionConfig } from '../../../../lib/client/config/contract/connection-config.ts';
import {
  kubeconfigOf,
  type Kubeconfig,
} from '../../../../lib/client/config/kubeconfig/kubeconfig.ts';
import { parseYaml } from '../../../../lib/client/config/kubeconfig/parse-yaml.ts';

/** The path under which the texts of specs are parsed. */
export const FILE = '/home/me/.kube/config';

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

export interface Parts {
  readonly cluster?: string;
  readonly user?: string;
  readonly context?: string;
}

/** A kubeconfig whose context `kind` has the user `me` and the cluster `one`; the fields of the parts are added. */
export function kubeconfigText({
  cluster = '',
  user = 'token: t',
  context = '',
}: Parts = {}): string {
  return `apiVersion: v1
kind: Config
current-context: kind
contexts:
- name: kind
  context: { cluster: one, user: me, namespace: shop ${context} }
- name: other
  context: { cluster: two, user: missing }
clusters:
- name: one
  cluster:
    server: https://10.0.0.1:6443
    ${cluster}
users:
- name: me
  user:
    ${user}
`;
}

/** Parses a text as the file `file`. */
export async function parsed(text: string, file: string = FILE): Promise<Kubeconfig> {
  const directory = file.slice(0, file.lastIndexOf('/'));
  return kubeconfigOf(await parseYaml(text, { name: file, directory, isData: false }));
}

/** The connection of a text, parsed as the file `file`, in an empty environment. */
export async function connectionOf(
  text: string,
  options: Partial<KubeconfigConnectionOptions> = {},
  file: string = FILE,
): Promise<ConnectionConfig> {
  return await kubeconfigConnection(await parsed(text, file), {
    environment: { env: {} },
    ...options,
  });
}
