import { expect } from 'chai';
import type {
  LazyEventHandler,
  MetadataEventHandler,
  ObjectEventHandler,
  ObjectMetadata,
  ResourceEventHandler,
  UpdateInfo,
} from '../../../../lib/cache/informer/handlers/event-handler.ts';
import { filteringHandler } from '../../../../lib/cache/informer/handlers/filtering-handler.ts';
import {
  AddNotification,
  DeleteNotification,
  UpdateNotification,
} from '../../../../lib/cache/informer/handlers/notification.ts';
import { notifierOf } from '../../../../lib/cache/informer/handlers/notifier.ts';
import { DecodedView } from '../../../../lib/meta/object-view.ts';
import { CountingSource } from '../../support/counting-source.ts';
import { Harness, recorder } from '../../support/informer-harness.ts';
import { codeOf, pod, type Pod } from '../../support/objects.ts';

const onNode = ({ spec }: Pod): boolean => spec?.nodeName === 'node-1';
const here = (name: string): Pod => pod(name, { nodeName: 'node-1' });
const elsewhere = (name: string): Pod => pod(name, { nodeName: 'node-2' });

function decoded(handler: ObjectEventHandler<Pod>): LazyEventHandler<Pod> {
  return {
    view: 'lazy',
    onAdd: (added, info) => handler.onAdd?.(added.object, info),
    onUpdate: (old, updated, info) => handler.onUpdate?.(old.object, updated.object, info),
    onDelete: (deleted, info) => handler.onDelete?.(deleted.object, info),
  };
}

