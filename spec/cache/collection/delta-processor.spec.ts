import { expect } from 'chai';
import { DeltaProcessor } from '../../../lib/cache/collection/delta-processor.ts';
import { StoredObjects } from '../../../lib/cache/collection/stored-objects.ts';
import type {
  Notification,
  NotificationBatch,
} from '../../../lib/cache/informer/handlers/notification.ts';
import { DeltaFIFO, type DeltaOrder } from '../../../lib/cache/delta/delta-fifo.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { WriteOverlay } from '../../../lib/cache/store/write-overlay.ts';
import { pod, type Pod } from '../support/objects.ts';

function print(notification: Notification<Pod>): string {
  const { type, key, object } = notification;
  const version = object.metadata.resourceVersion ?? '?';
  switch (type) {
    case 'add':
      return `+${key}@${version}${notification.initial ? '!' : ''}`;
    case 'update':
      return `~${key}@${notification.old.metadata.resourceVersion}>${version}${notification.resync ? '!' : ''}`;
    case 'delete':
      return `-${key}@${version}${notification.finalStateUnknown ? '!' : ''}`;
  }
}

function at(name: string, resourceVersion: string, uid?: string): Pod {
  return pod(`/${name}`, { resourceVersion, uid });
}

/** A queue, a store and the processor between them. */
class Pipeline {
  readonly store = new ThreadSafeStore<Pod>();
  readonly overlay = new WriteOverlay<Pod>({ store: this.store });
  readonly fifo: DeltaFIFO<Pod>;
  readonly processor: DeltaProcessor<Pod>;

  constructor(order: DeltaOrder = 'arrival') {
    this.fifo = new DeltaFIFO<Pod>({ order, knownObjects: this.store, onError: () => {} });
    const { store, overlay } = this;
    this.processor = new DeltaProcessor({
      objects: new StoredObjects({ store }),
      overlay,
      ordered: order === 'arrival',
    });
  }

  readonly batches = (): NotificationBatch<Pod>[] => {
    const all: NotificationBatch<Pod>[] = [];
    while (this.fifo.size > 0) {
      this.fifo.popBatch(100, (deltas, info) => {
        all.push(...this.processor.process(deltas, info));
      });
    }
    return all;
  };

  readonly notified = (): string[] =>
    this.batches().flatMap(({ notifications }) => notifications.map(print));

  readonly stored = (): string[] => {
    return [...this.store.entries()].map(
      ([key, { metadata }]) => `${key}@${metadata.resourceVersion}`,
    );
  };
}

