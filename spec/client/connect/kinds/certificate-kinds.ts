import type { IssuedCertificate } from '../../support/test-authority.ts';
import { kubeconfigText } from '../support/kubeconfig-text.ts';
import { wayInOf } from '../support/trial.ts';
import type { CredentialKind, Room } from './credential-kind.ts';

/** Two files are never replaced at the same moment: the key of the next certificate is there first. */
async function replacePair({ scratch }: Room, issued: IssuedCertificate): Promise<void> {
  await scratch.replace('client.key', issued.privateKey);
  await scratch.replace('client.crt', issued.certificate);
}

const clientCertificate: CredentialKind = {
  name: 'client certificate in files',
  open: async (room) => {
    const { cluster, scratch } = room;
    await replacePair(room, await cluster.issueCertificate());
    const kubeconfig = await scratch.write(
      'config',
      kubeconfigText({
        server: cluster.server,
        authority: cluster.authority,
        user: { 'client-certificate': 'client.crt', 'client-key': 'client.key' },
      }),
    );
    return wayInOf({ kubeconfig }, async () => {
      await replacePair(room, await cluster.issueCertificate());
      await cluster.retireOld();
    });
  },
};

const serverAuthority: CredentialKind = {
  name: 'authority of the server in a file',
  open: async ({ cluster, scratch }) => {
    const first = await cluster.nextAuthority();
    await first.use();
    const authorityFile = await scratch.write('ca.crt', first.authority);
    const kubeconfig = await scratch.write(
      'config',
      kubeconfigText({
        server: cluster.server,
        authorityFile,
        cluster: { 'tls-server-name': cluster.rotatingName },
        user: { token: await cluster.issueToken() },
      }),
    );
    return wayInOf({ kubeconfig }, async () => {
      const next = await cluster.nextAuthority();
      await scratch.replace('ca.crt', next.authority);
      await next.use();
    });
  },
};

export const certificateKinds: readonly CredentialKind[] = [clientCertificate, serverAuthority];
