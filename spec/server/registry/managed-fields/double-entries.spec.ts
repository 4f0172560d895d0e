import { expect } from 'chai';
import { Client } from '../../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../../lib/client/rest/resource-client.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { inProcessTransport } from '../../../../lib/client/transport/in-process/in-process-transport.ts';
import type { Deployment } from '../../../../lib/types/index.ts';

const LABELS = { app: 'web' };
const TYPE = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } } as const;
const SPEC = {
  selector: { matchLabels: LABELS },
  template: {
    metadata: { labels: LABELS },
    spec: { containers: [{ name: 'web', image: 'web:1' }] },
  },
};

/** The managers of a deployment, with the subresources of their entries. */
function managersOf({ metadata }: Deployment): string[] {
  return (metadata?.managedFields ?? []).map(
    ({ manager, subresource }) => `${manager}${subresource === undefined ? '' : `/${subresource}`}`,
  );
}

describe('managed fields after a scale', () => {
  let server: ApiServer;
  let client: Client;
  let deployments: ResourceClient<Deployment>;

  beforeEach(() => {
    server = new ApiServer();
    client = new Client({ transport: inProcessTransport(server.handler) });
    deployments = client.resource('apps/v1', 'deployments', { namespace: 'default' });
  });

  afterEach(async () => {
    await client.close();
    await server.close();
  });

  it('lose the entry of the replicas with the next write, also one that changes nothing', async () => {
    const fieldManager = 'creator';
    await deployments.create({ ...TYPE, spec: { ...SPEC, replicas: 1 } }, { fieldManager });
    const same = { spec: { replicas: 1 } };
    await deployments.patch('web', same, { subresource: 'scale', fieldManager: 'other' });
    expect(managersOf(await deployments.get('web'))).to.deep.equal(['creator', 'creator']);
    const applied = await deployments.apply(TYPE, { fieldManager: 'other' });
    expect(managersOf(applied)).to.deep.equal(['creator']);
  });

  it('let kubectl take over replicas that it applied to the scale and once on the client side', async () => {
    const last = { ...TYPE, spec: { ...SPEC, replicas: 1 } };
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(last),
    };
    await deployments.create(
      { ...last, metadata: { name: 'web', annotations } },
      { fieldManager: 'kubectl-create' },
    );
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' } };
    await client.resource('apps/v1', 'deployments', { namespace: 'default' }).apply(
      { ...scale, spec: { replicas: 1 } },
      {
        subresource: 'scale',
        fieldManager: 'kubectl',
      },
    );
    const applied = await deployments.apply(
      { ...TYPE, spec: { ...SPEC, replicas: 2 } },
      { fieldManager: 'kubectl' },
    );
    expect(applied.spec?.replicas).to.equal(2);
    expect(managersOf(applied)).not.to.include('kubectl/scale');
  });
});