describe('DeltaProcessor', () => {
  it('lets what is stored decide between add and update', () => {
    const { fifo, notified } = new Pipeline();
    fifo.update(at('a', '1'));
    fifo.add(at('a', '2'));
    expect(notified()).to.deep.equal(['+a@1', '~a@1>2']);
  });

  it('delivers a deletion of an object that was never seen', () => {
    const { fifo, notified } = new Pipeline();
    fifo.delete(at('a', '1'));
    expect(notified()).to.deep.equal(['-a@1']);
  });

  it('gives a deletion the final state, not the stored one', () => {
    const { fifo, notified } = new Pipeline();
    fifo.add(at('a', '1'));
    fifo.delete(at('a', '2'));
    expect(notified()).to.deep.equal(['+a@1', '-a@2']);
  });

  for (const order of ['arrival', 'key'] as const) {
    it(`makes of a relist deletions, additions and updates against the store (${order})`, () => {
      const { fifo, notified, stored } = new Pipeline(order);
      fifo.replace([at('a', '1'), at('b', '2'), at('c', '3')], '3');
      expect(notified()).to.deep.equal(['+a@1!', '+b@2!', '+c@3!']);
      fifo.replace([at('d', '5'), at('b', '4'), at('c', '3')], '6');
      expect(notified()).to.have.members(['-a@1!', '+d@5', '~b@2>4']);
      expect(stored()).to.have.members(['d@5', 'b@4', 'c@3']);
    });

    it(`deletes an object that came back under another uid (${order})`, () => {
      const { fifo, notified } = new Pipeline(order);
      fifo.replace([at('a', '1', 'first'), at('b', '2', 'x')], '2');
      notified();
      fifo.replace([at('a', '5', 'second'), at('b', '6', 'x')], '6');
      expect(notified()).to.deep.equal(['-a@1!', '+a@5', '~b@2>6']);
      fifo.update(at('b', '7', 'y'));
      expect(notified()).to.deep.equal(['-b@6!', '+b@7']);
      fifo.update(at('b', '7', 'z'));
      expect(notified()).to.deep.equal(['-b@7!', '+b@7']);
    });

    it(`does not notify of, store or lose unchanged objects (${order})`, () => {
      const { fifo, notified, store } = new Pipeline(order);
      const stored = at('a', '1');
      fifo.replace([stored], '1');
      notified();
      fifo.replace([at('a', '1')], '9');
      expect(notified()).to.deep.equal([]);
      expect(store.get('a')).to.equal(stored);
      fifo.update(at('a', '1'));
      expect(notified()).to.deep.equal([]);
    });

    it(`delivers objects without a resource version again, for they cannot be compared (${order})`, () => {
      const { fifo, notified } = new Pipeline(order);
      const bare = (): Pod => pod('/a');
      fifo.replace([bare()], '1');
      notified();
      fifo.replace([bare()], '2');
      expect(notified()).to.deep.equal(['~a@undefined>?']);
    });

    it(`gives a resync to those whose turn it is, in its place between the changes (${order})`, () => {
      const pipeline = new Pipeline(order);
      pipeline.fifo.replace([at('a', '1'), at('b', '2')], '2');
      pipeline.notified();
      pipeline.fifo.update(at('a', '3'));
      pipeline.fifo.resync();
      pipeline.fifo.update(at('c', '4'));
      const batches = pipeline
        .batches()
        .map(({ audience, notifications }) => `${audience}: ${notifications.map(print).join(' ')}`);
      expect(batches).to.deep.equal(
        order === 'arrival'
          ? ['all: ~a@1>3', 'resyncing: ~a@3>3! ~b@2>2!', 'all: +c@4']
          : ['all: ~a@1>3', 'resyncing: ~b@2>2!', 'all: +c@4'],
      );
    });
  }

  it('delivers the deletions of a relist first, then the rest in list order', () => {
    const { fifo, notified } = new Pipeline();
    fifo.replace([at('a', '1'), at('b', '2')], '2');
    notified();
    fifo.replace([at('c', '5'), at('a', '4')], '6');
    expect(notified()).to.deep.equal(['-b@2!', '+c@5', '~a@1>4']);
  });

  it('keeps a stored object whose new state could not be read', () => {
    const store = new ThreadSafeStore<Pod>();
    const overlay = new WriteOverlay<Pod>({ store });
    const processor = new DeltaProcessor({
      objects: new StoredObjects({ store }),
      overlay,
      ordered: true,
    });
    const fifo = new DeltaFIFO<Pod>({
      onError: () => {},
      transform: (object) => {
        if (object.metadata.resourceVersion === '2') throw new Error('cannot');
        return object;
      },
    });
    const notified: string[] = [];
    const process = (): void => {
      fifo.popBatch(10, (deltas, info) => {
        for (const { notifications } of processor.process(deltas, info)) {
          notified.push(...notifications.map(print));
        }
      });
    };
    fifo.replace([at('a', '1')], '1');
    process();
    fifo.replace([at('a', '2')], '2');
    fifo.update(at('a', '2'));
    process();
    expect(notified).to.deep.equal(['+a@1!']);
    expect(store.get('a')?.metadata.resourceVersion).to.equal('1');
    fifo.delete(at('a', '2'));
    process();
    expect(notified).to.deep.equal(['+a@1!', '-a@1!']);
  });

  it('takes an object for changed that comes with the version of a state which a restore has undone', () => {
    const store = new ThreadSafeStore<Pod>();
    const overlay = new WriteOverlay<Pod>({ store });
    const processor = new DeltaProcessor({
      objects: new StoredObjects({ store }),
      overlay,
      ordered: true,
    });
    const unreadable = new Set<string>();
    const fifo = new DeltaFIFO<Pod>({
      onError: () => {},
      transform: (object) => {
        if (unreadable.has(object.metadata.name ?? '')) throw new Error('cannot');
        return object;
      },
    });
    const notified = (): string[] => {
      const lines: string[] = [];
      while (fifo.size > 0) {
        fifo.popBatch(10, (deltas, info) => {
          for (const { notifications } of processor.process(deltas, info)) {
            lines.push(...notifications.map(print));
          }
        });
      }
      return lines;
    };
    fifo.replace([at('a', '8'), at('b', '3')], '8');
    expect(notified()).to.deep.equal(['+a@8!', '+b@3!']);
    // Restored to 5: version 8 is undone, and the present objects cannot be read.
    for (const name of ['a', 'b']) unreadable.add(name);
    fifo.replace([at('a', '4'), at('b', '3')], '5');
    expect(notified()).to.deep.equal([]);
    unreadable.clear();
    const rewritten = at('a', '8');
    for (const object of [rewritten, at('b', '3'), at('a', '8')]) fifo.update(object);
    expect(notified()).to.deep.equal(['~a@8>8']);
    expect(store.get('a')).to.equal(rewritten);
  });

  const batches: readonly [failing: readonly string[], notified: readonly string[]][] = [
    [[], ['+a@1', '+b@2', '+c@3']],
    [['a', 'b', 'c'], []],
    [['b'], ['+a@1', '+c@3']],
    [['a'], ['+b@2', '+c@3']],
  ];
  for (const [failing, expected] of batches) {
    it(`notifies of the stored objects in a batch of a, b, c where ${failing.join() || 'none'} cannot`, () => {
      const failures: string[] = [];
      const store = new ThreadSafeStore<Pod>();
      const overlay = new WriteOverlay<Pod>({ store });
      const processor = new DeltaProcessor({
        objects: new StoredObjects({ store }),
        overlay,
        ordered: true,
      });
      const fifo = new DeltaFIFO<Pod>({
        onError: (error) => failures.push('key' in error ? error.key : ''),
        transform: (object) => {
          if (failing.includes(object.metadata.name!)) throw new Error('cannot');
          return object;
        },
      });
      for (const [name, version] of Object.entries({ a: '1', b: '2', c: '3' })) {
        fifo.add(at(name, version));
      }
      const notified = fifo.popBatch(10, (deltas, info) => processor.process(deltas, info)) ?? [];
      expect(notified.flatMap(({ notifications }) => notifications.map(print))).to.deep.equal(
        expected,
      );
      expect(store.size).to.equal(expected.length);
      expect(failures).to.deep.equal(failing);
    });
  }

  it('takes the resource version of the store along, in the order of arrival', () => {
    const { fifo, notified, store } = new Pipeline();
    fifo.replace([at('a', '1')], '5');
    notified();
    expect(store.resourceVersion).to.equal('5');
    fifo.update(at('a', '6'));
    fifo.delete(at('a', '7'));
    notified();
    expect(store.resourceVersion).to.equal('7');
    fifo.bookmark('9');
    fifo.resync();
    notified();
    expect(store.resourceVersion).to.equal('9');
  });

  it('claims no resource version in the order of keys, where changes overtake each other', () => {
    const { fifo, notified, store } = new Pipeline('key');
    fifo.replace([at('a', '1')], '5');
    fifo.update(at('b', '6'));
    notified();
    expect(store.resourceVersion).to.equal('');
  });
});
