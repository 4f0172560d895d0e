import { expect } from 'chai';
import type { ListerWatcherSource } from '../../lib/cache/informer/factory/informer-request.ts';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import { Client } from '../../lib/client/rest/client.ts';
import type { Transport } from '../../lib/client/transport/contract/transport.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import { shardSelector } from '../../lib/meta/selectors/shard-selector.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { HANG_MS, until } from '../support/until.ts';

const SHARDS = 3;

/** A server that ignores the option, as one without the feature does. */
function withoutShards(transport: Transport): Transport {
  return {
    server: transport.server,
    send: (request) =>
      transport.send({ ...request, path: request.path.replace(/shardSelector=[^&]*/, '') }),
    close: () => transport.close(),
  };
}

const sources: Readonly<
  Record<string, (server: ApiServer, client: Client) => ListerWatcherSource>
> = {
  'over HTTP': (_server, client) => client,
  'of a server that sends all objects': (server) => {
    const transport = withoutShards(inProcessTransport(server.handler, { token: server.token }));
    return new Client({ transport });
  },
  'straight over the storage': (server) => ({
    listerWatcher: (resource, options) => server.listerWatcher(resource, options),
  }),
};

describe('informers of the shards of a collection', () => {
  for (const watchList of [true, false]) {
    for (const [name, sourceOf] of Object.entries(sources)) {
      const how = watchList ? name : `${name}, listed`;
      it(`have each object in exactly one of them, ${how}`, async () => {
        await using server = new ApiServer({ featureGates: { ShardedListAndWatch: true } });
        const transport = inProcessTransport(server.handler, { token: server.token });
        await using client = new Client({ transport });
        const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
        const create = async (from: number): Promise<void> => {
          for (let number = from; number < from + 30; number += 1) {
            await maps.create({ metadata: { name: `map-${number}` } });
          }
        };
        await create(0);
        await using informers = new SharedInformerFactory(sourceOf(server, client), {
          logger: silentLogger,
        });
        const shards = Array.from({ length: SHARDS }, (_, index) =>
          informers.for('v1', 'configmaps', {
            namespace: 'default',
            shardSelector: shardSelector({ index, of: SHARDS }),
            watchList,
          }),
        );
        expect(new Set(shards).size).to.equal(SHARDS);
        const events: string[] = [];
        for (const shard of shards) {
          shard.addHandler({
            onAdd: ({ metadata }) => void events.push(`+${metadata.name}`),
            onDelete: ({ metadata }) => void events.push(`-${metadata.name}`),
          });
        }
        informers.start();
        await informers.whenSynced({ timeoutMs: HANG_MS });
        await create(30);
        for (let number = 0; number < 60; number += 2) await maps.delete(`map-${number}`);
        await until('the events of 60 additions and 30 deletions', () => events.length >= 90);
        const numbers = Array.from({ length: 60 }, (_, number) => number);
        expect(events.toSorted()).to.deep.equal(
          [
            ...numbers.map((number) => `+map-${number}`),
            ...numbers.filter((number) => number % 2 === 0).map((number) => `-map-${number}`),
          ].toSorted(),
        );
        const sizes = shards.map(({ indexer }) => indexer.size);
        expect(sizes.reduce((sum, size) => sum + size)).to.equal(30);
        for (const size of sizes) expect(size).to.be.greaterThan(0);
      });
    }
  }

  it('get only their share from a server that has shards', async () => {
    await using server = new ApiServer({ featureGates: { ShardedListAndWatch: true } });
    const inner = inProcessTransport(server.handler, { token: server.token });
    await using client = new Client({ transport: inner });
    const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
    for (let number = 0; number < 40; number += 1) {
      await maps.create({ metadata: { name: `map-${number}` } });
    }
    const namesOf = async (query: string): Promise<readonly string[]> => {
      const path = `/api/v1/namespaces/default/configmaps?${query}`;
      const response = await inner.send({ method: 'GET', path, headers: {} });
      const pieces: Buffer[] = [];
      for await (const piece of response.body) pieces.push(Buffer.from(piece));
      const list = JSON.parse(Buffer.concat(pieces).toString()) as {
        readonly items?: readonly { readonly metadata: { readonly name: string } }[];
        readonly message?: string;
      };
      return list.items?.map(({ metadata }) => metadata.name) ?? [list.message ?? ''];
    };
    const share = (index: number): Promise<readonly string[]> =>
      namesOf(`shardSelector=${encodeURIComponent(shardSelector({ index, of: 2 }))}`);
    const [first, second] = [await share(0), await share(1)];
    expect(first.length).to.be.within(1, 39);
    expect([...first, ...second].toSorted()).to.deep.equal((await namesOf('')).toSorted());
    expect((await namesOf('shardSelector=half'))[0]).to.include(
      'invalid shard selector: unexpected expression kind 3',
    );
  });

  it('learn from pages whether their server has shards', async () => {
    for (const ShardedListAndWatch of [true, false]) {
      await using server = new ApiServer({ featureGates: { ShardedListAndWatch } });
      const transport = inProcessTransport(server.handler, { token: server.token });
      await using client = new Client({ transport });
      const selector = shardSelector({ index: 0, of: 2 });
      const source = client.listerWatcher(
        { apiVersion: 'v1', resource: 'namespaces' },
        { shardSelector: selector },
      );
      const { shardInfo } = await source.list({});
      expect(shardInfo).to.deep.equal(ShardedListAndWatch ? { selector } : undefined);
    }
  });

  it('show own writes of their shard only', async () => {
    await using server = new ApiServer({ featureGates: { ShardedListAndWatch: true } });
    const transport = inProcessTransport(server.handler, { token: server.token });
    await using client = new Client({ transport });
    await using informers = new SharedInformerFactory(client, { logger: silentLogger });
    const shards = [0, 1].map((index) =>
      informers.for('v1', 'configmaps', {
        namespace: 'default',
        shardSelector: shardSelector({ index, of: 2 }),
      }),
    );
    informers.start();
    await informers.whenSynced({ timeoutMs: HANG_MS });
    for (let number = 0; number < 10; number += 1) {
      const name = `map-${number}`;
      const made = await client
        .resource('v1', 'configmaps', { namespace: 'default' })
        .create({ metadata: { name } });
      for (const shard of shards) shard.written(made);
      const found = shards.filter(({ indexer }) => indexer.get(`default/${name}`) !== undefined);
      expect(found).to.have.length(1);
    }
  });
});
