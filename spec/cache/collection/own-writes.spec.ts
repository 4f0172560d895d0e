import { expect } from 'chai';
import type { Origin } from '../../../lib/cache/informer/handlers/event-handler.ts';
import { collectionMatcher } from '../../../lib/cache/informer/factory/collection-matcher.ts';
import { metadataIndexFunc } from '../../../lib/cache/store/indexers.ts';
import { Harness, recorder, type HarnessOptions } from '../support/informer-harness.ts';
import { pod, rejection, type Pod } from '../support/objects.ts';

/** A synced informer whose watch is silent until `source.resume()`. */
async function behind(options: HarnessOptions): Promise<{
  harness: Harness;
  origins: string[];
}> {
  const harness = new Harness(options);
  const origins: string[] = [];
  const note = (sign: string, key: string, origin: Origin): void => {
    origins.push(`${sign}${key.replace('shop/', '')} ${origin}`);
  };
  harness.informer.addHandler({
    onAdd: (_, { key, origin }) => note('+', key, origin),
    onUpdate: (_, __, { key, origin }) => note('~', key, origin),
    onDelete: (_, { key, origin }) => note('-', key, origin),
  });
  await harness.start();
  harness.source.pause();
  origins.length = 0;
  return { harness, origins };
}

const versions = (pods: readonly Pod[]): string[] =>
  pods.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);

