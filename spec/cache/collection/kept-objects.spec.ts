import { expect } from 'chai';
import type { Delta } from '../../../lib/cache/delta/delta.ts';
import { DeltaProcessor } from '../../../lib/cache/collection/delta-processor.ts';
import { StoredObjects } from '../../../lib/cache/collection/stored-objects.ts';
import type { IndexFunc } from '../../../lib/cache/store/indexers.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { WriteOverlay } from '../../../lib/cache/store/write-overlay.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { pod, type Pod } from '../support/objects.ts';
import { RecordingMemory, releaseDisplaced } from '../support/recording-memory.ts';

/** A store whose content is kept, and what is applied to it. */
class Setup {
  readonly memory = new RecordingMemory<Pod>();
  /** Whether the objects that the index function saw were kept by then. */
  readonly seen: boolean[] = [];
  readonly store: ThreadSafeStore<Pod>;
  readonly objects: StoredObjects<Pod>;
  readonly #processor: DeltaProcessor<Pod>;

  constructor(mostInPlace?: number) {
    const byKept: IndexFunc<Pod> = (object) => {
      this.seen.push(this.memory.retained.has(object));
      return [];
    };
    const { memory } = this;
    const store = new ThreadSafeStore<Pod>({ indexers: { byKept }, mostInPlace });
    const overlay = new WriteOverlay({ store });
    this.store = store;
    this.objects = new StoredObjects<Pod>({ store, memory });
    this.#processor = new DeltaProcessor<Pod>({ objects: this.objects, overlay, ordered: true });
  }

  apply(...deltas: Delta<Pod>[]): void {
    this.#processor.process(deltas, { initial: false });
  }

  /** Fails unless exactly what is stored is kept. */
  checkKept(): void {
    expect([...this.memory.retained]).to.have.members([...this.store.list()]);
  }
}

function added(object: Pod): Delta<Pod> {
  return { type: 'Added', key: object.metadata.name!, object };
}

function deleted(key: string): Delta<Pod> {
  return { type: 'Deleted', key, object: undefined, finalStateUnknown: true };
}

function relist(...objects: readonly Pod[]): Delta<Pod> {
  const contents = new Map(objects.map((object) => [object.metadata.name!, object]));
  return { type: 'ReplacedAll', contents, unreadable: new Set(), resourceVersion: '1' };
}

describe('the objects of a cache', () => {
  it('are kept before index functions run', () => {
    const setup = new Setup();
    setup.apply(added(pod('a')));
    setup.apply({ type: 'Replaced', key: 'b', object: pod('b') });
    setup.apply(relist(pod('c')));
    expect(setup.seen).to.deep.equal([true, true, true]);
  });

  it('are released when another one takes their place, and when they are deleted', () => {
    const setup = new Setup();
    const [first, second] = [pod('a'), pod('a')];
    setup.apply(added(first));
    setup.apply(added(second));
    expect(setup.memory.released).to.deep.equal([first]);
    setup.apply(deleted('a'));
    setup.apply(deleted('a'));
    expect(setup.memory.released).to.deep.equal([first, second]);
    setup.checkKept();
  });

  it('are not released when they are stored again', () => {
    const setup = new Setup();
    const a = pod('a');
    setup.apply(added(a), added(a), relist(a));
    releaseDisplaced(setup.objects);
    expect(setup.memory.released).to.deep.equal([]);
    setup.checkKept();
  });

  for (const mostInPlace of [0, 2000]) {
    it(`are released piece by piece after a relist, with up to ${mostInPlace} changes in place`, () => {
      const setup = new Setup(mostInPlace);
      const { memory, objects } = setup;
      const stays = pod('b', { resourceVersion: '1' });
      setup.apply(relist(pod('a'), stays, pod('c')));
      setup.apply(relist(stays, pod('c')));
      expect(memory.released).to.have.length(0);
      objects.displaced!.next();
      expect(memory.released).to.have.length(1);
      expect(objects.displaced).not.to.equal(undefined);
      releaseDisplaced(objects);
      expect(objects.displaced).to.equal(undefined);
      expect(memory.released.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'c']);
      setup.checkKept();
    });

    for (const [how, next] of [
      ['an event', added],
      ['a deletion', (): Delta<Pod> => deleted('b')],
      ['another relist', relist],
    ] as readonly (readonly [string, (a: Pod) => Delta<Pod>])[]) {
      for (const together of [true, false]) {
        const where = together ? 'right behind the relist' : 'later';
        it(`are released before ${how} ${where} could store them again, with up to ${mostInPlace} changes in place`, () => {
          const setup = new Setup(mostInPlace);
          const a = pod('a');
          setup.apply(added(a));
          if (together) setup.apply(relist(pod('b')), next(a));
          else {
            setup.apply(relist(pod('b')));
            setup.apply(next(a));
          }
          releaseDisplaced(setup.objects);
          expect(setup.memory.released[0]).to.equal(a);
          setup.checkKept();
        });
      }
    }

    it(`are exactly what is kept, whatever is applied, with up to ${mostInPlace} changes in place`, () => {
      const random = seededRandom(11 + mostInPlace);
      const setup = new Setup(mostInPlace);
      const pool = Array.from({ length: 30 }, (_, index) => pod(`p${index % 6}`));
      const any = (): Pod => pool[Math.floor(random() * pool.length)]!;
      for (let round = 0; round < 3000; round += 1) {
        const kind = Math.floor(random() * 3);
        if (kind === 0) setup.apply(added(any()));
        if (kind === 1) setup.apply(deleted(any().metadata.name!));
        if (kind === 2) {
          setup.apply(relist(...Array.from({ length: Math.floor(random() * 8) }, any)));
        }
        if (random() < 0.5) {
          releaseDisplaced(setup.objects);
          setup.checkKept();
        }
      }
    });
  }
});
