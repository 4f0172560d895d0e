import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { until } from '../../support/until.ts';
import { RawServer } from '../support/raw-server.ts';
import { Relay } from './streams/support.ts';

const COUNT = 400;
const LABELS = { app: 'web', tier: 'front', release: 'the-one-of-today', team: 'shop' };

/** A client that may ask for gzip of a server on this machine. */
function clientOf(server: string, token?: string): Promise<Client> {
  return connect({
    kubeconfig: {
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'c', user: 'u', namespace: 'default' } }],
      clusters: [{ name: 'c', cluster: { server, 'disable-compression': false } }],
      users: [{ name: 'u', user: token === undefined ? {} : { token } }],
    },
    logger: silentLogger,
  });
}

describe('a compressed streaming list', () => {
  it('is asked for, and the watch after it is not', async () => {
    const encodings: string[] = [];
    const bookmark = `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"5","annotations":{"k8s.io/initial-events-end":"true"}}}}\n`;
    await using server = await RawServer.start(({ url = '', headers }, response) => {
      const { searchParams } = new URL(url, 'http://host');
      const kind = searchParams.has('sendInitialEvents') ? 'list' : 'watch';
      encodings.push(`${kind}: ${String(headers['accept-encoding'])}`);
      if (kind === 'list') response.end(bookmark);
      else response.write('\n');
    });
    await using client = await clientOf(server.url);
    await using informer = new SharedIndexInformer({
      listerWatcher: client.listerWatcher({ apiVersion: 'v1', resource: 'configmaps' }),
      logger: silentLogger,
    });
    void informer.run();
    await until('the watch after the list', () => encodings.length > 1);
    expect(encodings.slice(0, 2)).to.deep.equal(['list: gzip', 'watch: identity']);
  });

  it('fills a cache and keeps it up to date, also after its connections were cut', async () => {
    await using server = new ApiServer({ logger: silentLogger });
    await server.listen();
    const { server: url, token } = server.clientConfig();
    await using direct = await connect({ ...server.clientConfig(), logger: silentLogger });
    const configMaps = direct.resource('v1', 'configmaps', { namespace: 'default' });
    const create = (index: number): Promise<unknown> =>
      configMaps.create({ metadata: { name: `map-${index}`, labels: LABELS } });
    for (let index = 0; index < COUNT; index += 1) await create(index);

    await using relay = await Relay.to(url);
    await using client = await clientOf(relay.url, token);
    await using informer = new SharedIndexInformer({
      listerWatcher: client.listerWatcher(
        { apiVersion: 'v1', resource: 'configmaps' },
        { namespace: 'default' },
      ),
      logger: silentLogger,
    });
    void informer.run();
    const has = (index: number) => (): boolean =>
      informer.lister.namespace('default').get(`map-${index}`) !== undefined;
    await until('the connection of the list', () => relay.connections > 0);
    relay.cut();
    await until('the first state', has(COUNT - 1));
    for (let round = 0; round < 5; round += 1) {
      await create(COUNT + round);
      relay.cut();
      await until(`what came at cut ${round}`, has(COUNT + round));
    }
    for (let index = 0; index < COUNT + 5; index += 1)
      expect(has(index)(), String(index)).to.equal(true);
  });
});