describe('own writes', () => {
  const byApp = metadataIndexFunc(({ labels }) => [labels?.['app'] ?? '']);

  it('are read at once, by every way of reading, and never delivered before their event', async () => {
    const { harness, origins } = await behind({
      objects: [pod('a', { labels: { app: 'web' } }), pod('b')],
      indexers: { byApp },
    });
    const { informer, source } = harness;
    informer.written(source.modify(pod('a', { labels: { app: 'api' } })));
    informer.written(source.add(pod('c', { labels: { app: 'web' } })));
    expect(versions(informer.lister.list())).to.have.members(['a@3', 'b@2', 'c@4']);
    expect(versions(informer.lister.namespace('shop').list({ labels: 'app' }))).to.have.members([
      'a@3',
      'c@4',
    ]);
    expect(informer.lister.namespace('shop').get('c')?.metadata.resourceVersion).to.equal('4');
    expect(versions(informer.indexer.byIndex('byApp', 'api'))).to.deep.equal(['a@3']);
    expect(versions(informer.indexer.byIndex('byApp', 'web'))).to.deep.equal(['c@4']);
    expect(informer.indexer.get('shop/a')?.metadata.labels).to.deep.equal({ app: 'api' });
    expect(informer.indexer.size).to.equal(3);
    await harness.settle();
    expect(origins).to.deep.equal([]);
    expect(informer.inspect().objects).to.equal(2);
    source.resume();
    await harness.settle();
    expect(origins).to.deep.equal(['~a self', '+c self']);
    expect(versions(informer.lister.list())).to.have.members(['a@3', 'b@2', 'c@4']);
    await harness.stop();
  });

  it('are recognised by exactly their resource version', async () => {
    const { harness, origins } = await behind({ objects: [pod('a')] });
    const { informer, source } = harness;
    source.modify(pod('a'));
    informer.written(source.modify(pod('a')));
    source.modify(pod('a'));
    informer.written(source.modify(pod('a')));
    source.resume();
    await harness.settle();
    expect(origins).to.deep.equal(['~a other', '~a self', '~a other', '~a self']);
    await harness.stop();
  });

  it('are those of others when a list shows them, since it may hide more than one change', async () => {
    const { harness, origins } = await behind({ objects: [pod('a')] });
    const { informer, source } = harness;
    await harness.relist(() => {
      source.modify(pod('a'));
      informer.written(source.modify(pod('a')));
    });
    expect(origins).to.deep.equal(['~a other']);
    expect(versions(informer.lister.list())).to.deep.equal(['a@3']);
    await harness.stop();
  });

  for (const order of ['arrival', 'key'] as const) {
    it(`are reported as deleted, once, when a list lacks what only they have shown (order: ${order})`, async () => {
      const objects = [pod('a'), pod('b')];
      const { harness, origins } = await behind({ objects, order });
      const { informer, source } = harness;
      await harness.relist(() => {
        informer.written(source.modify(pod('b')));
        informer.written(source.add(pod('c')));
        informer.written(source.add(pod('d')));
        expect(informer.indexer.has('shop/c')).to.equal(true);
        for (const name of ['b', 'c']) source.delete({ namespace: 'shop', name });
      });
      expect(origins).to.have.members(['-b other', '-c other', '+d other']);
      expect(informer.indexer.keys()).to.have.members(['shop/a', 'shop/d']);
      await harness.stop();
    });
  }

  it('hide what was deleted, until its event comes', async () => {
    const objects = [pod('a', { uid: 'u1' }), pod('b', { uid: 'u2' }), pod('c', { uid: 'u3' })];
    const { harness, origins } = await behind({ objects });
    const { informer, source } = harness;
    informer.deleted(source.delete({ namespace: 'shop', name: 'a' }));
    source.delete({ namespace: 'shop', name: 'b' });
    informer.deleted({ key: 'shop/b', uid: 'u2' });
    source.delete({ namespace: 'shop', name: 'c' });
    expect(versions(informer.lister.list())).to.deep.equal(['c@3']);
    expect(informer.lister.namespace('shop').get('a')).to.equal(undefined);
    expect(() => informer.lister.namespace('shop').getOrThrow('b')).to.throw('not found');
    await harness.settle();
    expect(origins).to.deep.equal([]);
    expect(informer.inspect()).to.include({ objects: 3, ownWrites: 2 });
    source.resume();
    await harness.settle();
    expect(origins).to.deep.equal(['-a self', '-b self', '-c other']);
    expect(informer.inspect()).to.include({ objects: 0, ownWrites: 0 });
    expect(informer.lister.list()).to.deep.equal([]);
    await harness.stop();
  });

  it('end with the event of a deletion whose answer had no resource version', async () => {
    const { harness } = await behind({ objects: [pod('a', { uid: 'u1' }), pod('b')] });
    const { informer, source } = harness;
    source.delete({ namespace: 'shop', name: 'a' });
    informer.deleted({ key: 'shop/a', uid: 'u1' });
    expect(informer.inspect().ownWrites).to.equal(1);
    source.resume();
    await harness.settle();
    expect(informer.inspect().ownWrites).to.equal(0);
    await harness.stop();
  });

  it('hide objects that were deleted before the cache had the event', async () => {
    const { harness, origins } = await behind({ objects: [pod('a')] });
    const { informer, source } = harness;
    source.add(pod('b', { uid: 'u2' }));
    informer.deleted({ key: 'shop/b', uid: 'u2' });
    source.resume();
    await harness.settle();
    expect(versions(informer.lister.list())).to.deep.equal(['a@1']);
    source.delete({ namespace: 'shop', name: 'b' });
    await harness.settle();
    expect(origins).to.deep.equal(['+b other', '-b self']);
    expect(informer.inspect()).to.include({ objects: 1, ownWrites: 0 });
    await harness.stop();
  });

  it('stop hiding an object that lists show repeatedly', async () => {
    const { harness } = await behind({ objects: [pod('a', { uid: 'u1' })] });
    const { informer } = harness;
    informer.deleted({ key: 'shop/a', uid: 'u1' });
    const listAgain = (): Promise<void> => harness.relist(() => harness.source.skipVersions(1));
    await listAgain();
    expect(informer.lister.list(), 'the list may have been older').to.deep.equal([]);
    await listAgain();
    expect(versions(informer.lister.list())).to.deep.equal(['a@1']);
    expect(informer.inspect().ownWrites).to.equal(0);
    await harness.stop();
  });

  it('show an object that waits for its finalizers', async () => {
    const held = pod('a', { uid: 'u1', finalizers: ['x/y'] });
    const { harness } = await behind({ objects: [held] });
    const marked = { ...held.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    harness.informer.deleted(harness.source.modify({ ...held, metadata: marked }));
    const shown = harness.informer.lister.namespace('shop').getOrThrow('a');
    expect(shown.metadata.deletionTimestamp).to.equal('2026-01-01T00:00:00Z');
    await harness.stop();
  });

  it('do not come back when their answer is late', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    await harness.start();
    const [second, third] = [harness.source.modify(pod('a')), harness.source.modify(pod('a'))];
    const created = harness.source.add(pod('b', { uid: 'u1' }));
    harness.source.delete({ namespace: 'shop', name: 'b' });
    await harness.settle();
    for (const late of [second, third, created]) harness.informer.written(late);
    expect(versions(harness.informer.lister.list())).to.deep.equal(['a@3']);
    await harness.stop();
  });

  it('go with a bookmark, when the watch says nothing of them', async () => {
    const { harness } = await behind({
      objects: [pod('a')],
      matches: collectionMatcher({ labelSelector: 'app!=gone', namespace: 'shop' }),
    });
    const { informer, source } = harness;
    informer.written(source.modify(pod('a', { labels: { app: 'gone' } })));
    informer.written(pod('other/x', { resourceVersion: '2' }));
    expect(informer.lister.list(), 'what leaves the selectors is gone').to.deep.equal([]);
    source.resume();
    source.skipVersions(5);
    source.bookmark();
    await harness.settle();
    expect(informer.inspect()).to.include({ storeResourceVersion: '7', objects: 1 });
    expect(versions(informer.lister.list())).to.deep.equal(['a@2']);
    await harness.stop();
  });

  it('belong to the collection by their state in the answer, even if a transform changes them', async () => {
    const { harness } = await behind({
      objects: [pod('a', { labels: { app: 'web' } })],
      matches: collectionMatcher({ labelSelector: 'app=web' }),
      transform: ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, labels: {} } }),
    });
    const { informer, source } = harness;
    informer.written(source.modify(pod('a', { labels: { app: 'web' } })));
    expect(versions(informer.lister.list())).to.deep.equal(['a@2']);
    informer.written(source.modify(pod('a')));
    expect(informer.lister.list()).to.deep.equal([]);
    await harness.stop();
  });

  it('pass through transform and freeze like everything else', async () => {
    const { harness } = await behind({
      objects: [pod('a')],
      freeze: true,
      transform: (object) => ({
        ...object,
        metadata: { ...object.metadata, name: `${object.metadata.name}-t`, labels: { t: '1' } },
      }),
    });
    const { informer, source } = harness;
    informer.written(source.modify(pod('a')));
    const shown = informer.indexer.get('shop/a');
    expect(shown?.metadata).to.include({ name: 'a-t', resourceVersion: '2' });
    expect(informer.indexer.size).to.equal(1);
    expect(() => Object.assign(shown!.metadata, { name: 'b' })).to.throw(TypeError);
    source.resume();
    await harness.settle();
    expect(informer.indexer.list()).to.have.length(1);
    await harness.stop();
  });

  it('cost nothing but themselves when they cannot be used', async () => {
    const { harness } = await behind({
      objects: [pod('a')],
      transform: (object) => {
        if (object.metadata.name === 'bad') throw new Error('cannot');
        return object.metadata.name === 'async'
          ? (Promise.reject(new Error('late')) as never)
          : object;
      },
    });
    const { informer } = harness;
    const answers: unknown[] = [
      pod('bad', { resourceVersion: '9' }),
      pod('async', { resourceVersion: '9' }),
      {},
      null,
      'text',
      { metadata: null },
    ];
    for (const answer of answers) informer.written(answer as Pod);
    for (const answer of [{}, null, { metadata: {} }]) informer.deleted(answer as Pod);
    expect(
      harness.errors.map(({ error, context }) => [error.code, context.source, context.key]),
    ).to.deep.equal([
      ['TRANSFORM', 'object', 'shop/bad'],
      ['TRANSFORM', 'object', 'shop/async'],
      ...Array.from({ length: 7 }, () => ['KEY', 'object', undefined]),
    ]);
    expect(versions(informer.lister.list())).to.deep.equal(['a@1']);
    await harness.settle();
    await harness.stop();
  });

  for (const order of ['arrival', 'key'] as const) {
    it(`can be waited for in the order of ${order}, with deadline and signal`, async () => {
      const { harness } = await behind({ objects: [pod('a')], order });
      const { informer, source, runtime } = harness;
      const { resourceVersion = '' } = source.modify(pod('a')).metadata;
      const late = await runtime.run(
        rejection(informer.caughtUp(resourceVersion, { timeoutMs: 1000 })),
      );
      expect(late).to.include({ code: 'TIMEOUT' });
      expect(late.message).to.include(`resource version ${resourceVersion}`);
      const abort = new AbortController();
      const aborted = rejection(informer.caughtUp(resourceVersion, { signal: abort.signal }));
      abort.abort(new Error('enough'));
      expect((await aborted).message).to.equal('enough');
      let reached = false;
      const waiting = informer.caughtUp(resourceVersion).then(() => {
        reached = true;
      });
      await harness.settle();
      expect(reached).to.equal(false);
      source.resume();
      await runtime.run(waiting);
      expect(versions(informer.lister.list())).to.deep.equal(['a@2']);
      await informer.caughtUp('1');
      source.skipVersions(5);
      const passed = informer.caughtUp('6');
      source.bookmark();
      await runtime.run(passed);
      expect((await rejection(informer.caughtUp('x'))).code).to.equal('INVALID_RESOURCE_VERSION');
      const never = rejection(informer.caughtUp('999'));
      await harness.stop();
      expect((await never).code).to.equal('CLOSED');
    });
  }

  it('leave handlers and synced alone', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    const log: string[] = [];
    const registration = harness.informer.addHandler(recorder(log));
    harness.informer.written(pod('early', { resourceVersion: '99' }));
    expect(harness.informer.synced).to.equal(false);
    expect(versions(harness.informer.lister.list())).to.deep.equal(['early@99']);
    await harness.start();
    const late: string[] = [];
    harness.informer.addHandler(recorder(late));
    await harness.settle();
    expect(log).to.deep.equal(['+shop/a@1!']);
    expect(late).to.deep.equal(['+shop/a@1!']);
    expect(registration.synced).to.equal(true);
    await harness.stop();
  });
});
