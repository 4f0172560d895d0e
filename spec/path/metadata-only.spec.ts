import { expect } from 'chai';
import type { ListerWatcherSource } from '../../lib/cache/informer/factory/informer-request.ts';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import { Client } from '../../lib/client/rest/client.ts';
import { connect } from '../../lib/client/rest/connect.ts';
import type { ResourceClient } from '../../lib/client/rest/resource-client.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import type { ApiHandler } from '../../lib/server/http/api-request.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { HANG_MS, until } from '../support/until.ts';

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

interface Path {
  readonly source: ListerWatcherSource;
  close(): Promise<void>;
}

/** The content of the answers, to see which bytes travelled. */
class Wiretap {
  text = '';

  tapped(handler: ApiHandler): ApiHandler {
    return async (request) => {
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

/** The server that knows nothing but whole objects. */
function ignoringAccept(handler: ApiHandler): ApiHandler {
  return (request) =>
    handler({ ...request, headers: { ...request.headers, accept: 'application/json' } });
}

const wiretap = new Wiretap();

const inProcess = (handler: ApiHandler): Promise<Path> => {
  const client = new Client({ transport: inProcessTransport(wiretap.tapped(handler)) });
  return Promise.resolve({ source: client, close: () => client.close() });
};

const PATHS: Readonly<Record<string, (server: ApiServer) => Promise<Path>>> = {
  'over HTTP': async (server) => {
    await server.listen();
    const client = await connect(server.clientConfig());
    return { source: client, close: () => client.close() };
  },
  'over HTTP without a socket': (server) => inProcess(server.handler),
  'of a server that sends whole objects': (server) => inProcess(ignoringAccept(server.handler)),
  'straight over the storage': (server) =>
    Promise.resolve({ source: server, close: () => Promise.resolve() }),
};

for (const watchList of [true, false]) {
  for (const [name, open] of Object.entries(PATHS)) {
    describe(`an informer of metadata ${name}, ${watchList ? 'streamed' : 'listed'}`, () => {
      let server: ApiServer;
      let path: Path;
      let informers: SharedInformerFactory;
      let api: Client;
      let configMaps: ResourceClient<ConfigMap>;

      beforeEach(async () => {
        wiretap.text = '';
        server = new ApiServer();
        path = await open(server);
        const backoff = { baseMs: 1, capMs: 5 };
        informers = new SharedInformerFactory(path.source, {
          backoff,
          watchList,
          logger: silentLogger,
        });
        api = new Client({ transport: inProcessTransport(server.handler) });
        configMaps = api.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
      });

      afterEach(async () => {
        await informers.close();
        await path.close();
        await api.close();
        await server.close();
      });

      const configMap = (one: string): ConfigMap => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: one, labels: { app: 'web' } },
        data: { password: 'hunter2' },
      });

      it('mirrors metadata and nothing else, through every kind of change', async () => {
        for (const one of ['a', 'b']) await configMaps.create(configMap(one));
        const { informer } = informers.acquire('v1', 'configmaps', {
          metadataOnly: true,
          namespace: 'default',
          indexers: { byApp: ({ metadata }) => [metadata.labels?.['app'] ?? ''] },
        });
        const deleted: string[] = [];
        informer.addHandler({ onDelete: (object) => deleted.push(object.kind) });
        informers.start();
        await informers.whenSynced({ timeoutMs: HANG_MS });
        await configMaps.create(configMap('c'));
        await configMaps.patch('a', { metadata: { labels: { app: 'db' } }, data: { more: 'x' } });
        await configMaps.delete('b');
        await until('the deletion', () => deleted.length === 1);

        const truth = (await configMaps.list()).items;
        const shown = informer.lister.list();
        expect(shown.map(({ metadata }) => metadata)).to.have.deep.members(
          truth.map(({ metadata }) => metadata),
        );
        expect(shown.map((object) => Object.keys(object).toSorted().join())).to.deep.equal(
          truth.map(() => 'apiVersion,kind,metadata'),
        );
        expect(deleted).to.deep.equal(['PartialObjectMetadata']);
        expect(informer.indexer.byIndex('byApp', 'db')).to.have.length(1);
        const whole = name === 'of a server that sends whole objects';
        expect(wiretap.text.includes('hunter2')).to.equal(whole);
      });

      it('is another informer than that of whole objects', async () => {
        await configMaps.create(configMap('a'));
        const whole = informers.for<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
        const bare = informers.for('v1', 'configmaps', {
          namespace: 'default',
          metadataOnly: true,
        });
        informers.start();
        await informers.whenSynced({ timeoutMs: HANG_MS });
        expect(whole.lister.list()[0]?.data).to.deep.equal({ password: 'hunter2' });
        expect(bare.lister.list()[0]).not.to.have.property('data');
        expect(bare.name).to.equal('configmaps in namespace default, metadata only');
        expect(whole.name).to.equal('configmaps in namespace default');
      });
    });
  }
}
