import { kubeconfigText } from '../support/kubeconfig-text.ts';
import { LeapingRuntime } from '../support/leaping-runtime.ts';
import { wayInOf } from '../support/trial.ts';
import type { CredentialKind } from './credential-kind.ts';

/** An ID token that is refused within five seconds after its refresh is not refreshed again. */
const BETWEEN_REFRESHES_MS = 6_000;

const openIdConnect: CredentialKind = {
  name: 'OpenID Connect',
  open: async ({ cluster, scratch }) => {
    const { issuer, authority } = await cluster.identityProvider();
    const user = {
      'auth-provider': {
        name: 'oidc',
        config: {
          'idp-issuer-url': issuer.url,
          'idp-certificate-authority-data': Buffer.from(authority).toString('base64'),
          'client-id': issuer.clientId,
          'client-secret': issuer.clientSecret,
          'id-token': issuer.newIdToken(),
          'refresh-token': issuer.newRefreshToken(),
        },
      },
    };
    const text = kubeconfigText({ server: cluster.server, authority: cluster.authority, user });
    const runtime = new LeapingRuntime();
    return wayInOf({ kubeconfig: await scratch.write('config', text), runtime }, async () => {
      runtime.leap(BETWEEN_REFRESHES_MS);
      await cluster.retireIdentities();
    });
  },
};

/** A kubeconfig in memory, in the form in which `@kubernetes/client-node` keeps it. */
const clientNodeObject: CredentialKind = {
  name: 'KubeConfig of client-node, token file',
  open: async ({ cluster, scratch }) => {
    const tokenPath = await scratch.write('token', await cluster.issueToken());
    const authProvider = { name: 'tokenFile', config: { tokenFile: tokenPath } };
    const kubeconfig = {
      clusters: [
        {
          name: 'trial',
          server: cluster.server,
          caData: Buffer.from(cluster.authority).toString('base64'),
          skipTLSVerify: false,
        },
      ],
      users: [{ name: 'trial', authProvider }],
      contexts: [{ name: 'trial', cluster: 'trial', user: 'trial' }],
      currentContext: 'trial',
    };
    return wayInOf({ kubeconfig }, async () => {
      await scratch.replace('token', await cluster.issueToken());
      await cluster.retireOld();
    });
  },
};

export const identityKinds: readonly CredentialKind[] = [openIdConnect, clientNodeObject];
