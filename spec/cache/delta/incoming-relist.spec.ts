import { expect } from 'chai';
import { DeltaFIFO, type DeltaFIFOOptions } from '../../../lib/cache/delta/delta-fifo.ts';
import type { ReplacedAllDelta } from '../../../lib/cache/delta/delta.ts';
import { DeltaProcessor } from '../../../lib/cache/collection/delta-processor.ts';
import { StoredObjects } from '../../../lib/cache/collection/stored-objects.ts';
import { SlabMemory } from '../../../lib/cache/memory/slab-memory.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import { podOf, viewOf } from '../memory/kept-views.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { WriteOverlay } from '../../../lib/cache/store/write-overlay.ts';
import { codeOf, pod, type Pod } from '../support/objects.ts';
import { RecordingMemory, releaseDisplaced } from '../support/recording-memory.ts';
import { popAll } from './delta-support.ts';

function at(name: string, resourceVersion: string, uid: string = name): Pod {
  return pod(`/${name}`, { resourceVersion, uid });
}

/** A queue in front of a store, with one memory for both. */
class Setup {
  readonly memory = new RecordingMemory<Pod>();
  readonly store = new ThreadSafeStore<Pod>();
  readonly objects = new StoredObjects<Pod>({ store: this.store, memory: this.memory });
  readonly processor = new DeltaProcessor<Pod>({
    objects: this.objects,
    overlay: new WriteOverlay({ store: this.store }),
    ordered: true,
  });
  readonly errors: string[] = [];
  readonly fifo: DeltaFIFO<Pod>;

  constructor(options: DeltaFIFOOptions<Pod> = {}) {
    this.fifo = new DeltaFIFO<Pod>({
      knownObjects: this.store,
      consumer: this.objects,
      onError: (error) => this.errors.push(error.code),
      ...options,
    });
  }

  drain(): void {
    while (this.fifo.size > 0) {
      this.fifo.popBatch(10, (deltas, info) => this.processor.process(deltas, info));
    }
    releaseDisplaced(this.objects);
  }

  /** Fails unless exactly what is stored is kept. */
  checkKept(): void {
    expect([...this.memory.retained]).to.have.members([...this.store.list()]);
  }
}

