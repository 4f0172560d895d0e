import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { unlessExists } from '../../support/quiet.ts';

interface MongoDB extends KubernetesObject {
  readonly spec: { readonly tls: boolean };
}

interface Certificate extends KubernetesObject {
  readonly spec: { readonly secretName: string };
}

const API = 'psmdb.percona.com/v1';
const CERTIFICATES = 'cert-manager.io/v1';

function operator(looksForAll: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<MongoDB>(client, API, 'perconaservermongodbs', options)
      .owns<Certificate>(CERTIFICATES, 'certificates')
      .reconcile(async ({ metadata: { name }, spec }, { resource, own, owned }) => {
        if (!spec.tls) return;
        const names = [`${name}-ssl`, `${name}-ssl-internal`];
        const present = owned<Certificate>(CERTIFICATES, 'certificates');
        const found = names.filter((one) => present.some(({ metadata }) => metadata.name === one));
        if (found.includes(`${name}-ssl`) && !looksForAll) return;
        for (const secretName of names.filter((one) => !found.includes(one))) {
          const metadata = { name: secretName };
          const ids = { apiVersion: CERTIFICATES, kind: 'Certificate' };
          const certificate = own({ ...ids, metadata, spec: { secretName } });
          await unlessExists(
            resource<Certificate>(CERTIFICATES, 'certificates').create(certificate),
          );
        }
      });
}

export const psmdb578: KnownBug = {
  name: 'psmdb-578',
  upstream: {
    project: 'percona/percona-server-mongodb-operator',
    issue: 'https://jira.percona.com/browse/K8SPSMDB-578',
    fix: 'https://github.com/percona/percona-server-mongodb-operator/pull/797',
    summary:
      'The certificate for clients is asked for first, the one between members second; the first one stands for both in the check. After a ' +
      'crash in between, members talk to each other without a certificate of their own. The fix looks for both.',
  },
  pattern: 'intermediate',
  world: {
    objects: [
      customResource({
        apiVersion: API,
        kind: 'PerconaServerMongoDB',
        plural: 'perconaservermongodbs',
      }),
      customResource({ apiVersion: CERTIFICATES, kind: 'Certificate', plural: 'certificates' }),
    ],
  },
  workload: [
    {
      title: 'a database with certificates',
      act: async (user) => {
        const databases = user.resource<MongoDB>(API, 'perconaservermongodbs');
        const metadata = { name: 'shop', namespace: 'default' };
        const kind = 'PerconaServerMongoDB';
        await databases.create({ apiVersion: API, kind, metadata, spec: { tls: true } });
      },
      until: (state) => state.list(CERTIFICATES, 'certificates', 'default').length === 2,
    },
  ],
  wrong: [operatorOf('psmdb-operator', operator(false))],
  fixed: [operatorOf('psmdb-operator', operator(true))],
};
