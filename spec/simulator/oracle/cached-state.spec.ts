import { expect } from 'chai';
import {
  InformerPart,
  type ComparedInformer,
} from '../../../lib/cache/informer/observe/informer-inspection.ts';
import { RateLimitingQueue, SharedInformerFactory } from '../../../lib/index.ts';
import { QueuePart } from '../../../lib/controller/workqueue/queue-part.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { SharedCollections } from '../../../lib/cache/reflector/contract/shared-collections.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { WorkloadStep } from '../../../lib/simulator/contract/world.ts';
import { partFindings } from '../../../lib/simulator/oracle/cached-state.ts';
import { simulate } from '../../../lib/simulator/simulate.ts';
import { WrittenHistory } from './support/written-history.ts';

const LATE = { key: 'b', priority: 0, inMs: -5000, why: 'delay' } as const;
const PATH = '/api/v1/namespaces/default/configmaps';

interface CacheSettings {
  readonly labelSelector?: string;
  readonly more?: Partial<ComparedInformer>;
  readonly indexed?: boolean;
}

/** An informer with these objects. */
function cacheOf(
  objects: readonly KubernetesObject[],
  { labelSelector = '', more, indexed = true }: CacheSettings = {},
): InformerPart {
  const byKey = new Map(objects.map((one) => [`default/${one.metadata?.name}`, one.metadata]));
  const indexer = {
    keys: () => [...byKey.keys()],
    metadata: (key: string) => byKey.get(key),
    indexValues: () => ['default'],
    indexKeys: () => (indexed ? [...byKey.keys()] : []),
  };
  const informer: ComparedInformer = {
    name: 'maps',
    phase: 'running',
    synced: true,
    namespaces: undefined,
    indexer,
    ...more,
  };
  const key = JSON.stringify(['v1', PATH, labelSelector, '', '', false, 0]);
  const collections = new SharedCollections();
  return new InformerPart(informer, { supports: { sharing: { collections, key } } });
}

const messages = (part: object, { history }: WrittenHistory): string[] =>
  partFindings('shop', [part], history).map(({ class: kind, message }) => `${kind}: ${message}`);

describe('the oracle of caches', () => {
  it('accepts a cache that has what the server has, and one that has not begun or has ended', () => {
    const written = new WrittenHistory();
    const a = written.put('a', { color: 'red' });
    const b = written.put('b');
    expect(messages(cacheOf([a, b]), written)).to.deep.equal([]);
    expect(messages(cacheOf([a], { labelSelector: 'color=red' }), written)).to.deep.equal([]);
    expect(messages(cacheOf([], { more: { synced: false } }), written)).to.deep.equal([]);
    expect(messages(cacheOf([], { more: { phase: 'stopped' } }), written)).to.deep.equal([]);
    expect(messages(cacheOf([], { more: { namespaces: ['other'] } }), written)).to.deep.equal([]);
  });

  it('reports what a cache lacks, what it has too many, and what is old', () => {
    const written = new WrittenHistory();
    const old = written.put('a');
    written.put('a');
    const gone = written.put('gone');
    written.delete('gone');
    written.put('b');
    const text = 'cache: long after the last change its cache';
    expect(messages(cacheOf([old, gone]), written)).to.deep.equal([
      `${text} has default/a at version 11, and the server at 12`,
      `${text} has default/gone, which the server has not`,
      `${text} lacks default/b`,
    ]);
  });

  it('reports an index that lacks keys', () => {
    const written = new WrittenHistory();
    expect(messages(cacheOf([written.put('a')], { indexed: false }), written)).to.deep.equal([
      'cache: long after the last change its cache has other keys in its index by namespace',
    ]);
  });
});

describe('an informer of a simulated controller', () => {
  it('is compared in the end of each run, and one that stays wrong is found', async () => {
    const controller = (part: InformerPart): SimulatedController => ({
      name: 'shop',
      run: async ({ client, runtime, signal, logger }) => {
        runtime.onPart?.(part);
        await using informers = new SharedInformerFactory(client, { runtime, logger });
        informers.for('v1', 'configmaps');
        informers.start();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    const step: WorkloadStep = {
      title: 'create a config map',
      act: async (user) => {
        const maps = user.resource('v1', 'configmaps', { namespace: 'default' });
        await maps.create({ metadata: { name: 'page' } });
      },
    };
    const settings = { workload: [step], seeds: 1, onFailure: 'return' } as const;
    const right = cacheOf([], { more: { synced: false } });
    expect((await simulate({ ...settings, controllers: [controller(right)] })).ok).to.equal(true);
    const { failures } = await simulate({ ...settings, controllers: [controller(cacheOf([]))] });
    expect(failures[0]?.findings[0]).to.include({ class: 'cache', subject: 'shop: maps' });
  });
});

describe('the oracle of queues', () => {
  const observed = (runtime: VirtualRuntime): object[] => {
    const parts: object[] = [];
    Object.assign(runtime, { onPart: (part: object) => parts.push(part) });
    return parts;
  };

  it('accepts keys that wait for a worker, or for their time', async () => {
    const runtime = new VirtualRuntime({ seed: 1 });
    await runtime.run(async () => {
      const parts = observed(runtime);
      const queue = new RateLimitingQueue({ runtime });
      queue.add('a');
      queue.addAfter('b', 1000);
      expect(parts.flatMap((part) => messages(part, new WrittenHistory()))).to.deep.equal([]);
      expect(parts).to.have.length(1);
      queue.destroy();
    });
  });

  it('reports a key that is not handed out to a worker that waits, and one that is late', async () => {
    const runtime = new VirtualRuntime({ seed: 1 });
    await runtime.run(async () => {
      const queue = new RateLimitingQueue({ runtime });
      queue.addAfter('b', 500);
      const part = new QueuePart(queue, () => true);
      expect(messages(part, new WrittenHistory())).to.deep.equal([]);
      queue.add('a');
      expect(messages(part, new WrittenHistory())).to.deep.equal([
        'queue: the key a waits, and so does a worker',
      ]);
      const late = { ...queue.inspect(), delayed: { count: 1, keys: [LATE] } };
      const { name } = queue;
      expect(
        messages(new QueuePart({ name, inspect: () => late }, () => false), new WrittenHistory()),
      ).to.deep.equal(['queue: the time of the key b is over, and it is not handed out']);
      queue.destroy();
    });
  });
});