describe('filteringHandler', () => {
  it('delivers only objects that pass, and those that begin or cease to pass', async () => {
    const harness = new Harness({ objects: [here('in'), elsewhere('out')] });
    const log: string[] = [];
    harness.informer.addHandler(filteringHandler({ filter: onNode, handler: recorder(log) }));
    await harness.start();
    expect(log.splice(0)).to.deep.equal(['+shop/in@1!']);
    harness.source.modify(here('in'));
    harness.source.modify(elsewhere('out'));
    await harness.settle();
    expect(log.splice(0)).to.deep.equal(['~shop/in@3']);
    harness.source.modify(elsewhere('in'));
    harness.source.modify(here('out'));
    await harness.settle();
    expect(log.splice(0), 'leaving is a deletion of the old state').to.deep.equal([
      '-shop/in@3',
      '+shop/out@6',
    ]);
    harness.source.delete({ namespace: 'shop', name: 'in' });
    harness.source.delete({ namespace: 'shop', name: 'out' });
    await harness.settle();
    expect(log).to.deep.equal(['-shop/out@8']);
    await harness.stop();
  });

  it('asks about the new object first, and then about the old one', () => {
    const asked: string[] = [];
    const handler = filteringHandler<Pod>({
      filter: ({ metadata }) => asked.push(metadata.resourceVersion!) > 0,
      handler: { onUpdate: () => {} },
    });
    const info: UpdateInfo = { key: 'a', resync: false, origin: 'other' };
    handler.onUpdate?.(
      pod('a', { resourceVersion: '1' }),
      pod('a', { resourceVersion: '2' }),
      info,
    );
    expect(asked).to.deep.equal(['2', '1']);
  });

  it('passes a deletion with unknown final state on when the last known state passes', async () => {
    const harness = new Harness({ objects: [here('in'), elsewhere('out')] });
    const log: string[] = [];
    harness.informer.addHandler(filteringHandler({ filter: onNode, handler: recorder(log) }));
    await harness.start();
    await harness.relist(() => {
      harness.source.delete({ namespace: 'shop', name: 'in' });
      harness.source.delete({ namespace: 'shop', name: 'out' });
    });
    expect(log).to.deep.equal(['+shop/in@1!', '-shop/in@1!']);
    await harness.stop();
  });

  it('leaves out what the handler has no callback for', async () => {
    const harness = new Harness({ objects: [here('a')] });
    const log: string[] = [];
    const handler: ObjectEventHandler<Pod> = { onDelete: (_, { key }) => log.push(key) };
    harness.informer.addHandler(filteringHandler({ filter: onNode, handler }));
    await harness.start();
    harness.source.modify(elsewhere('a'));
    harness.source.modify(here('a'));
    await harness.settle();
    expect(log).to.deep.equal(['shop/a']);
    expect(harness.errors).to.deep.equal([]);
    await harness.stop();
  });

  it('filters metadata for a handler of metadata, without decoding anything', async () => {
    const harness = new Harness({ objects: [pod('a', { labels: { app: 'web' } }), pod('b')] });
    const counting = new CountingSource(harness.source);
    const other = new Harness({ runtime: harness.runtime, listerWatcher: counting });
    const log: string[] = [];
    const handler: MetadataEventHandler = {
      view: 'metadata',
      onAdd: ({ key, initial }) => log.push(`+${key}${initial ? '!' : ''}`),
      onUpdate: (_, { key }) => log.push(`~${key}`),
      onDelete: ({ key, metadata }) => log.push(`-${key}@${metadata.resourceVersion}`),
    };
    const filter = ({ metadata }: { metadata: Pod['metadata'] }): boolean =>
      metadata.labels?.['app'] === 'web';
    other.informer.addHandler(filteringHandler({ filter, handler }));
    await other.start();
    harness.source.modify(pod('b', { labels: { app: 'web' } }));
    harness.source.modify(pod('b', { labels: { app: 'web', tier: 'x' } }));
    harness.source.modify(pod('a'));
    harness.source.delete({ namespace: 'shop', name: 'b' });
    await other.settle();
    expect(log).to.deep.equal(['+shop/a!', '+shop/b', '~shop/b', '-shop/a@1', '-shop/b@6']);
    expect(counting.decoded).to.equal(0);
    await other.stop();
  });

  it('filters lazy objects, and decodes what the filter looks at', async () => {
    const harness = new Harness({ objects: [here('a'), elsewhere('b')] });
    const log: string[] = [];
    harness.informer.addHandler(
      filteringHandler<Pod>({
        filter: ({ object }) => onNode(object),
        handler: { view: 'lazy', onAdd: ({ metadata }) => log.push(metadata.name!) },
      }),
    );
    await harness.start();
    expect(log).to.deep.equal(['a']);
    await harness.stop();
  });

  for (const view of ['object', 'lazy'] as const) {
    it(`filters by metadata for a handler of view ${view}, and decodes nothing that does not pass`, async () => {
      const web = { labels: { app: 'web' } };
      const harness = new Harness({ objects: [pod('a', web), pod('b')] });
      const counting = new CountingSource(harness.source);
      const other = new Harness({ runtime: harness.runtime, listerWatcher: counting });
      const log: string[] = [];
      const keys: string[] = [];
      const filter = ({ key, metadata }: ObjectMetadata): boolean => {
        keys.push(key);
        return metadata.labels?.['app'] === 'web';
      };
      const handler = recorder(log);
      other.informer.addHandler(
        view === 'object'
          ? filteringHandler({ view: 'metadata', filter, handler })
          : filteringHandler({ view: 'metadata', filter, handler: decoded(handler) }),
      );
      await other.start();
      harness.source.modify(pod('b'));
      harness.source.delete({ namespace: 'shop', name: 'b' });
      await other.settle();
      expect(log.splice(0)).to.deep.equal(['+shop/a@1!']);
      expect(counting.decoded, 'b never passed').to.equal(1);
      expect(keys).to.deep.equal(['shop/a', 'shop/b', 'shop/b', 'shop/b', 'shop/b']);
      harness.source.modify(pod('a', { ...web, annotations: { x: '1' } }));
      harness.source.modify(pod('a'));
      harness.source.modify(pod('a', web));
      await other.settle();
      expect(log).to.deep.equal(['~shop/a@5', '-shop/a@5', '+shop/a@7']);
      await other.stop();
    });
  }

  it('decodes nothing for a callback that a handler behind metadata lacks', () => {
    const onDelete = (): void => {};
    const handler = filteringHandler<Pod>({
      view: 'metadata',
      filter: () => true,
      handler: { onDelete },
    });
    const untouchable = {
      metadata: {},
      get object(): Pod {
        return expect.fail('decoded');
      },
    };
    handler.onAdd?.(untouchable, { key: 'a', initial: false, origin: 'other' });
    const info: UpdateInfo = { key: 'a', resync: false, origin: 'other' };
    handler.onUpdate?.(untouchable, untouchable, info);
  });

  it('gives a handler of keys no more than the key and the flags', () => {
    const log: object[] = [];
    const note = (info: object): unknown => log.push(info);
    const handler = filteringHandler({
      filter: ({ metadata }: ObjectMetadata) => metadata.name === 'a',
      handler: { view: 'key', onAdd: note, onUpdate: note, onDelete: note },
    });
    const notify = notifierOf<Pod>('handler', handler);
    const [a, b] = [new DecodedView(pod('a')), new DecodedView(pod('b'))];
    const origin = 'other';
    for (const notification of [
      new AddNotification('k', a, true, origin),
      new UpdateNotification('k', a, a, false, origin),
      new UpdateNotification('k', b, a, false, origin),
      new UpdateNotification('k', a, b, false, origin),
      new DeleteNotification('k', a, true, origin),
    ] as const) {
      notify(notification);
    }
    expect(log).to.deep.equal([
      { key: 'k', initial: true, origin },
      { key: 'k', resync: false, origin },
      { key: 'k', initial: false, origin },
      { key: 'k', finalStateUnknown: false, origin },
      { key: 'k', finalStateUnknown: true, origin },
    ]);
    for (const info of log) expect(Object.isFrozen(info)).to.equal(true);
  });

  it('asks a filter of keys about an update without looking at any metadata', () => {
    const log: unknown[] = [];
    const handler = filteringHandler({
      view: 'metadata',
      filter: ({ key }) => key === 'a',
      handler: { view: 'metadata', onUpdate: (old, { key }) => log.push(old.key, key) },
    });
    const unreadable = {
      get metadata(): Pod['metadata'] {
        return expect.fail('read');
      },
    };
    const update = new UpdateNotification('a', unreadable, unreadable, false, 'other');
    handler.onUpdate?.(update.oldMetadata, update);
    expect(log).to.deep.equal(['a', 'a']);
  });

  it('gives a filter and a handler of metadata no way to the body', () => {
    const key = 'a';
    // Never run: it is the compiler that refuses.
    const misuses = (): unknown => [
      filteringHandler({
        view: 'metadata',
        // @ts-expect-error: metadata has no spec
        filter: ({ spec }) => spec?.nodeName === key,
        handler: { view: 'metadata', onAdd: () => {} },
      }),
      filteringHandler({
        view: 'metadata',
        // @ts-expect-error: not even in front of a handler of whole objects
        filter: (object) => object.spec?.nodeName === key,
        handler: { onAdd: (added: Pod) => added.spec },
      }),
      filteringHandler({
        filter: () => true,
        // @ts-expect-error: metadata has no spec
        handler: { view: 'metadata', onAdd: (added) => added.spec },
      }),
      filteringHandler({
        view: 'metadata',
        filter: () => true,
        // @ts-expect-error: nor has a lazy object, but in its object
        handler: { view: 'lazy', onAdd: (added) => added.spec },
      }),
      {
        view: 'metadata',
        // @ts-expect-error: metadata has no spec
        onUpdate: (_, updated) => updated.spec,
        // @ts-expect-error: nor has the old one
        onDelete: ({ object }) => object,
      } satisfies ResourceEventHandler<Pod>,
    ];
    expect(misuses).to.be.a('function');
  });

  it('costs one event, and says whose, when the filter throws', async () => {
    const harness = new Harness({ objects: [here('a'), here('bad'), here('c')] });
    const log: string[] = [];
    const filter = ({ metadata }: Pod): boolean => {
      if (metadata.name === 'bad') throw new Error('no idea');
      return true;
    };
    const handler = filteringHandler({ filter, handler: recorder(log) });
    const registration = harness.informer.addHandler(handler, { name: 'picky' });
    await harness.start();
    expect(log).to.deep.equal(['+shop/a@1!', '+shop/c@3!']);
    expect(registration.synced).to.equal(true);
    expect(
      harness.errors.map(({ error, context }) => [error.code, context.handler, context.key]),
    ).to.deep.equal([['HANDLER', 'picky', 'shop/bad']]);
    await harness.stop();
  });

  it('does not take a promise for a yes', async () => {
    const harness = new Harness({ objects: [here('a')] });
    const filter = (): boolean => Promise.reject(new Error('late')) as never;
    harness.informer.addHandler(filteringHandler({ filter, handler: recorder([]) }));
    await harness.start();
    expect(harness.errors[0]?.error.message).to.include('promise').and.include('synchronous');
    await harness.stop();
  });

  it('keeps the this of a handler, and awaits its promises', async () => {
    class Counter {
      added = 0;
      async onAdd(): Promise<void> {
        await Promise.resolve();
        this.added += 1;
      }
    }
    const harness = new Harness({ objects: [here('a'), elsewhere('b')] });
    const handler = new Counter();
    harness.informer.addHandler(filteringHandler<Pod>({ filter: onNode, handler }));
    await harness.start();
    expect(handler.added).to.equal(1);
    await harness.stop();
  });

  it('is refused without a filter, without a handler, and with anything else', () => {
    const handler = { onAdd: (): void => {} };
    const bad: object[] = [
      { handler },
      { filter: onNode },
      { filter: 'app=web', handler },
      { filter: onNode, handler: {} },
      { filter: onNode, handler, name: 'x' },
      { view: 'object', filter: onNode, handler },
    ];
    for (const options of bad) {
      expect(codeOf(() => filteringHandler(options as never))).to.equal('INVALID_OPTION');
    }
  });
});