describe('a relist in pieces', () => {
  it('is queued as one item when it is committed, and nothing of it before', () => {
    const { fifo } = new Setup();
    const relist = fifo.beginRelist();
    relist.add([at('a', '1'), at('b', '2')]);
    relist.add([at('c', '3'), at('a', '4')]);
    expect(fifo.size).to.equal(0);
    fifo.bookmark('3');
    expect(relist.commit('5')).to.equal(3);
    expect(popAll(fifo)).to.deep.equal(['#3', '[a@4 b@2 c@3]@5']);
  });

  it('wakes the consumer when it is committed', async () => {
    const { fifo } = new Setup();
    const ready = fifo.whenReady();
    const relist = fifo.beginRelist();
    relist.add([at('a', '1')]);
    relist.commit('1');
    expect(await ready).to.equal(true);
  });

  it('takes the events of a streaming list', () => {
    const { fifo, errors } = new Setup();
    const relist = fifo.beginRelist();
    relist.apply([
      { type: 'ADDED', object: at('a', '1') },
      { type: 'ADDED', object: at('b', '2') },
      { type: 'ADDED', object: { metadata: {} } },
      { type: 'MODIFIED', object: at('a', '3') },
      { type: 'BOOKMARK', resourceVersion: '4', initialEventsEnd: false },
      { type: 'DELETED', object: at('b', '5') },
      { type: 'DELETED', object: at('never', '6') },
      { type: 'DELETED', object: { metadata: {} } },
      { type: 'ADDED', object: at('c', '7') },
    ]);
    expect(errors).to.deep.equal([]);
    expect(relist.commit('7')).to.equal(2);
    expect(errors).to.deep.equal(['KEY', 'KEY']);
    expect(popAll(fifo)).to.deep.equal(['[a@3 c@7]@7']);
  });

  it('says of a key that could not be read last that it could not be read', () => {
    const { fifo } = new Setup({
      transform: (object) => {
        if (object.metadata.resourceVersion === 'bad') throw new Error('cannot');
        return object;
      },
    });
    const relist = fifo.beginRelist();
    relist.add([at('a', '1'), at('b', 'bad'), at('c', 'bad'), at('d', 'bad')]);
    relist.apply([
      { type: 'MODIFIED', object: at('a', 'bad') },
      { type: 'MODIFIED', object: at('b', '2') },
      { type: 'DELETED', object: at('c', '3') },
    ]);
    expect(relist.commit('3')).to.equal(3);
    let queued: ReplacedAllDelta<Pod> | undefined;
    fifo.pop(([delta]) => {
      queued = delta as ReplacedAllDelta<Pod>;
    });
    expect([...queued!.contents.keys()]).to.deep.equal(['b']);
    expect([...queued!.unreadable]).to.have.members(['a', 'd']);
  });

  it('has its objects kept as they come in, and those that come to nothing released', () => {
    const setup = new Setup();
    const { fifo, memory } = setup;
    const relist = fifo.beginRelist();
    const [a1, a2, b] = [at('a', '1'), at('a', '2'), at('b', '1')];
    relist.add([a1, b]);
    expect([...memory.retained]).to.deep.equal([a1, b]);
    relist.apply([
      { type: 'MODIFIED', object: a2 },
      { type: 'DELETED', object: b },
    ]);
    expect(memory.released).to.deep.equal([a1, b]);
    relist.commit('2');
    setup.drain();
    setup.checkKept();
    expect(setup.store.get('a')).to.equal(a2);
  });

  it('carries what is stored for what has not changed, and has it neither kept nor transformed again', () => {
    const transformed: string[] = [];
    const setup = new Setup({
      transform: (object) => {
        transformed.push(object.metadata.resourceVersion!);
        return object;
      },
    });
    const { fifo, memory, store } = setup;
    fifo.replace([at('a', '1'), at('b', '2'), at('c', '3')], '3');
    setup.drain();
    const stored = store.get('a');
    const before = memory.retains;
    const relist = fifo.beginRelist();
    relist.add([at('a', '1'), at('b', '5'), at('c', '3', 'another')]);
    expect(memory.retains).to.equal(before + 2);
    expect(transformed).to.deep.equal(['1', '2', '3', '5', '3']);
    relist.commit('6');
    expect(fifo.peekRelist()!.relist.contents.get('a')).to.equal(stored);
    setup.drain();
    expect(store.get('a')).to.equal(stored);
    setup.checkKept();
  });

  it('distinguishes objects without a resource version from stored ones', () => {
    const setup = new Setup();
    setup.fifo.replace([pod('/a')], '1');
    setup.drain();
    const again = pod('/a');
    setup.fifo.replace([again], '2');
    setup.drain();
    expect(setup.store.get('a')).to.equal(again);
    setup.checkKept();
  });

  it('is not compared with what is stored while an earlier relist waits', () => {
    const { fifo, store } = new Setup();
    store.add('a', at('a', '1'));
    fifo.replace([], '2');
    const relist = fifo.beginRelist();
    const listed = at('a', '1');
    relist.add([listed]);
    relist.commit('3');
    fifo.pop(() => {});
    expect(fifo.peekRelist()!.relist.contents.get('a')).to.equal(listed);
  });

  it('does not carry a stored state that a restored server has undone', () => {
    let broken = false;
    const setup = new Setup({
      transform: (object) => {
        if (broken) throw new Error('cannot');
        return object;
      },
    });
    const { fifo, store } = setup;
    fifo.replace([at('a', '9')], '9');
    setup.drain();
    broken = true;
    fifo.replace([at('a', '4')], '5');
    setup.drain();
    broken = false;
    const again = at('a', '9');
    fifo.replace([again], '9');
    setup.drain();
    expect(store.get('a')).to.equal(again);
    setup.checkKept();
  });

  it('has what turns out to be unchanged only later released', () => {
    const setup = new Setup();
    const { fifo, store } = setup;
    const relist = fifo.beginRelist();
    relist.add([at('a', '2'), at('b', '1')]);
    const event = at('a', '2');
    fifo.add(event);
    relist.commit('3');
    setup.drain();
    expect(store.get('a')).to.equal(event);
    setup.checkKept();
  });

  it('has what an event has replaced meanwhile kept again when the list brings it back', () => {
    const setup = new Setup();
    const { fifo, store } = setup;
    fifo.replace([at('a', '1'), at('b', '1')], '1');
    setup.drain();
    const relist = fifo.beginRelist();
    relist.add([at('a', '1'), at('b', '1')]);
    fifo.update(at('a', '2'));
    fifo.delete(at('b', '3'));
    setup.drain();
    relist.commit('1');
    setup.drain();
    expect(store.get('a')!.metadata.resourceVersion).to.equal('1');
    expect(store.has('b')).to.equal(true);
    setup.checkKept();
  });

  it('leaves nothing behind when it is discarded', () => {
    const setup = new Setup();
    const { fifo, memory } = setup;
    fifo.replace([at('a', '1')], '1');
    setup.drain();
    const relist = fifo.beginRelist();
    relist.add([at('a', '1'), at('b', '2')]);
    relist.discard();
    relist.discard();
    expect(memory.released.map(({ metadata }) => metadata.name)).to.deep.equal(['b']);
    expect(fifo.size).to.equal(0);
    setup.checkKept();
    expect(codeOf(() => relist.add([]))).to.equal('ASSERTION');
    expect(codeOf(() => relist.commit('2'))).to.equal('ASSERTION');
  });

  it('is not harmed by a discard after its commit', () => {
    const setup = new Setup();
    const relist = setup.fifo.beginRelist();
    relist.add([at('a', '1')]);
    relist.commit('1');
    relist.discard();
    setup.drain();
    expect(setup.store.keys()).to.deep.equal(['a']);
    setup.checkKept();
  });

  it('is replaced by another one that begins, or by a whole list', () => {
    const setup = new Setup();
    const { fifo } = setup;
    const first = fifo.beginRelist();
    first.add([at('a', '1')]);
    const second = fifo.beginRelist();
    second.add([at('b', '1')]);
    expect(codeOf(() => first.add([]))).to.equal('ASSERTION');
    fifo.replace([at('c', '1')], '2');
    expect(codeOf(() => second.commit('3'))).to.equal('ASSERTION');
    setup.drain();
    expect(setup.store.keys()).to.deep.equal(['c']);
    setup.checkKept();
  });

  it('ends with the queue', () => {
    const { fifo } = new Setup();
    const relist = fifo.beginRelist();
    fifo.end();
    expect(codeOf(() => relist.add([at('a', '1')]))).to.equal('FIFO_CLOSED');
    expect(codeOf(() => relist.apply([]))).to.equal('FIFO_CLOSED');
    expect(codeOf(() => relist.commit('1'))).to.equal('FIFO_CLOSED');
    relist.discard();
  });

  it('throws the first failure once it is queued when there is no error hook', () => {
    const { fifo } = new Setup({ onError: undefined });
    const relist = fifo.beginRelist();
    relist.add([{ metadata: {} }, at('a', '1')]);
    expect(codeOf(() => relist.commit('1'))).to.equal('KEY');
    expect(popAll(fifo)).to.deep.equal(['[a@1]@1']);
  });
});

