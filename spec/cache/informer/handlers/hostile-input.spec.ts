import { expect } from 'chai';
import type { ListerWatcher } from '../../../../lib/cache/reflector/contract/lister-watcher.ts';
import { BatchChannel } from '../../../../lib/kernel/data/batch-channel.ts';
import { DecodedView, type ObjectView } from '../../../../lib/meta/object-view.ts';
import type { WatchEvent } from '../../../../lib/meta/watch-event.ts';
import { Harness, recorder, type HarnessOptions } from '../../support/informer-harness.ts';
import { codeOf, pod, type Pod } from '../../support/objects.ts';

type Page = Awaited<ReturnType<ListerWatcher<ObjectView<Pod>>['list']>>;

const viewOf = (object: unknown): ObjectView<Pod> => new DecodedView(object as Pod);

/** A source with scripted events. */
class Anything implements ListerWatcher<ObjectView<Pod>> {
  readonly description = 'anything';
  readonly supports = { watchList: false };
  readonly #items: readonly unknown[];
  #channel: BatchChannel<WatchEvent<ObjectView<Pod>>> | undefined;

  constructor(items: readonly unknown[]) {
    this.#items = items;
  }

  list(): Promise<Page> {
    return Promise.resolve({ items: this.#items.map(viewOf), resourceVersion: '10' });
  }

  watch({
    signal,
  }: {
    signal?: AbortSignal | undefined;
  }): Promise<BatchChannel<WatchEvent<ObjectView<Pod>>>> {
    const channel = new BatchChannel<WatchEvent<ObjectView<Pod>>>({ name: 'any', capacity: 1000 });
    signal?.addEventListener('abort', () => {
      channel.end();
    });
    this.#channel = channel;
    return Promise.resolve(channel);
  }

  send(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: unknown): void {
    this.#channel?.push({ type, object: viewOf(object) });
  }
}

const NO_OBJECTS: readonly unknown[] = [
  {},
  null,
  'text',
  [],
  { metadata: null },
  { metadata: 'text' },
  { metadata: {} },
  { metadata: { name: '' } },
  { metadata: { name: 7 } },
];

async function informerOver(
  items: readonly unknown[],
  options: HarnessOptions = {},
): Promise<{ source: Anything; harness: Harness; log: string[] }> {
  const source = new Anything(items);
  const harness = new Harness({ listerWatcher: source, silenceProbeMs: 0, ...options });
  const log: string[] = [];
  harness.informer.addHandler(recorder(log));
  await harness.start();
  return { source, harness, log };
}

describe('An informer survives', () => {
  it('values that are not objects, in lists and in events, and reports each', async () => {
    const { source, harness, log } = await informerOver([
      pod('a', { resourceVersion: '9' }),
      ...NO_OBJECTS,
      pod('b', { resourceVersion: '10' }),
    ]);
    const codes = (): (string | undefined)[] =>
      harness.errors.splice(0).map(({ error }) => error.code);
    expect(codes()).to.deep.equal(NO_OBJECTS.map(() => 'KEY'));
    expect(harness.informer.synced).to.equal(true);
    for (const object of NO_OBJECTS) {
      for (const type of ['ADDED', 'MODIFIED', 'DELETED'] as const) source.send(type, object);
    }
    source.send('ADDED', pod('c', { resourceVersion: '11' }));
    await harness.runtime.advance(1000);
    expect(harness.informer.indexer.keys()).to.deep.equal(['shop/a', 'shop/b', 'shop/c']);
    expect(log).to.deep.equal(['+shop/a@9!', '+shop/b@10!', '+shop/c@11']);
    expect(codes().filter((code) => code === 'KEY').length).to.equal(3 * NO_OBJECTS.length);
    await harness.stop();
  });

  it('names that are properties of every object', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const harness = new Harness({
      objects: names.map((name) => pod(`/${name}`, { labels: { kind: name } })),
      indexers: { byKind: ({ metadata }) => Object.values(metadata.labels ?? {}) },
    });
    const log: string[] = [];
    harness.informer.addHandler(recorder(log));
    await harness.start();
    const { indexer, lister } = harness.informer;
    expect(indexer.keys()).to.have.members(names);
    for (const name of names) {
      expect(indexer.byIndex('byKind', name).map(({ metadata }) => metadata.name)).to.deep.equal([
        name,
      ]);
      expect(lister.get(name)?.metadata.name).to.equal(name);
      harness.informer.written(
        pod(`/${name}`, { resourceVersion: '99', labels: { kind: 'written' } }),
      );
      expect(indexer.get(name)?.metadata.resourceVersion).to.equal('99');
      harness.source.delete({ name });
    }
    await harness.settle();
    harness.source.skipVersions(200);
    harness.source.bookmark();
    await harness.settle();
    expect(indexer.keys()).to.deep.equal([]);
    // The deletions of the objects, and the ends of those that only the own writes had shown.
    const ends = (version: RegExp): string[] => log.filter((line) => version.test(line));
    expect(log).to.have.length(12);
    expect(ends(/^-.*@[5-8]$/)).to.have.length(4);
    expect(ends(/^-.*@99!$/)).to.have.length(4);
    expect(Object.prototype).to.not.have.property('metadata');
    await harness.stop();
  });

  it('resource versions that are none', async () => {
    const odd: readonly unknown[] = [
      12,
      1.5,
      { toString: () => '13' },
      ['14'],
      true,
      '',
      'x',
      '007',
    ];
    const { source, harness } = await informerOver([pod('a', { resourceVersion: '9' })]);
    for (const [index, resourceVersion] of odd.entries()) {
      source.send('ADDED', { metadata: { name: `odd-${index}`, resourceVersion } });
      harness.informer.written({ metadata: { name: `own-${index}`, resourceVersion } } as Pod);
    }
    await harness.runtime.advance(1000);
    expect(harness.informer.phase).to.equal('running');
    expect(harness.informer.indexer.has('shop/a')).to.equal(true);
    source.send('ADDED', pod('later', { resourceVersion: '50' }));
    await harness.runtime.advance(60_000);
    expect(harness.informer.phase).to.equal('running');
    expect(JSON.parse(JSON.stringify(harness.informer.inspect()))).to.be.an('object');
    await harness.stop();
  });

  const transforms: readonly [
    what: string,
    transform: (object: Pod) => unknown,
    notified: RegExp,
  ][] = [
    [
      'throws',
      () => {
        throw new Error('cannot');
      },
      /threw: cannot/,
    ],
    ['gives back a promise', () => Promise.reject(new Error('later')), /promise/],
    ['gives back null', () => null, /gave back/],
    ['gives back text', () => 'text', /gave back string/],
  ];
  for (const [what, transform, notified] of transforms) {
    it(`a transform that ${what}`, async () => {
      const harness = new Harness({
        objects: [pod('bad'), pod('good')],
        transform: (object) =>
          object.metadata.name === 'bad' ? (transform(object) as Pod) : { ...object },
      });
      const log: string[] = [];
      harness.informer.addHandler(recorder(log));
      await harness.start();
      harness.source.modify(pod('bad'));
      harness.source.delete({ namespace: 'shop', name: 'bad' });
      await harness.settle();
      expect(log).to.deep.equal(['+shop/good@2!']);
      expect(harness.errors).to.have.length(3);
      for (const { error, context } of harness.errors) {
        expect(error.code).to.equal('TRANSFORM');
        expect(error.message).to.match(notified);
        expect(context).to.include({ source: 'object', key: 'shop/bad' });
      }
      await harness.stop();
    });
  }

  it('a transform that drops the metadata', async () => {
    const harness = new Harness({
      objects: [pod('a')],
      transform: () => ({}) as Pod,
    });
    const keys: string[] = [];
    harness.informer.addHandler({
      onAdd: (_, { key }) => keys.push(`+${key}`),
      onUpdate: (_, __, { key }) => keys.push(`~${key}`),
      onDelete: (_, { key }) => keys.push(`-${key}`),
    });
    await harness.start();
    harness.source.modify(pod('a'));
    harness.source.delete({ namespace: 'shop', name: 'a' });
    await harness.settle();
    expect(keys).to.deep.equal(['+shop/a', '~shop/a', '-shop/a']);
    expect(harness.errors).to.deep.equal([]);
    await harness.stop();
  });

  const garbage: readonly [what: string, values: () => unknown][] = [
    ['null', () => null],
    ['text', () => 'text'],
    ['numbers', () => [1, 2]],
    ['a promise', () => Promise.reject(new Error('later'))],
    ['an array with a hole', () => [undefined]],
  ];
  for (const [what, values] of garbage) {
    it(`an index function that gives back ${what}`, async () => {
      const harness = new Harness({
        objects: [pod('bad'), pod('good')],
        indexers: {
          odd: ({ metadata }) => (metadata.name === 'bad' ? (values() as string[]) : ['fine']),
        },
      });
      await harness.start();
      const { indexer } = harness.informer;
      expect(indexer.size).to.equal(2);
      expect(indexer.indexKeys('odd', 'fine')).to.deep.equal(['shop/good']);
      expect(harness.errors.map(({ error, context }) => [error.code, context.key])).to.deep.equal([
        ['INDEX_FUNCTION', 'shop/bad'],
      ]);
      expect(codeOf(() => indexer.byIndex('none', 'x'))).to.equal('UNKNOWN_INDEX');
      expect(codeOf(() => indexer.index('odd', pod('bad')))).to.equal('INDEX_FUNCTION');
      await harness.stop();
    });
  }

  const keyFuncs: readonly [what: string, keyOf: () => unknown][] = [
    [
      'throws',
      () => {
        throw new Error('no key');
      },
    ],
    ['gives back a number', () => 7],
    ['gives back nothing', () => undefined],
    ['gives back an empty text', () => ''],
    ['gives back a promise', () => Promise.reject(new Error('later'))],
  ];
  for (const [what, keyOf] of keyFuncs) {
    it(`a KeyFunc that ${what}`, async () => {
      const unhandled: unknown[] = [];
      const note = (reason: unknown): void => void unhandled.push(reason);
      process.on('unhandledRejection', note);
      const harness = new Harness({
        objects: [pod('bad'), pod('good')],
        keyFunc: ({ metadata }) =>
          metadata?.name === 'bad' ? (keyOf() as string) : `key of ${metadata?.name}`,
      });
      const log: string[] = [];
      harness.informer.addHandler(recorder(log));
      await harness.start();
      harness.source.modify(pod('good'));
      await harness.settle();
      process.off('unhandledRejection', note);
      expect(unhandled).to.deep.equal([]);
      expect(log).to.deep.equal(['+key of good@2!', '~key of good@3']);
      expect([...new Set(harness.errors.map(({ error }) => error.code))]).to.deep.equal(['KEY']);
      await harness.stop();
    });
  }

  it('listeners that reject', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    const heard: string[] = [];
    harness.informer.events.on('synced', () => Promise.reject(new Error('too late')) as never);
    harness.informer.events.on('synced', () => heard.push('synced'));
    await harness.start();
    expect(heard).to.deep.equal(['synced']);
    expect(
      harness.errors.map(({ error, context }) => [error.message, context.source]),
    ).to.deep.equal([['too late', 'listener']]);
    await harness.stop();
  });

  it('handlers that modify what they are given, and names the culprit, when it freezes', async () => {
    const harness = new Harness({ objects: [pod('a', { labels: { app: 'web' } })], freeze: true });
    const vandalise = ({ metadata }: Pod): void => {
      (metadata.labels as Record<string, string>)['app'] = 'mine';
    };
    harness.informer.addHandler({ onAdd: vandalise }, { name: 'vandal' });
    harness.informer.addHandler(
      {
        view: 'metadata',
        onAdd: ({ metadata }) => {
          (metadata as { name?: string }).name = 'other';
        },
      },
      { name: 'other vandal' },
    );
    await harness.start();
    expect(harness.errors.map(({ context }) => [context.handler, context.key])).to.deep.equal([
      ['vandal', 'shop/a'],
      ['other vandal', 'shop/a'],
    ]);
    for (const { error } of harness.errors) {
      expect(error.code).to.equal('HANDLER');
      expect(error.message).to.include('docs/guides/objects.md');
      expect(error.cause).to.be.instanceOf(TypeError);
      expect((error.cause as Error).stack).to.include('hostile-input.spec.ts');
    }
    expect(() => vandalise(harness.informer.lister.list()[0]!)).to.throw(TypeError);
    expect(harness.informer.indexer.get('shop/a')?.metadata.labels).to.deep.equal({ app: 'web' });
    await harness.stop();
  });

  it('a thousand times the same input it cannot use, without growing', async () => {
    const { source, harness } = await informerOver([]);
    for (let round = 0; round < 900; round += 1) source.send('ADDED', { metadata: {} });
    await harness.runtime.advance(1000);
    expect(harness.informer.inspect()).to.include({ objects: 0, queued: 0, phase: 'running' });
    await harness.stop();
  });
});
