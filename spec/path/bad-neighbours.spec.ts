import { expect } from 'chai';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import { Client } from '../../lib/client/rest/client.ts';
import { ReconcileLoop } from '../../lib/controller/runtime/reconcile-loop.ts';
import { RateLimitingQueue } from '../../lib/controller/workqueue/rate-limiting-queue.ts';
import type { Logger } from '../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../lib/kernel/time/wait.ts';
import type { KubernetesObject, UnstructuredObject } from '../../lib/meta/object.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { lineLogger } from '../support/line-logger.ts';

const THREW = 'hook threw: the hook itself (hook=onError';

/** Names that every object of the language has, where Kubernetes allows them as names. */
const NAMES = ['constructor', 'tostring', 'valueof', 'a', 'z'];

function configMap(name: string): UnstructuredObject {
  const metadata = {
    name,
    labels: { constructor: 'toString', hasOwnProperty: 'valueOf' },
    annotations: { constructor: '{}', isPrototypeOf: '' },
  };
  const data: unknown = JSON.parse('{"__proto__": "p", "constructor": "c", "toString": "t"}');
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

function boom(): never {
  throw new Error('boom');
}

/** Typed as what it passes for: a hook that returns nothing of interest. */
const asyncHookThatFails: () => unknown = () => Promise.reject(new Error('the hook itself'));

describe('from the server to a reconcile and back', () => {
  let runtime: VirtualRuntime;
  let server: ApiServer;
  let client: Client;
  let log: string[];
  let logger: Logger;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    server = new ApiServer({ runtime });
    client = new Client({ transport: inProcessTransport(server.handler), runtime });
    log = [];
    logger = lineLogger((line) => log.push(line), ['error']);
  });

  afterEach(async () => {
    await runtime.run(client.close());
    await runtime.run(server.close());
  });

  async function write(namespaces: readonly string[]): Promise<void> {
    for (const namespace of namespaces) {
      const api = client.resource<UnstructuredObject>('v1', 'configmaps', { namespace });
      for (const name of NAMES) await api.create(configMap(name));
      await api.patch('a', { data: { toString: null } });
      await api.delete('z');
    }
  }

  it('names of the language are names like others', async () => {
    await runtime.run(async () => {
      await client
        .resource('v1', 'namespaces')
        .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'constructor' } });
      await using informers = new SharedInformerFactory(client, { runtime });
      const labels = (object: KubernetesObject): string[] =>
        Object.keys(object.metadata?.labels ?? {});
      const informer = informers.for('v1', 'configmaps', {
        labelSelector: 'constructor=toString',
        indexers: { constructor: labels, toString: labels },
      });
      const notified: string[] = [];
      informer.addHandler({ onDelete: (_object, { key }) => notified.push(key) });
      informers.start();
      await informers.whenSynced({ timeoutMs: 1_000 });
      await write(['constructor', 'default']);
      await sleep(runtime, 1_000);

      const keys = ['constructor', 'default'].flatMap((namespace) =>
        NAMES.filter((name) => name !== 'z').map((name) => `${namespace}/${name}`),
      );
      expect([...informer.indexer.keys()].toSorted()).to.deep.equal(keys.toSorted());
      expect(notified).to.deep.equal(['constructor/z', 'default/z']);
      const found = informer.indexer.get('constructor/constructor');
      expect(JSON.stringify(found?.['data'])).to.equal(JSON.stringify(configMap('x')['data']));
      expect(informer.indexer.byIndex('constructor', 'hasOwnProperty')).to.have.length(8);
      expect(informer.indexer.byIndex('toString', 'toString')).to.deep.equal([]);
      const lister = informer.lister.namespace('constructor');
      expect(lister.list({ labels: 'hasOwnProperty=valueOf' })).to.have.length(4);
      expect(lister.list({ labels: 'toString' })).to.deep.equal([]);
      expect(({} as Record<string, unknown>)['p']).to.equal(undefined);
    });
  });

  it('code that fails costs no other handler an event', async () => {
    await runtime.run(async () => {
      await using informers = new SharedInformerFactory(client, {
        runtime,
        logger,
        onError: asyncHookThatFails,
      });
      const informer = informers.for('v1', 'configmaps', {
        indexers: {
          throwing: boom,
          // A value that plain JavaScript may pass.
          garbage: () => [1, null] as unknown as string[],
          good: ({ metadata }) => [metadata?.name ?? ''],
        },
        transform: (object) => (object.metadata?.name === 'valueof' ? boom() : object),
      });
      const notified: string[] = [];
      informer.addHandler({ onAdd: boom, onUpdate: boom, onDelete: boom });
      informer.addHandler({ onAdd: () => Promise.reject(new Error('later')) });
      informer.addHandler({
        onAdd: (_object, { key }) => notified.push(`add ${key}`),
        onUpdate: (_old, _object, { key }) => notified.push(`update ${key}`),
        onDelete: (_object, { key }) => notified.push(`delete ${key}`),
      });
      for (const event of ['synced', 'transition', 'watch-error', 'bookmark'] as const) {
        informer.events.on(event, boom);
      }
      informers.start();
      await informers.whenSynced({ timeoutMs: 1_000 });
      await write(['default']);
      await sleep(runtime, 1_000);

      expect(notified).to.deep.equal([
        'add default/constructor',
        'add default/tostring',
        'add default/a',
        'add default/z',
        'update default/a',
        'delete default/z',
      ]);
      expect(informer.indexer.byIndex('good', 'tostring')).to.have.length(1);
      expect(log.filter((line) => !line.startsWith(`${THREW} informer=configmaps`))).to.deep.equal(
        [],
      );
    });
  });

  it('a key whose reconcile fails, and an error hook that does, keep no other key waiting', async () => {
    await runtime.run(async () => {
      const queue = new RateLimitingQueue({ runtime, name: 'maps' });
      const done: string[] = [];
      const stop = new AbortController();
      const loop = new ReconcileLoop({
        queue,
        runtime,
        logger,
        onError: asyncHookThatFails,
        reconcile: ({ key }) => (key === 'bad' ? boom() : Promise.resolve(void done.push(key))),
      });
      const running = loop.run({ signal: stop.signal });
      for (const key of ['bad', 'a', 'b']) queue.add(key);
      await sleep(runtime, 60_000);
      queue.add('c');
      await sleep(runtime, 60_000);
      stop.abort();
      await running;
      expect(done).to.deep.equal(['a', 'b', 'c']);
      expect(log.length, 'retries').to.be.greaterThan(5);
      expect(log.filter((line) => !line.startsWith(`${THREW} controller=maps`))).to.deep.equal([]);
    });
  });
});
