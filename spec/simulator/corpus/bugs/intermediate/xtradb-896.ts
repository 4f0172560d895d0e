import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { unlessExists } from '../../support/quiet.ts';

interface XtraDBCluster extends KubernetesObject {
  readonly spec: { readonly tls: boolean };
}

const API = 'pxc.percona.com/v1';

/** Which secrets have to be there, so that none is made. */
type Checked = (names: readonly string[]) => readonly string[];

function operator(checked: Checked) {
  return (client: Client, options: ControllerOptions) =>
    controller<XtraDBCluster>(client, API, 'perconaxtradbclusters', options)
      .owns('v1', 'secrets')
      .reconcile(async ({ metadata, spec }, { resource, own, owned }) => {
        if (!spec.tls) return;
        const names = [`${metadata.name}-ssl`, `${metadata.name}-ssl-internal`];
        const present = owned('v1', 'secrets').map((secret) => secret.metadata.name);
        if (checked(names).every((name) => present.includes(name))) return;
        for (const name of names) {
          const secret = own({ metadata: { name }, stringData: { 'tls.crt': name } });
          await unlessExists(resource('v1', 'secrets').create(secret));
        }
      });
}

export const xtradb896: KnownBug = {
  name: 'xtradb-896',
  upstream: {
    project: 'percona/percona-xtradb-cluster-operator',
    issue: 'https://jira.percona.com/browse/K8SPXC-896',
    fix: 'https://github.com/percona/percona-xtradb-cluster-operator/pull/1043',
    summary:
      'Two secrets with certificates are made one after the other, and only the first one is looked for. After a crash in between, the ' +
      'second one is never made. The fix looks for both.',
  },
  pattern: 'intermediate',
  world: {
    objects: [
      customResource({
        apiVersion: API,
        kind: 'PerconaXtraDBCluster',
        plural: 'perconaxtradbclusters',
      }),
    ],
  },
  workload: [
    {
      title: 'a cluster with certificates',
      act: async (user) => {
        const clusters = user.resource<XtraDBCluster>(API, 'perconaxtradbclusters');
        const metadata = { name: 'shop', namespace: 'default' };
        const spec = { tls: true };
        await clusters.create({ apiVersion: API, kind: 'PerconaXtraDBCluster', metadata, spec });
      },
      until: (state) => state.list('v1', 'secrets', 'default').length === 2,
    },
  ],
  wrong: [
    operatorOf(
      'xtradb-operator',
      operator((names) => names.slice(0, 1)),
    ),
  ],
  fixed: [
    operatorOf(
      'xtradb-operator',
      operator((names) => names),
    ),
  ],
};
