import { expect } from 'chai';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import { Client } from '../../lib/client/rest/client.ts';
import { connect } from '../../lib/client/rest/connect.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import type { UnstructuredObject } from '../../lib/meta/object.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { EmbeddedKeyValueStore } from '../../lib/server/mvcc/embedded-key-value-store.ts';
import type { KeyValueStore } from '../../lib/server/mvcc/contract/key-value-store.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { HANG_MS, until } from '../support/until.ts';

/** Below that of a spec, so that a failure names what was waited for. */
const TOKEN = 'known-to-both-servers';

function configMap(name: string): UnstructuredObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}

/** Writes past the network, so that nothing but the informers has to find its way back. Fills the watch cache first. */
async function write(server: ApiServer, names: readonly string[]): Promise<void> {
  await using client = new Client({ transport: inProcessTransport(server.handler) });
  const api = client.resource<UnstructuredObject>('v1', 'configmaps', { namespace: 'default' });
  await api.list();
  for (const name of names) await api.create(configMap(name));
}

describe('informers of a server that is killed and started again on its port', () => {
  const notified: string[] = [];
  let relists: number;

  /** Kills the server once the informer is synced, starts the next one, and hands both to `after`. */
  async function restart(
    keyValueStore: KeyValueStore | undefined,
    names: readonly string[],
    after: (
      next: ApiServer,
      informer: SharedIndexInformer<UnstructuredObject>,
      port: number,
    ) => Promise<void>,
  ): Promise<void> {
    notified.length = 0;
    relists = 0;
    await using first = new ApiServer({ token: TOKEN, keyValueStore });
    await first.listen();
    await write(first, names);
    await using client = await connect(first.clientConfig());
    await using informers = new SharedInformerFactory(client, {
      backoff: { baseMs: 5, capMs: 20 },
      logger: silentLogger,
    });
    const informer = informers.for<UnstructuredObject>('v1', 'configmaps');
    informer.addHandler({
      view: 'metadata',
      onAdd: ({ key }) => notified.push(`add ${key}`),
      onUpdate: (_old, { key }) => notified.push(`update ${key}`),
      onDelete: ({ key, finalStateUnknown }) =>
        notified.push(`delete ${key}${finalStateUnknown ? ', missed' : ''}`),
    });
    informer.events.on('relist', () => (relists += 1));
    informers.start();
    await informers.whenSynced({ timeoutMs: HANG_MS });
    const port = Number(new URL(first.url).port);
    await first.close();
    await until('the informer noticed', () => informer.inspect().reflector === 'backing-off');
    await using next = new ApiServer({ token: TOKEN, keyValueStore });
    await after(next, informer, port);
  }

  it('miss nothing and get nothing twice when it comes back with its state', async () => {
    await using store = new EmbeddedKeyValueStore();
    await restart(store, ['old', 'older'], async (next, informer, port) => {
      await write(next, ['while-away']);
      await next.listen({ port });
      await write(next, ['after']);
      await until('all is notified', () => notified.length >= 4);
      expect(notified.toSorted()).to.deep.equal(
        ['after', 'old', 'older', 'while-away'].map((name) => `add default/${name}`),
      );
      expect(informer.indexer.size).to.equal(4);
    });
  });

  const rows = [
    { title: 'whose versions are behind theirs', before: 40, since: 1 },
    { title: 'whose versions have overtaken theirs', before: 2, since: 40 },
  ];
  for (const { title, before, since } of rows) {
    it(`list again when it comes back without its state, as one ${title}`, async () => {
      const past = Array.from({ length: before }, (_, index) => `past-${index}`);
      await restart(undefined, ['in-both', ...past], async (next, informer, port) => {
        const present = Array.from({ length: since }, (_, index) => `present-${index}`);
        await write(next, ['in-both', ...present]);
        await next.listen({ port });
        await write(next, ['after']);
        await until('the change after the restart is notified', () =>
          notified.includes('add default/after'),
        );
        await until(
          'the cache is that of the new server',
          () => informer.indexer.size === since + 2,
        );
        const missed = past.map((name) => `delete default/${name}, missed`);
        expect(notified).to.include.members(missed);
        expect(relists).to.be.at.least(1);
      });
    });
  }
});
