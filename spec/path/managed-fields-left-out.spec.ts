import { expect } from 'chai';
import type { ListerWatcherSource } from '../../lib/cache/informer/factory/informer-request.ts';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import { Client } from '../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import type { ApiHandler, ApiRequest } from '../../lib/server/http/api-request.ts';
import { HANG_MS, until } from '../support/until.ts';

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Whether managed fields were in an answer, and the Accept headers of the requests. */
class Wire {
  readonly accepts: string[] = [];
  text = '';

  of(handler: ApiHandler): ApiHandler {
    return async (request: ApiRequest) => {
      this.accepts.push(request.headers['accept'] ?? '');
      const response = await handler(request);
      return { ...response, body: this.#copied(response.body) };
    };
  }

  async *#copied(body: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const pieces = body instanceof Uint8Array ? [body] : body;
    for await (const piece of pieces) {
      this.text += Buffer.from(piece).toString();
      yield piece;
    }
  }
}

/** A server that serves no media type with this parameter, as one that compares the header as a text would. */
function refusingDrop(handler: ApiHandler): ApiHandler {
  return (request) => {
    const ranges = (request.headers['accept'] ?? '').split(',');
    const accept = ranges.filter((range) => !range.includes('drop=')).join(',');
    return handler({ ...request, headers: { ...request.headers, accept } });
  };
}

const WAYS = ['a server with the feature', 'one that ignores it', 'one that refuses it'] as const;

interface Path {
  readonly server: ApiServer;
  readonly client: Client;
  readonly writer: Client;
  readonly wire: Wire;
}

async function withPath(way: (typeof WAYS)[number], run: (path: Path) => Promise<void>) {
  const featureGates = { ManagedFieldsOptOut: way === 'a server with the feature' };
  await using server = new ApiServer({ featureGates });
  const wire = new Wire();
  const below = way === 'one that refuses it' ? refusingDrop(server.handler) : server.handler;
  await using client = new Client({ transport: inProcessTransport(wire.of(below)) });
  await using writer = new Client({ transport: inProcessTransport(server.handler) });
  const maps = writer.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
  for (const name of ['a', 'b']) {
    await maps.create({ metadata: { name, labels: { app: 'web' } }, data: { key: 'value' } });
  }
  await run({ server, client, writer, wire });
}

const has = (object: unknown): boolean => JSON.stringify(object).includes('"managedFields"');

function informersOf(source: ListerWatcherSource, watchList: boolean): SharedInformerFactory {
  const backoff = { baseMs: 1, capMs: 5 };
  return new SharedInformerFactory(source, { backoff, watchList, logger: silentLogger });
}

