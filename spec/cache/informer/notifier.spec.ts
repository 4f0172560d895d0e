import { expect } from 'chai';
import type { ResourceEventHandler } from '../../../lib/cache/informer/event-handler.ts';
import {
  AddNotification,
  DeleteNotification,
  UpdateNotification,
  type Notification,
} from '../../../lib/cache/informer/notification.ts';
import { notifierOf } from '../../../lib/cache/informer/notifier.ts';
import { metaNamespaceKeyFunc } from '../../../lib/meta/key.ts';
import { DecodedView, type ObjectView } from '../../../lib/meta/object-view.ts';
import { Harness } from '../support/informer-harness.ts';
import { pod, type Pod } from '../support/objects.ts';

const [before, after] = [new DecodedView(pod('old')), new DecodedView(pod('new'))];
const origin = 'other';

const notifications: readonly Notification<ObjectView<Pod>>[] = [
  new AddNotification('shop/new', after, true, origin),
  new AddNotification('shop/new', after, false, origin),
  new UpdateNotification('shop/new', before, after, false, origin),
  new DeleteNotification('shop/old', before, false, origin),
  new DeleteNotification('shop/old', before, true, origin),
];

function tell(handler: ResourceEventHandler<Pod>): void {
  const notify = notifierOf('handler', handler);
  for (const notification of notifications) notify(notification);
}

describe('A handler', () => {
  it('gets objects of its type, and what is special about the event', () => {
    const log: unknown[] = [];
    tell({
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

  for (const view of ['object', 'lazy', 'metadata'] as const) {
    it(`of view ${view} may lack any of the callbacks`, () => {
      for (const callback of ['onAdd', 'onUpdate', 'onDelete'] as const) {
        let calls = 0;
        const count = (): void => {
          calls += 1;
        };
        tell({ view, [callback]: count });
        expect(calls, callback).to.equal(callback === 'onUpdate' ? 1 : 2);
      }
    });
  }

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
