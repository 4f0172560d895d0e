import { expect } from 'chai';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { metadataIndexFunc, metaNamespaceIndexFunc } from '../../../lib/cache/store/indexers.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { CountingSource } from '../support/counting-source.ts';
import { Harness, recorder } from '../support/informer-harness.ts';
import { codeOf, pod, type Pod } from '../support/objects.ts';

describe('ObjectReader', () => {
  describe('decoding', () => {
    it('never happens for handlers that ask for metadata, nor for indexes over metadata', async () => {
      const runtime = new VirtualRuntime();
      const scripted = new ScriptedListerWatcher<Pod>({ runtime, objects: [pod('a'), pod('b')] });
      const source = new CountingSource(scripted);
      const informer = new SharedIndexInformer<Pod>({
        listerWatcher: source,
        runtime,
        indexers: { byLabel: metadataIndexFunc(({ labels }) => Object.values(labels ?? {})) },
      });
      const log: string[] = [];
      informer.addHandler({
        view: 'metadata',
        onAdd: ({ key, metadata, initial }) =>
          log.push(`+${key}@${metadata.resourceVersion} ${initial}`),
        onUpdate: (old, { key, metadata }) =>
          log.push(`~${key}@${old.metadata.resourceVersion}>${metadata.resourceVersion}`),
        onDelete: ({ key, finalStateUnknown }) => log.push(`-${key} ${finalStateUnknown}`),
      });
      const running = informer.run();
      await runtime.run(informer.whenSynced({ timeoutMs: 1000 }));
      scripted.modify(pod('a', { labels: { app: 'web' } }));
      scripted.delete({ namespace: 'shop', name: 'b' });
      await runtime.settle();
      expect(log).to.deep.equal([
        '+shop/a@1 true',
        '+shop/b@2 true',
        '~shop/a@1>3',
        '-shop/b false',
      ]);
      expect(informer.indexer.indexKeys('byLabel', 'web')).to.deep.equal(['shop/a']);
      expect(informer.lister.list({ labels: 'app=db' })).to.deep.equal([]);
      expect(source.decoded).to.equal(0);
      expect(informer.lister.namespace('shop').get('a')?.metadata.labels).to.deep.equal({
        app: 'web',
      });
      expect(source.decoded).to.equal(1);
      await runtime.run(informer.close());
      await running;
    });
  });

  describe('indexes', () => {
    const byNode = ({ spec }: Pod): string[] => [spec!.nodeName!];

    it('are over objects, and can be added while it runs', async () => {
      const harness = new Harness({
        objects: [pod('a', { nodeName: 'n1' })],
        indexers: { byNode, namespace: metaNamespaceIndexFunc },
      });
      await harness.start();
      harness.informer.indexer.addIndexers({ byName: ({ metadata }) => [metadata.name] });
      harness.source.add(pod('b', { nodeName: 'n1' }));
      await harness.settle();
      const { indexer } = harness.informer;
      const { objects } = harness.source;
      expect(objects.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'b']);
      expect(indexer.byIndex('byNode', 'n1')).to.deep.equal(objects);
      expect(indexer.byIndex('byNode', 'n1')).to.equal(indexer.byIndex('byNode', 'n1'));
      expect(indexer.index('byNode', objects[0]!)).to.deep.equal(objects);
      expect(indexer.index('byName', objects[1]!)).to.deep.equal([objects[1]]);
      expect(indexer.byIndex('byName', 'b')).to.deep.equal([objects[1]]);
      expect(indexer.indexKeys('byName', 'b')).to.deep.equal(['shop/b']);
      expect(indexer.indexValues('namespace')).to.deep.equal(['shop']);
      expect(indexer.list()).to.have.length(2);
      expect(indexer.has('shop/a')).to.equal(true);
      expect(indexer.size).to.equal(2);
      await harness.stop();
    });

    it('of several values find every object, also one that came later, also in a later index', async () => {
      const labels = ({ metadata }: Pod): string[] => Object.keys(metadata.labels ?? {});
      const harness = new Harness({
        objects: [pod('p1', { labels: { a: '1', b: '1' } }), pod('p2', { labels: { b: '2' } })],
        indexers: { labels },
      });
      const { indexer } = harness.informer;
      await harness.start();
      expect(indexer.indexKeys('labels', 'a')).to.deep.equal(['shop/p1']);
      harness.source.add(pod('p3', { labels: { a: '2' } }));
      await harness.settle();
      expect(indexer.indexKeys('labels', 'a')).to.deep.equal(['shop/p1', 'shop/p3']);
      indexer.addIndexers({ again: labels });
      for (const index of ['labels', 'again']) {
        expect(indexer.indexKeys(index, 'a')).to.deep.equal(['shop/p1', 'shop/p3']);
        expect(indexer.indexValues(index)).to.have.members(['a', 'b']);
      }
      expect(codeOf(() => indexer.addIndexers({ again: labels }))).to.equal('INDEX_CONFLICT');
      expect(codeOf(() => indexer.byIndex('no such', 'a'))).to.equal('UNKNOWN_INDEX');
      await harness.stop();
    });

    it('that fail on an object are reported, and the object is there', async () => {
      const harness = new Harness({
        objects: [pod('a'), pod('b', { nodeName: 'n1' })],
        indexers: { byNode },
      });
      const log: string[] = [];
      harness.informer.addHandler(recorder(log));
      await harness.start();
      expect(log).to.deep.equal(['+shop/a@1!', '+shop/b@2!']);
      expect(harness.informer.indexer.indexKeys('byNode', 'n1')).to.deep.equal(['shop/b']);
      expect(harness.errors.map(({ error, context }) => [error.code, context.key])).to.deep.equal([
        ['INDEX_FUNCTION', 'shop/a'],
      ]);
      await harness.stop();
    });

    it('can be removed, except that by namespace', async () => {
      const harness = new Harness({
        objects: [pod('a', { nodeName: 'n1' })],
        indexers: { byNode },
      });
      await harness.start();
      const { indexer, lister } = harness.informer;
      expect(codeOf(() => indexer.removeIndexers(['byNode', 'namespace']))).to.equal(
        'INVALID_OPTION',
      );
      expect(indexer.byIndex('byNode', 'n1')).to.have.length(1);
      indexer.removeIndexers(['byNode']);
      expect(codeOf(() => indexer.byIndex('byNode', 'n1'))).to.equal('UNKNOWN_INDEX');
      harness.source.add(pod('b', { nodeName: 'n2' }));
      await harness.settle();
      expect(lister.namespace('shop').list()).to.have.length(2);
      await harness.stop();
    });

    it('by namespace is not for others to define', () => {
      expect(codeOf(() => new Harness({ indexers: { namespace: () => ['x'] } }))).to.equal(
        'INDEX_CONFLICT',
      );
    });
  });
});
