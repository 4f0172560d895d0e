import { kubeconfigText } from '../support/kubeconfig-text.ts';
import { LeapingRuntime } from '../support/leaping-runtime.ts';
import { wayInOf } from '../support/trial.ts';
import type { CredentialKind, Room } from './credential-kind.ts';

/** Prints the credential that is in the file beside it. */
const PLUGIN = `
import { appendFileSync, readFileSync } from 'node:fs';
const { apiVersion } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
appendFileSync(new URL('runs', import.meta.url), 'run\\n');
const status = JSON.parse(readFileSync(new URL('credential.json', import.meta.url), 'utf8'));
console.log(JSON.stringify({ apiVersion, kind: 'ExecCredential', status }));
`;

/** A refused credential makes the plug-in run at most once in five seconds. */
const BETWEEN_RUNS_MS = 6_000;

type Status = Readonly<Record<string, string>>;

/** A plug-in whose next output is that of `issue`. */
function pluginKind(name: string, issue: (room: Room) => Promise<Status>): CredentialKind {
  return {
    name,
    open: async (room) => {
      const { cluster, scratch } = room;
      const publish = async (): Promise<void> => {
        await scratch.replace('credential.json', JSON.stringify(await issue(room)));
      };
      await publish();
      const exec = {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: process.execPath,
        args: [await scratch.write('plugin.mjs', PLUGIN)],
        interactiveMode: 'Never',
      };
      const { server, authority } = cluster;
      const text = kubeconfigText({ server, authority, user: { exec } });
      const runtime = new LeapingRuntime();
      return wayInOf({ kubeconfig: await scratch.write('config', text), runtime }, async () => {
        runtime.leap(BETWEEN_RUNS_MS);
        await publish();
        await cluster.retireOld();
      });
    },
  };
}

export const pluginKinds: readonly CredentialKind[] = [
  pluginKind('exec plug-in, token', async ({ cluster }) => ({ token: await cluster.issueToken() })),
  pluginKind('exec plug-in, client certificate', async ({ cluster }) => {
    const { certificate, privateKey } = await cluster.issueCertificate();
    return { clientCertificateData: certificate, clientKeyData: privateKey };
  }),
];