describe('a relist that is one item', () => {
  it('is seen before it is processed, and is a batch of its own', () => {
    const fifo = new DeltaFIFO<Pod>();
    fifo.replace([at('a', '1')], '1');
    fifo.add(at('b', '2'));
    fifo.replace([at('c', '3')], '3');
    fifo.add(at('d', '4'));
    const first = fifo.peekRelist()!;
    expect([first.relist.resourceVersion, first.info.initial]).to.deep.equal(['1', true]);
    expect(fifo.size).to.equal(4);
    expect(fifo.synced).to.equal(false);
    const batches: string[] = [];
    while (fifo.size > 0) {
      if (fifo.peekRelist()?.relist.resourceVersion === '3') batches.push('relist');
      fifo.popBatch(10, (deltas, { initial }) => {
        batches.push(`${initial ? '!' : ''}${deltas.map(({ type }) => type).join(' ')}`);
      });
    }
    expect(batches).to.deep.equal(['!ReplacedAll', 'Added', 'relist', 'ReplacedAll', 'Added']);
    expect(fifo.peekRelist()).to.equal(undefined);
  });
});

describe('a relist over bytes', () => {
  it('brings back whole what something older in the queue had replaced', () => {
    const memory = new SlabMemory({ mode: 'bytes', decodedBytes: 0 });
    const store = new ThreadSafeStore<ObjectView>();
    const overlay = new WriteOverlay({ store });
    const objects = new StoredObjects<ObjectView>({ store, memory });
    const processor = new DeltaProcessor<ObjectView>({ objects, overlay, ordered: true });
    const fifo = new DeltaFIFO<ObjectView>({
      knownObjects: store,
      consumer: objects,
    });
    const drain = (): void => {
      fifo.popBatch(10, (deltas, info) => processor.process(deltas, info));
      releaseDisplaced(objects);
    };
    fifo.replace([viewOf(podOf(1, 5)), viewOf(podOf(2, 5))], '5');
    drain();
    const relist = fifo.beginRelist();
    relist.add([viewOf(podOf(1, 5)), viewOf(podOf(2, 5))]);
    fifo.update(viewOf(podOf(1, 6)));
    drain();
    expect(memory.inspect().retention).to.equal('body');
    fifo.delete(viewOf(podOf(2, 7)));
    relist.commit('5');
    while (fifo.size > 0) drain();
    expect(store.list().map(({ object }) => object)).to.deep.equal([podOf(1, 5), podOf(2, 5)]);
    expect(memory.inspect().retention).to.equal('nothing');
  });
});
