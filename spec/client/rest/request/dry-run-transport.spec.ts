import { expect } from 'chai';
import { SharedInformerFactory } from '../../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { connect } from '../../../../lib/client/rest/connect.ts';
import { inProcessTransport } from '../../../../lib/client/transport/in-process/in-process-transport.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { isAlreadyExists } from '../../../../lib/meta/failure/failures.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { failureOf } from '../../support/failure-of.ts';
import { HANG_MS } from '../../../support/until.ts';

const text = (name: string) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } }) as const;

describe('a client with dryRun', () => {
  it('stores nothing by any verb, and gets the answers', async () => {
    await using server = new ApiServer();
    const transport = inProcessTransport(server.handler, { token: server.token });
    await using real = await connect({ transport });
    await using dry = await connect({ transport, dryRun: true, fieldManager: 'shop' });
    const stored = real.resource('v1', 'configmaps', { namespace: 'default' });
    const tried = dry.resource('v1', 'configmaps', { namespace: 'default' });
    await stored.create(text('old'));
    const pods = real.resource('v1', 'pods', { namespace: 'default' });
    await pods.create({
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'app', image: 'web:1' }] },
    });
    const state = async () => [await stored.list(), await pods.list()];
    const before = await state();

    expect((await tried.create(text('new'))).data).to.deep.equal({ a: '1' });
    expect((await tried.create(text('new'), { dryRun: false })).data).to.deep.equal({ a: '1' });
    expect((await tried.update({ ...text('old'), data: { a: '2' } })).data).to.deep.equal({
      a: '2',
    });
    expect((await tried.patch('old', { data: { b: '2' } })).data).to.deep.equal({ a: '1', b: '2' });
    expect((await tried.apply(text('applied'))).data).to.deep.equal({ a: '1' });
    const changed = await tried.createOrUpdate('old', () => ({ ...text('old'), data: { c: '3' } }));
    expect([changed.result, changed.object.data]).to.deep.equal(['updated', { c: '3' }]);
    await tried.delete('old', { preconditions: { uid: before[0]?.items[0]?.metadata?.uid } });
    await tried.deleteCollection();
    await dry.resource('v1', 'pods', { namespace: 'default' }).evict('web');
    const [applied] = await dry.applyAll([text('manifest')]);
    expect(applied?.name).to.equal('manifest');
    expect(await state()).to.deep.equal(before);
    expect(isAlreadyExists(await failureOf(tried.create(text('old'))))).to.equal(true);
  });

  it('shows informers nothing of its writes', async () => {
    await using server = new ApiServer();
    const transport = inProcessTransport(server.handler, { token: server.token });
    await using dry = await connect({ transport, dryRun: true });
    await using informers = new SharedInformerFactory(dry, { logger: silentLogger });
    const writes = informers.for('v1', 'configmaps', { namespace: 'default' });
    informers.start();
    await informers.whenSynced({ timeoutMs: HANG_MS });
    await dry.resource('v1', 'configmaps', { namespace: 'default', writes }).create(text('new'));
    expect(writes.indexer.get('default/new')).to.equal(undefined);
  });

  it('runs no commands in pods, and says why', async () => {
    await using server = new ApiServer();
    const transport = inProcessTransport(server.handler, { token: server.token });
    await using dry = await connect({ transport, dryRun: true });
    const error = await failureOf(
      dry.resource('v1', 'pods', { namespace: 'default' }).exec('web', ['rm', '-r', '/data']),
    );
    expect(String(error)).to.include('runs no commands in pods and forwards no ports');
  });

  it('is refused another value', async () => {
    await using server = new ApiServer();
    const transport = inProcessTransport(server.handler, { token: server.token });
    const error = await failureOf(connect({ transport, dryRun: 'All' as unknown as boolean }));
    expect(String(error)).to.include('option "dryRun" must be true or false');
  });
});
