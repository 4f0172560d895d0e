import { expect } from 'chai';
import type { ListerWatcherSource } from '../../lib/cache/informer/factory/informer-request.ts';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import { Client } from '../../lib/client/rest/client.ts';
import { connect } from '../../lib/client/rest/connect.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { Observer } from './support/observer.ts';
import { HANG_MS, until } from '../support/until.ts';

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

interface Path {
  readonly source: ListerWatcherSource;
  close(): Promise<void>;
}

/** The ways from the storage to an informer; what an informer shows must not depend on which one it is. */
const PATHS: Readonly<Record<string, (server: ApiServer) => Promise<Path>>> = {
  'over HTTP': async (server) => {
    await server.listen();
    const client = await connect(server.clientConfig());
    return { source: client, close: () => client.close() };
  },
  'over HTTP without a socket': (server) => {
    const client = new Client({ transport: inProcessTransport(server.handler) });
    return Promise.resolve({ source: client, close: () => client.close() });
  },
  'straight over the storage': (server) =>
    Promise.resolve({ source: server, close: () => Promise.resolve() }),
};

for (const [name, open] of Object.entries(PATHS)) {
  describe(`an informer ${name}`, () => {
    let server: ApiServer;
    let path: Path;
    let informers: SharedInformerFactory;
    let api: Client;

    beforeEach(async () => {
      server = new ApiServer();
      path = await open(server);
      informers = new SharedInformerFactory(path.source, {
        backoff: { baseMs: 1, capMs: 5 },
        logger: silentLogger,
      });
      api = new Client({ transport: inProcessTransport(server.handler) });
    });

    afterEach(async () => {
      await informers.close();
      await path.close();
      await api.close();
      await server.close();
    });

    const configMaps = (namespace: string = 'default') =>
      api.resource<ConfigMap>('v1', 'configmaps', { namespace });
    const configMap = (name: string, labels: Readonly<Record<string, string>> = {}): ConfigMap => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels },
      data: { from: 'spec' },
    });

    it('mirrors what was there before and every change after, object for object', async () => {
      for (const one of ['a', 'b', 'c']) await configMaps().create(configMap(one));
      const informer = informers.for<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
      const observer = new Observer('whole objects');
      informer.addHandler(observer.objectHandler());
      informers.start();
      await informers.whenSynced({ timeoutMs: HANG_MS });

      await configMaps().patch('a', { data: { changed: 'yes' } });
      await configMaps().delete('b');
      await configMaps().create(configMap('d'));
      const truth = await configMaps().list();
      const alive = new Map(truth.items.map((item) => [`default/${item.metadata.name}`, item]));
      await until('the handler has caught up', () => observer.matches(alive));

      const byKey = (left: ConfigMap, right: ConfigMap): number =>
        left.metadata!.name! < right.metadata!.name! ? -1 : 1;
      expect([...informer.indexer.list()].toSorted(byKey)).to.deep.equal(
        [...truth.items].toSorted(byKey),
      );
      expect(observer.seen.map(({ type, key }) => `${type} ${key}`)).to.deep.equal([
        'add default/a',
        'add default/b',
        'add default/c',
        'update default/a',
        'delete default/b',
        'add default/d',
      ]);
    });

    it('carries the resource version of the deletion in a deletion', async () => {
      const created = await configMaps().create(configMap('short-lived'));
      const informer = informers.for<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
      const observer = new Observer('deletions');
      informer.addHandler(observer.metadataHandler());
      informers.start();
      await informers.whenSynced({ timeoutMs: HANG_MS });
      await configMaps().delete('short-lived');
      await until('the deletion was notified', () => observer.seen.length === 2);
      const deletion = observer.seen[1]!;
      expect(deletion.type).to.equal('delete');
      expect(BigInt(deletion.resourceVersion!) > BigInt(created.metadata.resourceVersion)).to.equal(
        true,
      );
    });

    it('sees objects enter and leave its label selector', async () => {
      const informer = informers.for<ConfigMap>('v1', 'configmaps', { labelSelector: 'tier=web' });
      const observer = new Observer('selected');
      informer.addHandler(observer.metadataHandler());
      informers.start();
      await informers.whenSynced({ timeoutMs: HANG_MS });
      await configMaps().create(configMap('other', { tier: 'data' }));
      await configMaps().create(configMap('mover', { tier: 'data' }));
      await configMaps().patch('mover', { metadata: { labels: { tier: 'web' } } });
      await configMaps().patch('mover', { metadata: { labels: { tier: 'data' } } });
      await until('the mover came and went', () => observer.seen.length >= 2);
      expect(observer.seen.map(({ type, key }) => `${type} ${key}`)).to.deep.equal([
        'add default/mover',
        'delete default/mover',
      ]);
    });

    it('lists again when its past was compacted away, and loses nothing', async () => {
      const informer = informers.for<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
      const observer = new Observer('across a compaction');
      informer.addHandler(observer.objectHandler());
      informers.start();
      await informers.whenSynced({ timeoutMs: HANG_MS });
      await configMaps().create(configMap('before'));
      await server.compact();
      await server.closeConnections();
      await configMaps().create(configMap('after'));
      const truth = await configMaps().list();
      const alive = new Map(truth.items.map((item) => [`default/${item.metadata.name}`, item]));
      await until('the handler has caught up', () => observer.matches(alive));
      expect(
        observer.violations([], { exact: false }).filter((one) => !one.endsWith('existed')),
      ).to.deep.equal([]);
    });

    it('serves a custom resource from the moment its definition exists', async () => {
      await api.resource('apiextensions.k8s.io/v1', 'customresourcedefinitions').create({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'widgets.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object' } },
            },
          ],
        },
      });
      const widgets = api.resource('example.com/v1', 'widgets', { namespace: 'default' });
      await widgets.create({
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        metadata: { name: 'one' },
      });
      const informer = informers.for('example.com/v1', 'widgets');
      informers.start();
      await informers.whenSynced({ timeoutMs: HANG_MS });
      expect(informer.indexer.get('default/one')?.kind).to.equal('Widget');
    });

    it('says in words what is missing when a resource is not served', async () => {
      const informer = informers.for('example.com/v1', 'gadgets');
      informers.start();
      await until('the first attempt', () => informer.inspect().reflector === 'backing-off');
      const error = await informers.whenSynced({ timeoutMs: 50 }).then(
        () => undefined,
        (reason: unknown) => reason as Error,
      );
      expect(error?.message)
        .to.include('gadgets')
        .and.to.match(/does not serve|could not find|unknown/i);
    });
  });
}
