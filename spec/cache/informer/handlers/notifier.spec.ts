import { expect } from 'chai';
import type { ResourceEventHandler } from '../../../../lib/cache/informer/handlers/event-handler.ts';
import {
  AddNotification,
  DeleteNotification,
  UpdateNotification,
  type Notification,
} from '../../../../lib/cache/informer/handlers/notification.ts';
import { notifierOf } from '../../../../lib/cache/informer/handlers/notifier.ts';
import { metaNamespaceKeyFunc } from '../../../../lib/meta/key.ts';
import { DecodedView, type ObjectView } from '../../../../lib/meta/object-view.ts';
import { Harness } from '../../support/informer-harness.ts';
import { pod, type Pod } from '../../support/objects.ts';

const [before, after] = [new DecodedView(pod('old')), new DecodedView(pod('new'))];
const origin = 'other';

const notifications: readonly Notification<ObjectView<Pod>>[] = [
  new AddNotification('shop/new', after, true, origin),
  new AddNotification('shop/new', after, false, origin),
  new UpdateNotification('shop/new', before, after, false, origin),
  new DeleteNotification('shop/old', before, false, origin),
  new DeleteNotification('shop/old', before, true, origin),
];

function deliver(handler: ResourceEventHandler<Pod>): void {
  const notify = notifierOf('handler', handler);
  for (const notification of notifications) notify(notification);
}

describe('A handler', () => {
  it('gets objects of its type, and what is special about the event', () => {
    const log: unknown[] = [];
    deliver({
      onAdd: (object, { key, initial }) => log.push(['add', object === after.object, key, initial]),
      onUpdate: (old, object, { key, resync }) =>
        log.push(['update', old === before.object && object === after.object, key, resync]),
      onDelete: (object, { key, finalStateUnknown }) =>
        log.push(['delete', object === before.object, key, finalStateUnknown]),
    });
    expect(log).to.deep.equal([
      ['add', true, 'shop/new', true],
      ['add', true, 'shop/new', false],
      ['update', true, 'shop/new', false],
      ['delete', true, 'shop/old', false],
      ['delete', true, 'shop/old', true],
    ]);
  });

  it('of keys gets the key and the flags, frozen, and nothing that leads to the object', () => {
    const log: object[] = [];
    const note = (info: object): unknown => log.push(info);
    deliver({ view: 'key', onAdd: note, onUpdate: note, onDelete: note });
    expect(log).to.deep.equal([
      { key: 'shop/new', initial: true, origin },
      { key: 'shop/new', initial: false, origin },
      { key: 'shop/new', resync: false, origin },
      { key: 'shop/old', finalStateUnknown: false, origin },
      { key: 'shop/old', finalStateUnknown: true, origin },
    ]);
    for (const info of log) {
      expect(Object.isFrozen(info)).to.equal(true);
      expect(Object.getPrototypeOf(info)).to.equal(Object.prototype);
    }
  });

  for (const view of ['object', 'lazy', 'metadata', 'key'] as const) {
    it(`of view ${view} may lack any of the callbacks`, () => {
      for (const callback of ['onAdd', 'onUpdate', 'onDelete'] as const) {
        let calls = 0;
        const count = (): void => {
          calls += 1;
        };
        deliver({ view, [callback]: count });
        expect(calls, callback).to.equal(callback === 'onUpdate' ? 1 : 2);
      }
    });
  }

  describe('of metadata', () => {
    let reads = 0;
    const counted = (name: string): ObjectView<Pod> => ({
      get metadata(): Pod['metadata'] {
        reads += 1;
        return { name };
      },
      get object(): Pod {
        return expect.fail('decoded');
      },
    });
    const [old, object] = [counted('old'), counted('new')];
    const update = new UpdateNotification('shop/new', old, object, false, origin);
    const all: readonly Notification<ObjectView<Pod>>[] = [
      new AddNotification('shop/new', object, true, origin),
      update,
      new DeleteNotification('shop/old', old, true, origin),
    ];
    const deliverAll = (handler: ResourceEventHandler<Pod>): void => {
      const notify = notifierOf('handler', handler);
      for (const notification of all) notify(notification);
    };

    beforeEach(() => {
      reads = 0;
    });

    it('costs no look at the metadata unless it reads it', () => {
      const keys: string[] = [];
      const enqueue = ({ key }: { readonly key: string }): unknown => keys.push(key);
      deliverAll({
        view: 'metadata',
        onAdd: enqueue,
        onUpdate: (before, { key }) => keys.push(before.key, key),
        onDelete: enqueue,
      });
      expect(keys).to.deep.equal(['shop/new', 'shop/new', 'shop/new', 'shop/old']);
      expect(reads).to.equal(0);
    });

    it('finds the metadata of both objects when it reads it, and the flags', () => {
      const log: unknown[] = [];
      deliverAll({
        view: 'metadata',
        onAdd: ({ metadata, initial }) => log.push(metadata.name, initial),
        onUpdate: (before, { metadata, resync }) =>
          log.push(before.metadata.name, metadata.name, resync),
        onDelete: ({ metadata, finalStateUnknown }) => log.push(metadata.name, finalStateUnknown),
      });
      expect(log).to.deep.equal(['new', true, 'old', 'new', false, 'old', true]);
      expect(reads).to.equal(4);
    });

    it('gets what all the others get: nothing is made for one of them alone', () => {
      const seen: unknown[][] = [];
      const see = (...given: unknown[]): unknown => seen.push(given);
      const handler = { view: 'metadata', onAdd: see, onUpdate: see, onDelete: see } as const;
      deliverAll(handler);
      deliverAll(handler);
      const [first, second] = [seen.slice(0, 3).flat(), seen.slice(3).flat()];
      expect(first).to.have.length(4);
      for (const [index, given] of first.entries()) expect(given).to.equal(second[index]);
    });

    it('logs key, metadata and flags, and no body', () => {
      const shown = JSON.parse(JSON.stringify([...all, update.oldMetadata])) as unknown;
      const [metadata, before] = [{ name: 'new' }, { name: 'old' }];
      expect(shown).to.deep.equal([
        { key: 'shop/new', metadata, initial: true, origin },
        { key: 'shop/new', metadata, resync: false, origin },
        { key: 'shop/old', metadata: before, finalStateUnknown: true, origin },
        { key: 'shop/new', metadata: before },
      ]);
    });

    it('finds an empty one where an object came without', () => {
      const bare = { object: pod('x') } as unknown as ObjectView<Pod>;
      const { metadata, oldMetadata } = new UpdateNotification('a', bare, bare, false, origin);
      expect([metadata, oldMetadata.metadata]).to.deep.equal([{}, {}]);
    });
  });

  it('gets the key of a deleted object, whether its final state is known or not', async () => {
    const harness = new Harness({ objects: [pod('seen'), pod('missed'), pod('/cluster')] });
    const keys: [key: string, ofObject: string, unknown: boolean][] = [];
    harness.informer.addHandler({
      onDelete: (object, { key, finalStateUnknown }) =>
        keys.push([key, metaNamespaceKeyFunc(object), finalStateUnknown]),
    });
    await harness.start();
    harness.source.delete({ namespace: 'shop', name: 'seen' });
    harness.source.delete({ name: 'cluster' });
    await harness.settle();
    await harness.relist(() => harness.source.delete({ namespace: 'shop', name: 'missed' }));
    expect(keys).to.deep.equal([
      ['shop/seen', 'shop/seen', false],
      ['cluster', 'cluster', false],
      ['shop/missed', 'shop/missed', true],
    ]);
    await harness.stop();
  });
});
