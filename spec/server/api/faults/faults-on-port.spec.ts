import { expect } from 'chai';
import { SharedInformerFactory } from '../../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { connect } from '../../../../lib/client/rest/connect.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';

describe('faults on the port', () => {
  it('reset a connection, within and before the answer', async () => {
    await using server = new ApiServer();
    await server.listen();
    const url = `${server.url}/api/v1/namespaces/default/configmaps`;
    const headers = { authorization: `Bearer ${server.token}` };
    const before = server.faults.add({ reset: true });
    const error: unknown = await fetch(url, { headers }).catch((reason: unknown) => reason);
    expect(error).to.be.an.instanceOf(TypeError);
    expect(before.fired).to.equal(1);
    server.faults.clear();
    const within = server.faults.add({ reset: { afterBytes: 5 } });
    // A client may see the end of the connection together with the head of the answer.
    const cut: unknown = await fetch(url, { headers })
      .then((answer) => answer.text())
      .catch((reason: unknown) => reason);
    expect(cut).to.be.an.instanceOf(TypeError);
    expect(within.fired).to.equal(1);
  });

  it('do not keep an informer from the state of the server', async () => {
    await using server = new ApiServer();
    await server.listen();
    const cut = server.faults.add({
      match: { verb: 'watch', resource: 'configmaps' },
      reset: { afterEvents: 2 },
      times: 3,
    });
    const list = { verb: 'list', resource: 'configmaps' } as const;
    const busy = server.faults.add({ match: list, answer: { status: 503 }, times: 2 });
    await using client = await connect(server.clientConfig());
    await using informers = new SharedInformerFactory(client, {
      logger: silentLogger,
      backoff: { baseMs: 1, capMs: 5 },
      watchList: false,
    });
    const maps = informers.for('v1', 'configmaps', { namespace: 'default' });
    informers.start();
    await informers.whenSynced();
    const resource = client.resource('v1', 'configmaps', { namespace: 'default' });
    const names = Array.from({ length: 10 }, (_, index) => `c${index}`);
    const missing = new Set(names);
    const complete = new Promise<void>((resolve) => {
      maps.addHandler({
        onAdd: ({ metadata }) => {
          missing.delete(metadata?.name ?? '');
          if (missing.size === 0) resolve();
        },
      });
    });
    for (const name of names) {
      await resource.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    }
    await complete;
    expect([cut.fired, busy.fired]).to.deep.equal([3, 2]);
  });
});
