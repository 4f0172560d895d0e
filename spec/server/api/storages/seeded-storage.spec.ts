import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { alreadyExists, internalError } from '../../../../lib/meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { SeededStorage, Seeds } from '../../../../lib/server/api/storages/seeded-storage.ts';
import type { ResourceStorage } from '../../../../lib/server/registry/storage-factory.ts';
import { call } from '../support.ts';
import { Answers } from '../../registry/support/answers.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const SERVICES = '/api/v1/namespaces/default/services';
/** One resource of each seed. */
const SEEDED = [
  `${RBAC}/clusterroles`,
  `${RBAC}/roles`,
  `${RBAC}/clusterrolebindings`,
  `${RBAC}/rolebindings`,
  '/apis/apiregistration.k8s.io/v1/apiservices',
  '/apis/scheduling.k8s.io/v1/priorityclasses',
  '/apis/networking.k8s.io/v1/servicecidrs',
  '/apis/networking.k8s.io/v1/ipaddresses',
  '/api/v1/services',
];

interface Item {
  metadata: Record<string, unknown>;
}

async function itemsOf(api: Answers, path: string): Promise<readonly Item[]> {
  return (await api.get(path)).body['items'] as Item[];
}

/** The objects without what differs between two servers. */
function comparable(items: readonly Item[]): unknown[] {
  return items.map(({ metadata, ...rest }) => {
    const { uid: _u, resourceVersion: _r, ...known } = metadata;
    return { ...rest, metadata: known };
  });
}

