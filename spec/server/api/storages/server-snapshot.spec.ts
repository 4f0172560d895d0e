import { expect } from 'chai';
import { SharedInformerFactory } from '../../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { connect } from '../../../../lib/client/rest/connect.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { EtcdKeyValueStore } from '../../../../lib/server/etcd/etcd-key-value-store.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { etcdBinaries, EtcdMember } from '../../../support/etcd.ts';
import { DEFINITIONS, GADGET, GADGETS, gadgets } from '../gadgets.ts';
import { call, type Call, type CallOptions } from '../support.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const SERVICES = '/api/v1/namespaces/default/services';

const configMap = (name: string, data: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

const service = (name: string, clusterIP?: string): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...(clusterIP === undefined ? {} : { clusterIP }) },
});

type Api = (method: string, url: string, options?: CallOptions) => Promise<Call>;

async function withServer(run: (server: ApiServer, api: Api) => Promise<void>): Promise<void> {
  const runtime = new VirtualRuntime();
  await runtime.run(async () => {
    await using server = new ApiServer({ runtime });
    await run(server, (method, url, more) => call(server.handler, method, url, more));
  });
}

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly data?: object;
  readonly spec: { readonly clusterIP: string };
}

async function itemsOf(api: Api, path: string): Promise<readonly Item[]> {
  const { items } = (await api('GET', path)).json() as { items: readonly Item[] };
  return items.filter(({ metadata }) => !metadata.name.startsWith('kube'));
}

const namesOf = (items: readonly Item[]): string[] => items.map(({ metadata }) => metadata.name);

describe('ApiServer.restore', () => {
  it('brings back what was changed or deleted, and removes what was created', async () => {
    await withServer(async (server, api) => {
      for (const name of ['kept', 'changed', 'deleted']) {
        await api('POST', CONFIG_MAPS, { body: configMap(name, { from: 'before' }) });
      }
      const before = await itemsOf(api, CONFIG_MAPS);
      const snapshot = await server.snapshot();
      await api('PUT', `${CONFIG_MAPS}/changed`, { body: configMap('changed', { from: 'after' }) });
      await api('DELETE', `${CONFIG_MAPS}/deleted`);
      await api('POST', CONFIG_MAPS, { body: configMap('created') });
      await server.restore(snapshot);
      const after = await itemsOf(api, CONFIG_MAPS);
      const facts = (items: readonly Item[]): unknown =>
        items.map(({ metadata: { name, uid }, data }) => ({ name, uid, data }));
      expect(facts(after)).to.deep.equal(facts(before));
      const [changed, deleted, kept] = after.map(({ metadata }) =>
        Number(metadata.resourceVersion),
      );
      expect(Math.min(changed ?? 0, deleted ?? 0)).to.be.above(Number(snapshot.resourceVersion));
      expect(kept).to.be.at.most(Number(snapshot.resourceVersion));
    });
  });

  it('can be repeated, also with the snapshot of another server', async () => {
    await withServer(async (server, api) => {
      await api('POST', CONFIG_MAPS, { body: configMap('a') });
      const snapshot = await server.snapshot();
      expect(snapshot.objectCount).to.be.above(1);
      await withServer(async (other, otherApi) => {
        for (let round = 0; round < 3; round += 1) {
          await otherApi('POST', CONFIG_MAPS, { body: configMap(`round-${round}`) });
          await other.restore(snapshot);
          expect(namesOf(await itemsOf(otherApi, CONFIG_MAPS))).to.deep.equal(['a']);
        }
      });
    });
  });

  it('frees and takes the addresses of services', async () => {
    await withServer(async (server, api) => {
      await api('POST', SERVICES, { body: service('a', '10.96.1.1') });
      const snapshot = await server.snapshot();
      await api('POST', SERVICES, { body: service('b', '10.96.1.2') });
      await api('DELETE', `${SERVICES}/a`);
      await server.restore(snapshot);
      const taken = await api('POST', SERVICES, { body: service('c', '10.96.1.1') });
      const free = await api('POST', SERVICES, { body: service('d', '10.96.1.2') });
      expect([taken.status, free.status]).to.deep.equal([422, 201]);
    });
  });

  it('serves the custom resources of the snapshot, and no others', async () => {
    await withServer(async (server, api) => {
      const path = `${GADGETS}/namespaces/default/gadgets`;
      const empty = await server.snapshot();
      expect((await api('POST', DEFINITIONS, { body: gadgets })).status).to.equal(201);
      const body = { ...GADGET, metadata: { name: 'a' } };
      expect((await api('POST', path, { body })).status).to.equal(201);
      const full = await server.snapshot();
      await server.restore(empty);
      expect((await api('GET', path)).status).to.equal(404);
      await server.restore(full);
      expect(namesOf(await itemsOf(api, path))).to.deep.equal(['a']);
    });
  });

  it('gives running watches the changes, so that informers follow without a list', async () => {
    await using server = new ApiServer();
    await server.listen();
    const lists = server.faults.add({
      match: { verb: 'list', resource: 'configmaps' },
      delayMs: 1,
    });
    await using client = await connect(server.clientConfig());
    const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
    const create = async (name: string): Promise<void> => {
      await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    };
    for (const name of ['a', 'b']) await create(name);
    const snapshot = await server.snapshot();
    await using informers = new SharedInformerFactory(client, {
      logger: silentLogger,
      watchList: false,
    });
    const informer = informers.for('v1', 'configmaps', { namespace: 'default' });
    informers.start();
    await informers.whenSynced();
    await maps.delete('a');
    await create('c');
    const restored = new Promise<void>((resolve) => {
      const look = (): void => {
        if (informer.indexer.keys().toSorted().join() === 'default/a,default/b') resolve();
      };
      informer.addHandler({ onAdd: look, onDelete: look });
    });
    const before = lists.matched;
    await server.restore(snapshot);
    await restored;
    expect(lists.matched).to.equal(before);
  });

  it('refuses something else than a snapshot', async () => {
    await withServer(async (server) => {
      const error: unknown = await server
        .restore({ resourceVersion: '1', objectCount: 0 })
        .catch((reason: unknown) => reason);
      expect(error).to.include({ code: 'INVALID_OPTION' });
    });
  });
});