for (const way of WAYS) {
  describe(`objects without managed fields, of ${way}`, () => {
    const sends = way !== 'a server with the feature';

    for (const watchList of [true, false]) {
      it(`are all that an informer has, ${watchList ? 'streamed' : 'listed'}`, async () => {
        await withPath(way, async ({ client, writer, wire }) => {
          await using informers = informersOf(client, watchList);
          const options = { namespace: 'default', managedFields: false };
          const bare = informers.for<ConfigMap>('v1', 'configmaps', options);
          const names = informers.for('v1', 'configmaps', { ...options, metadataOnly: true });
          const seen: boolean[] = [];
          const note = (object: KubernetesObject): void => void seen.push(has(object));
          bare.addHandler({ onAdd: note, onUpdate: (_, now) => note(now), onDelete: note });
          informers.start();
          await informers.whenSynced({ timeoutMs: HANG_MS });
          const maps = writer.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
          await maps.create({ metadata: { name: 'c' }, data: { key: 'ü' } });
          await maps.patch('a', { data: { more: 'x' } });
          await maps.delete('b');
          await until('all events', () => seen.length >= 5 && names.lister.list().length === 2);
          expect(seen).to.not.include(true);
          expect(wire.text.includes('"managedFields"')).to.equal(sends);
          expect(names.lister.list().some(has)).to.equal(false);
          const truth = (await maps.list({ managedFields: false })).items;
          await until('the same state', () =>
            bare.lister.list().every(({ data }) => data !== undefined),
          );
          expect(bare.lister.list()).to.have.deep.members(truth);
          expect(bare.name).to.equal('configmaps in namespace default, without managed fields');
        });
      });
    }

    it('are read by the calls with the option, and with them by the others', async () => {
      await withPath(way, async ({ client }) => {
        const maps = client.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
        const bare = { managedFields: false };
        expect(has(await maps.get('a'))).to.equal(true);
        expect(await maps.get('a', bare)).to.have.nested.property('data.key', 'value');
        expect(has(await maps.get('a', bare))).to.equal(false);
        const { items } = await maps.list(bare);
        expect(items.map(({ data }) => data)).to.deep.equal([{ key: 'value' }, { key: 'value' }]);
        expect(has(items)).to.equal(false);
        expect(has(await maps.list())).to.equal(true);
        for await (const item of maps.items(bare)) expect(has(item)).to.equal(false);
        const request = { ...bare, sendInitialEvents: true, allowWatchBookmarks: true } as const;
        const watched: string[] = [];
        for await (const event of maps.watch({
          ...request,
          resourceVersionMatch: 'NotOlderThan',
        })) {
          if (event.type === 'BOOKMARK') break;
          watched.push(`${event.object.metadata.name} ${has(event.object)}`);
        }
        expect(watched).to.deep.equal(['a false', 'b false']);
      });
    });

    it('are asked for by an informer of some fields, which is named as before', async () => {
      await withPath(way, async ({ client, wire }) => {
        await using informers = informersOf(client, false);
        const options = { namespace: 'default', fields: ['data'] } as const;
        const some = informers.for('v1', 'configmaps', options);
        informers.start();
        await informers.whenSynced({ timeoutMs: HANG_MS });
        expect(some.name).to.equal('configmaps in namespace default');
        expect(some.lister.list().map(({ data }) => data?.['key'])).to.deep.equal([
          'value',
          'value',
        ]);
        expect(has(some.lister.list())).to.equal(false);
        expect(wire.text.includes('"managedFields"')).to.equal(sends);
        expect(wire.accepts.every((accept) => accept.includes(';drop='))).to.equal(true);
      });
    });

    it('are in another cache than whole objects, which nothing is asked of', async () => {
      await withPath(way, async ({ client, wire }) => {
        await using informers = informersOf(client, false);
        const whole = informers.for<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
        informers.start();
        await informers.whenSynced({ timeoutMs: HANG_MS });
        expect(wire.accepts.some((accept) => accept.includes('drop='))).to.equal(false);
        const options = { namespace: 'default', managedFields: false };
        const bare = informers.for<ConfigMap>('v1', 'configmaps', options);
        await informers.whenSynced({ timeoutMs: HANG_MS });
        expect(whole.lister.list().every(has)).to.equal(true);
        expect(bare.lister.list().some(has)).to.equal(false);
      });
    });
  });
}

describe('objects without managed fields, straight over the storage', () => {
  for (const metadataOnly of [false, true]) {
    it(metadataOnly ? 'are metadata too' : 'are whole otherwise', async () => {
      await withPath('one that ignores it', async ({ server, writer }) => {
        await using informers = informersOf(server, true);
        const options = { namespace: 'default', managedFields: false, metadataOnly };
        const bare = informers.for<ConfigMap>('v1', 'configmaps', options);
        informers.start();
        await informers.whenSynced({ timeoutMs: HANG_MS });
        await writer
          .resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' })
          .create({ metadata: { name: 'c' }, data: { key: 'value' } });
        await until('the third', () => bare.lister.list().length === 3);
        expect(bare.lister.list().some(has)).to.equal(false);
        const values = bare.lister.list().map(({ data }) => data?.['key']);
        expect(values).to.deep.equal(Array(3).fill(metadataOnly ? undefined : 'value'));
      });
    });
  }
});