describe('the seeds of a new storage', () => {
  for (const path of SEEDED) {
    it(`are what a server with a given store creates at its start: ${path}`, async () => {
      const runtime = (): VirtualRuntime => new VirtualRuntime({ seed: 'seeds' });
      const lists: unknown[] = [];
      for (const store of [undefined, new EmbeddedKeyValueStore()]) {
        const clock = runtime();
        const server = new ApiServer({ runtime: clock, keyValueStore: store });
        const { text } = await clock.run(call(server.handler, 'GET', path));
        const { items } = JSON.parse(text) as { items: Item[] };
        lists.push(comparable(items));
        await clock.run(server.close());
      }
      expect(lists[0]).to.not.deep.equal([]);
      expect(lists[0]).to.deep.equal(lists[1]);
    });
  }

  it('are stored for the first request of their resource, and for no other', async () => {
    await using api = new Answers();
    const revision = async (): Promise<number> => {
      const { body } = await api.get('/api/v1/namespaces/default/configmaps');
      return Number((body['metadata'] as { resourceVersion: string }).resourceVersion);
    };
    const before = await revision();
    await api.get('/api/v1/pods');
    expect(await revision()).to.equal(before);
    await api.get(`${RBAC}/clusterroles/view`);
    expect(await revision()).to.equal(before + 73);
    await api.get(`${RBAC}/clusterroles`);
    expect(await revision()).to.equal(before + 73);
  });

  it('were created when the server started', async () => {
    const runtime = new VirtualRuntime();
    const server = new ApiServer({ runtime });
    const get = async (path: string): Promise<Item> =>
      JSON.parse((await runtime.run(call(server.handler, 'GET', path))).text) as Item;
    const { creationTimestamp } = (await get('/api/v1/namespaces/default')).metadata;
    await runtime.advance(5000);
    expect((await get(`${RBAC}/clusterroles/view`)).metadata).to.include({ creationTimestamp });
    await runtime.run(server.close());
  });

  it('are not stored because time goes by', async () => {
    const runtime = new VirtualRuntime();
    const server = new ApiServer({ runtime });
    const revision = async (): Promise<unknown> => {
      const { text } = await runtime.run(call(server.handler, 'GET', '/api/v1/pods'));
      return (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata
        .resourceVersion;
    };
    const before = await revision();
    await runtime.advance(60_000);
    expect(await revision()).to.equal(before);
    await runtime.run(server.close());
  });

  it('hold their names against a create that is the first request', async () => {
    await using api = new Answers();
    const metadata = { name: 'view' };
    expect((await api.post(`${RBAC}/clusterroles`, { metadata })).status).to.equal(409);
    const spec = { clusterIP: '10.96.0.1', ports: [{ port: 80 }] };
    const thief = await api.post(SERVICES, { metadata: { name: 'thief' }, spec });
    expect(thief.body['message']).to.contain('already allocated');
  });

  it('are in a snapshot that was taken before they were needed', async () => {
    await using first = new Answers();
    const snapshot = await first.server.snapshot();
    await using second = new Answers();
    await second.server.restore(snapshot);
    for (const path of SEEDED) {
      const [one, other] = [await itemsOf(first, path), await itemsOf(second, path)];
      expect(other.map(({ metadata }) => metadata['uid'])).to.deep.equal(
        one.map(({ metadata }) => metadata['uid']),
        path,
      );
    }
  });

  it('stay when the server is reset, and lose what was changed', async () => {
    await using api = new Answers();
    const path = `${RBAC}/clusterroles/view`;
    const { metadata } = (await api.get(path)).body as unknown as Item;
    await api.merge(path, { metadata: { labels: { own: 'x' } } });
    await api.ask('DELETE', `${RBAC}/clusterroles/edit`);
    await api.server.reset();
    const after = (await api.get(path)).body as unknown as Item;
    expect(after.metadata['uid']).to.equal(metadata['uid']);
    expect(after.metadata['labels']).to.deep.equal(metadata['labels']);
    expect(await itemsOf(api, `${RBAC}/clusterroles`)).to.have.length(73);
    // Those that were not needed before the reset.
    expect(await itemsOf(api, '/api/v1/services')).to.have.length(1);
  });

  it('name the port of a server that listens, before and after they are stored', async () => {
    const targetPort = async (server: ApiServer): Promise<number> => {
      const { text } = await call(server.handler, 'GET', `${SERVICES}/kubernetes`);
      return (JSON.parse(text) as { spec: { ports: [{ targetPort: number }] } }).spec.ports[0]
        .targetPort;
    };
    await using late = new ApiServer();
    expect(await targetPort(late)).to.equal(6443);
    await late.listen();
    expect(await targetPort(late)).to.equal(Number(new URL(late.url).port));
    await using early = new ApiServer();
    await early.listen();
    expect(await targetPort(early)).to.equal(Number(new URL(early.url).port));
    await early.reset();
    expect(await targetPort(early)).to.equal(Number(new URL(early.url).port));
  });
});

/** A storage that counts, and fails a given number of times. */
function fakeStorage(failures: Error[] = []): ResourceStorage & { readonly created: string[] } {
  const created: string[] = [];
  return {
    created,
    create: (key: string) => {
      const failure = failures.shift();
      if (failure !== undefined) return Promise.reject(failure);
      created.push(key);
      return Promise.resolve({});
    },
    get: () => Promise.resolve(undefined),
    getList: () => Promise.resolve({ items: [] }),
    scan: () => Promise.resolve({ items: created }),
  } as unknown as ResourceStorage & { readonly created: string[] };
}

describe('SeededStorage', () => {
  const object: UnstructuredObject = { kind: 'Thing' };
  const make = (): { key: string; object: UnstructuredObject }[] => [
    { key: '/one', object },
    { key: '/two', object },
  ];

  it('stores the seeds once for operations that come together, and reports it before they run', async () => {
    const storage = fakeStorage();
    const notified: number[] = [];
    const onStored = (): Promise<void> => {
      notified.push(storage.created.length);
      return Promise.resolve();
    };
    const seeded = new SeededStorage(storage, new Seeds({ storage, make, onStored }));
    await Promise.all([seeded.get('/a'), seeded.getList('/'), seeded.create('/three', object)]);
    expect(storage.created).to.deep.equal(['/one', '/two', '/three']);
    expect(notified).to.deep.equal([2]);
  });

  it('passes a scan on, after the seeds', async () => {
    const storage = fakeStorage();
    const onStored = (): Promise<void> => Promise.resolve();
    const seeded = new SeededStorage(storage, new Seeds({ storage, make, onStored }));
    expect((await seeded.scan('/')).items).to.deep.equal(['/one', '/two']);
  });

  it('refuses the operation when the seeds cannot be stored, and tries again for the next one', async () => {
    const storage = fakeStorage([internalError('broken')]);
    const onStored = (): Promise<void> => Promise.resolve();
    const seeded = new SeededStorage(storage, new Seeds({ storage, make, onStored }));
    const refused = await seeded.get('/a').catch((error: unknown) => error);
    expect(refused).to.be.an('error').with.property('message').that.contains('broken');
    await seeded.get('/a');
    expect(storage.created).to.deep.equal(['/two', '/one', '/two']);
  });

  it('accepts seeds that an interrupted attempt has stored', async () => {
    const exists = alreadyExists({ group: '', resource: 'things' }, 'one');
    const storage = fakeStorage([exists]);
    const onStored = (): Promise<void> => Promise.resolve();
    const seeded = new SeededStorage(storage, new Seeds({ storage, make, onStored }));
    expect(await seeded.get('/a')).to.equal(undefined);
    expect(storage.created).to.deep.equal(['/two']);
  });
});
