import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubeconfigText } from '../support/kubeconfig-text.ts';
import { wayInOf } from '../support/trial.ts';
import type { CredentialKind, Room } from './credential-kind.ts';

const tokenOption: CredentialKind = {
  name: 'token',
  open: async ({ cluster }) =>
    wayInOf({
      server: cluster.server,
      token: await cluster.issueToken(),
      tls: { ca: cluster.authority },
    }),
};

const tokenFile: CredentialKind = {
  name: 'token file',
  open: async (room) => {
    const { cluster, scratch } = room;
    const kubeconfig = await scratch.write('config', await tokenFileKubeconfig(room));
    return wayInOf({ kubeconfig }, async () => {
      await scratch.replace('token', await cluster.issueToken());
      await cluster.retireOld();
    });
  },
};

/** A kubeconfig whose user has the next token of the cluster in a file `token`, with further fields of the cluster. */
export async function tokenFileKubeconfig(
  { cluster, scratch }: Room,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return kubeconfigText({
    server: cluster.server,
    authority: cluster.authority,
    user: { tokenFile: await scratch.write('token', await cluster.issueToken()) },
    cluster: fields,
  });
}

const impersonation: CredentialKind = {
  name: 'token file, impersonating a user',
  open: async ({ cluster, scratch }) => {
    const { token, actsAs } = await cluster.issueImpersonator();
    const kubeconfig = await scratch.write(
      'config',
      kubeconfigText({
        server: cluster.server,
        authority: cluster.authority,
        user: { tokenFile: await scratch.write('token', token), as: actsAs },
      }),
    );
    return wayInOf({ kubeconfig }, async () => {
      const next = await cluster.issueImpersonator();
      await scratch.replace('token', next.token);
      await cluster.retireOld();
    });
  },
};

const basicPassword: CredentialKind = {
  name: 'user name and password',
  needsFront: true,
  open: async ({ cluster, scratch }) => {
    const user = await cluster.issuePassword();
    const { server, authority } = cluster;
    return wayInOf({
      kubeconfig: await scratch.write('config', kubeconfigText({ server, authority, user })),
    });
  },
};

/** The volume of a service account, replaced as the kubelet does: a link is moved from one directory to the next. */
const pod: CredentialKind = {
  name: 'service account of a pod',
  open: async ({ cluster, scratch }) => {
    const volume = join(scratch.path, 'serviceaccount');
    let count = 0;
    const publish = async (token: string): Promise<void> => {
      count += 1;
      const directory = join(volume, `..2026_${count}`);
      await mkdir(directory, { recursive: true });
      await writeFile(join(directory, 'token'), token);
      await writeFile(join(directory, 'ca.crt'), cluster.authority);
      await writeFile(join(directory, 'namespace'), cluster.namespace);
      await symlink(`..2026_${count}`, join(volume, '..data_tmp'));
      await rename(join(volume, '..data_tmp'), join(volume, '..data'));
    };
    await publish(await cluster.issueToken());
    for (const name of ['token', 'ca.crt', 'namespace']) {
      await symlink(join('..data', name), join(volume, name));
    }
    const { hostname, port } = new URL(cluster.server);
    const options = {
      env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
      homeDir: scratch.path,
      serviceAccountDirectory: volume,
    };
    return wayInOf(options, async () => {
      await publish(await cluster.issueToken());
      await cluster.retireOld();
    });
  },
};

export const tokenKinds: readonly CredentialKind[] = [
  tokenOption,
  tokenFile,
  pod,
  basicPassword,
  impersonation,
];