describe('ApiServer.reset', () => {
  it('returns to the state after the start, and clears the faults', async () => {
    await withServer(async (server, api) => {
      const paths = ['/api/v1/namespaces', '/api/v1/services', '/api/v1/configmaps'];
      const state = async (): Promise<unknown> =>
        await Promise.all(
          paths.map(async (path) => {
            const { items } = (await api('GET', path)).json() as { items: readonly Item[] };
            return items.map(({ metadata: { name, uid } }) => [name, uid]);
          }),
        );
      const before = await state();
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
      await api('POST', '/api/v1/namespaces', { body: namespace });
      await api('POST', '/api/v1/namespaces/shop/configmaps', { body: configMap('a') });
      await api('DELETE', '/api/v1/namespaces/shop');
      server.faults.add({ match: { verb: 'create' }, reset: true });
      await server.reset();
      expect(await state()).to.deep.equal(before);
      await api('POST', '/api/v1/namespaces', { body: namespace });
      const created = await api('POST', '/api/v1/namespaces/shop/configmaps', {
        body: configMap('a'),
      });
      expect(created.status).to.equal(201);
    });
  });

  it('is refused for a store that may have had content', async () => {
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      await using keyValueStore = new EmbeddedKeyValueStore({ runtime });
      await using server = new ApiServer({ runtime, keyValueStore });
      const error: unknown = await server.reset().catch((reason: unknown) => reason);
      expect(error).to.include({ code: 'INVALID_OPTION' });
      expect((error as Error).message).to.contain('snapshot()');
    });
  });
});

for (const binary of etcdBinaries()) {
  describe(`ApiServer.restore over ${binary}`, () => {
    it('brings back the objects of the snapshot, and the watches of other servers see it', async function () {
      this.timeout(600_000);
      await using member = await EtcdMember.start({ binary });
      await using store = await EtcdKeyValueStore.connect({ endpoints: [member.url] });
      await using otherStore = await EtcdKeyValueStore.connect({ endpoints: [member.url] });
      await using server = new ApiServer({ keyValueStore: store });
      await using other = new ApiServer({ keyValueStore: otherStore });
      const api: Api = (method, url, more) => call(server.handler, method, url, more);
      const otherApi: Api = (method, url, more) => call(other.handler, method, url, more);
      for (const name of ['changed', 'deleted']) {
        await api('POST', CONFIG_MAPS, { body: configMap(name, { from: 'before' }) });
      }
      const before = await itemsOf(otherApi, CONFIG_MAPS);
      const snapshot = await server.snapshot();
      await otherApi('PUT', `${CONFIG_MAPS}/changed`, { body: configMap('changed') });
      await otherApi('DELETE', `${CONFIG_MAPS}/deleted`);
      for (let index = 0; index < 150; index += 1) {
        await api('POST', CONFIG_MAPS, { body: configMap(`created-${index}`) });
      }
      await server.restore(snapshot);
      for (const one of [api, otherApi]) {
        const after = await itemsOf(one, CONFIG_MAPS);
        expect(after.map(({ metadata: { uid }, data }) => [uid, data])).to.deep.equal(
          before.map(({ metadata: { uid }, data }) => [uid, data]),
        );
      }
    });
  });
}
