import { expect } from 'chai';
import { connect } from '../../../../lib/client/rest/connect.ts';
import { Client } from '../../../../lib/client/rest/client.ts';
import type { Scale } from '../../../../lib/client/rest/subresources/subresource-objects.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { failureOf } from '../../support/failure-of.ts';
import { ScriptedTransport } from '../../support/scripted-transport.ts';

const labels = { app: 'web' };
const podSpec = { containers: [{ name: 'app', image: 'web:1' }] };

async function withClient(run: (client: Client) => Promise<void>): Promise<void> {
  await using server = new ApiServer();
  await server.listen();
  await using client = await connect(server.clientConfig());
  await run(client);
}

describe('subresources', () => {
  it('read and set the replicas of a deployment', async () => {
    await withClient(async (client) => {
      const deployments = client.resource('apps/v1', 'deployments', { namespace: 'default' });
      await deployments.create({
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: podSpec },
        },
      });
      const scales = deployments.subresource<Scale>('scale');
      expect((await scales.get('web')).spec.replicas).to.equal(1);
      expect((await deployments.scale('web', 4)).spec.replicas).to.equal(4);
      const scale = await scales.get('web');
      const updated = await scales.update('web', { ...scale, spec: { replicas: 2 } });
      expect([updated.kind, updated.spec.replicas]).to.deep.equal(['Scale', 2]);
      expect(await deployments.get('web')).to.have.nested.property('spec.replicas', 2);
    });
  });

  it('bind and evict a pod, and refuse an eviction that a budget forbids', async () => {
    await withClient(async (client) => {
      const pods = client.resource('v1', 'pods', { namespace: 'default' });
      await pods.create({ metadata: { name: 'web', labels }, spec: podSpec });
      await pods.bind('web', 'node-1');
      expect(await pods.get('web')).to.have.nested.property('spec.nodeName', 'node-1');
      const condition = { type: 'Ready', status: 'True' };
      const running = { status: { phase: 'Running', conditions: [condition] } };
      await pods.patch('web', running, { subresource: 'status' });
      const budgets = client.resource('policy/v1', 'poddisruptionbudgets', {
        namespace: 'default',
      });
      await budgets.create({
        metadata: { name: 'web' },
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      });
      const refused = await failureOf(pods.evict('web', { gracePeriodSeconds: 0 }));
      expect(refused).to.include({ code: 'TOO_MANY_REQUESTS' });
      await budgets.delete('web');
      await pods.evict('web', { gracePeriodSeconds: 0 });
      expect(await failureOf(pods.get('web'))).to.include({ code: 'NOT_FOUND' });
    });
  });

  it('refuse options that they do not know, before they send anything', async () => {
    const transport = new ScriptedTransport(() => ({ body: {} }));
    const scales = new Client({ transport })
      .resource('apps/v1', 'deployments', { namespace: 'default' })
      .subresource<Scale>('scale');
    const wrong = { dryrun: true } as object;
    const scale = {} as Scale;
    for (const call of [
      scales.get('web', wrong),
      scales.create('web', scale, wrong),
      scales.update('web', scale, wrong),
      scales.patch('web', { spec: { replicas: 2 } }, wrong),
    ]) {
      expect(await failureOf(call)).to.include({ code: 'INVALID_OPTION' });
    }
    expect(transport.requests).to.deep.equal([]);
  });

  it('give a token of a service account, which the server accepts', async () => {
    await using server = new ApiServer();
    await server.listen();
    await using client = await connect(server.clientConfig());
    const accounts = client.resource('v1', 'serviceaccounts', { namespace: 'default' });
    await accounts.create({ metadata: { name: 'robot' } });
    const { token, expirationTimestamp } = await accounts.createToken('robot', {
      expirationSeconds: 3600,
    });
    expect(Date.parse(expirationTimestamp)).to.be.greaterThan(0);
    const config = server.clientConfig();
    await using robot = await connect({ ...config, token });
    const reviews = robot.resource('authentication.k8s.io/v1', 'selfsubjectreviews');
    const review = await reviews.create({});
    expect(review).to.have.nested.property(
      'status.userInfo.username',
      'system:serviceaccount:default:robot',
    );
  });
});
