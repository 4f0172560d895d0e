import { expect } from 'chai';
import type { LazyObject } from '../../../../lib/cache/informer/handlers/event-handler.ts';
import { SharedIndexInformer } from '../../../../lib/cache/informer/shared-index-informer.ts';
import { BytesSource } from '../../support/bytes-source.ts';
import { CountingSource } from '../../support/counting-source.ts';
import { Harness } from '../../support/informer-harness.ts';
import { codeOf, pod, type Pod } from '../../support/objects.ts';

describe('a handler with lazy views', () => {
  it('gets every event, and decodes only the objects that it reads', async () => {
    const harness = new Harness({ objects: [pod('a'), pod('b'), pod('c')] });
    const listerWatcher = new CountingSource<Pod>(harness.source);
    const { runtime } = harness;
    const informer = new SharedIndexInformer<Pod>({ listerWatcher, runtime });
    const log: string[] = [];
    informer.addHandler({
      view: 'lazy',
      onAdd: (added, { key, initial }) => {
        const node = key === 'shop/b' ? added.object.spec?.nodeName : '';
        log.push(`+${added.metadata.name}${initial ? '!' : ''}${node ?? ''}`);
      },
      onUpdate: (old, updated) => {
        const { resourceVersion } = updated.metadata;
        log.push(`~${updated.metadata.name}@${old.metadata.resourceVersion}>${resourceVersion}`);
      },
      onDelete: (deleted, { finalStateUnknown }) => {
        log.push(`-${deleted.metadata.name} ${finalStateUnknown}`);
      },
    });
    void informer.run();
    await runtime.run(informer.whenSynced());
    harness.source.modify(pod('a'));
    harness.source.delete({ namespace: 'shop', name: 'c' });
    await harness.settle();
    expect(log).to.deep.equal(['+a!', '+b!', '+c!', '~a@1>4', '-c false']);
    expect(listerWatcher.decoded).to.equal(1);
    await runtime.run(informer.close());
  });

  it('may keep what it was given, and read it when both it and the object have long gone', async () => {
    for (const cache of ['objects', 'bytes'] as const) {
      const harness = new Harness({ objects: [pod('a'), pod('b')] });
      const { runtime, source } = harness;
      const listerWatcher = new BytesSource<Pod>(source);
      const informer = new SharedIndexInformer<Pod>({ listerWatcher, runtime, cache });
      const objects = source.objects.slice();
      const kept: LazyObject<Pod>[] = [];
      const handler = informer.addHandler({
        view: 'lazy',
        onAdd: (added) => void kept.push(added),
      });
      informer.addHandler({ view: 'metadata', onAdd: () => {} });
      void informer.run();
      await runtime.run(informer.whenSynced());
      await harness.settle();
      await runtime.run(handler.close());
      for (let round = 0; round < 3; round += 1) {
        for (const object of objects) source.modify(object);
        await harness.settle();
      }
      expect(kept.map(({ object }) => object)).to.deep.equal(objects);
      await runtime.run(informer.close());
    }
  });

  it('is a handler like any other: it may leave callbacks out, but not all of them', async () => {
    const { informer } = new Harness();
    expect(codeOf(() => informer.addHandler({ view: 'lazy' }))).to.equal('INVALID_OPTION');
    const wrong = { view: 'lasy', onAdd: () => {} } as never;
    expect(codeOf(() => informer.addHandler(wrong))).to.equal('INVALID_OPTION');
    informer.addHandler({ view: 'lazy', onDelete: () => {} });
    expect(informer.inspect().handlers).to.have.length(1);
    await informer.close();
  });
});
