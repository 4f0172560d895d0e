import { expect } from 'chai';
import { BytesKeeper } from '../../../lib/cache/memory/bytes-keeper.ts';
import { ObjectsKeeper } from '../../../lib/cache/memory/objects-keeper.ts';
import { FrozenView } from '../../../lib/cache/store/frozen-view.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { podOf, viewOf } from './kept-views.ts';

const BUDGET = 1024 * 1024;

/** Objects with managed fields in all places, and with metadata that lacks this and that. */
function oddPods(): UnstructuredObject[] {
  const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:a': {} } }];
  const pod = podOf(1);
  const { name, namespace, ...rest } = pod.metadata ?? {};
  return [
    pod,
    { ...pod, metadata: { ...pod.metadata, managedFields } },
    { ...pod, metadata: { managedFields, ...pod.metadata } },
    { ...pod, metadata: { name, managedFields, namespace, ...rest } },
    { spec: 'first', metadata: { managedFields, name, uid: 'u', resourceVersion: '1' } },
    { metadata: { managedFields } },
    { metadata: {} },
    { metadata: { name: 'long', uid: 'u'.repeat(300), resourceVersion: '1' } },
  ] as UnstructuredObject[];
}

describe('BytesKeeper', () => {
  it('knows who an object without uid is that has left, was decoded and comes back', () => {
    const keeper = new BytesKeeper(BUDGET);
    const metadata = { name: 'a', resourceVersion: '7' };
    const view = viewOf({ metadata });
    keeper.keep(view);
    expect(view.object).to.deep.equal({ metadata });
    const end = keeper.hold();
    keeper.release(view, 'left');
    keeper.keep(view);
    end();
    expect(view.resourceVersion).to.equal('7');
    keeper.release(view, 'left');
    expect(view.resourceVersion).to.equal('7');
    expect(view.object).to.deep.equal({ metadata });
  });

  it('gives the same object to all who read it at about the same time', () => {
    const keeper = new BytesKeeper(BUDGET);
    const view = viewOf(podOf(1));
    keeper.keep(view);
    expect(view.object).to.equal(view.object);
    expect(view.object).to.deep.equal(podOf(1));
  });

  it('keeps what is read once for a moment, and what is read again longer', () => {
    const keeper = new BytesKeeper(BUDGET);
    const views = Array.from({ length: 500 }, (_, index) => viewOf(podOf(index)));
    for (const view of views) keeper.keep(view);
    const first = views.map(({ object }) => object);
    expect(keeper.inspect().decodedBytes).to.be.below(64 * 1000);
    const second = views.map(({ object }) => object);
    expect(second[0]).to.not.equal(first[0]);
    for (const [index, view] of views.entries()) expect(view.object).to.equal(second[index]);
  });

  it('keeps within its budget, whatever is read', () => {
    const keeper = new BytesKeeper(BUDGET);
    const views = Array.from({ length: 300 }, (_, index) => viewOf(podOf(index, 1, 10_000)));
    for (const view of views) keeper.keep(view);
    for (let round = 0; round < 4; round += 1) {
      for (const [index, view] of views.entries()) {
        expect(view.object).to.deep.equal(podOf(index, 1, 10_000));
        expect(keeper.inspect().decodedBytes).to.be.at.most(BUDGET);
      }
    }
    expect(keeper.inspect().decodedBytes).to.be.above(BUDGET / 2);
  });

  it('keeps no decoded object without a budget, nor one beyond it', () => {
    for (const [budget, bulk] of [
      [0, 100],
      [BUDGET, BUDGET],
    ] as const) {
      const keeper = new BytesKeeper(budget);
      const view = viewOf(podOf(1, 1, bulk));
      keeper.keep(view);
      expect(view.object).to.deep.equal(podOf(1, 1, bulk));
      expect(view.object).to.deep.equal(podOf(1, 1, bulk));
      expect(keeper.inspect().decodedBytes).to.equal(0);
    }
  });

  it('leaves a decoded object with those who have a view that was released', () => {
    const keeper = new BytesKeeper(BUDGET);
    const view = viewOf(podOf(1));
    keeper.keep(view);
    const filler = Array.from({ length: 200 }, (_, index) => viewOf(podOf(index + 2)));
    for (const one of filler) keeper.keep(one);
    expect(view.object.kind).to.equal('Pod');
    for (const one of filler) expect(one.object.kind).to.equal('Pod');
    const { object } = view;
    keeper.release(view, 'left');
    expect(view.object).to.equal(object);
    expect(view.uid).to.equal(podOf(1).metadata?.uid);
  });

  it('does not take back what was read just before its view was released', () => {
    const keeper = new BytesKeeper(BUDGET);
    const views = Array.from({ length: 200 }, (_, index) => viewOf(podOf(index)));
    for (const view of views) keeper.keep(view);
    const [released, ...others] = views as [(typeof views)[0], ...typeof views];
    const { object } = released;
    keeper.release(released, 'left');
    for (const other of others) expect(other.object.kind).to.equal('Pod');
    expect(released.object).to.equal(object);
    expect(object).to.deep.equal(podOf(0));
  });

  it('takes over what was decoded on the way in', () => {
    const keeper = new BytesKeeper(BUDGET);
    const view = viewOf(podOf(1));
    const { object } = view;
    keeper.keep(view);
    expect(view.object).to.equal(object);
    expect(keeper.inspect().decodedBytes).to.equal(view.sizeBytes * 2);
  });
});

describe('ObjectsKeeper', () => {
  it('keeps bytes until the object is read, and then the object', () => {
    const keeper = new ObjectsKeeper();
    const view = viewOf(podOf(1));
    keeper.keep(view);
    const { liveBytes } = keeper.inspect();
    expect(liveBytes).to.be.above(view.sizeBytes);
    const { object } = view;
    expect(object).to.deep.equal(podOf(1));
    expect(keeper.inspect()).to.include({ liveBytes: 0, decodedBytes: view.sizeBytes * 2 });
    expect(view.object).to.equal(object);
    expect(view.resourceVersion).to.equal('1');
    keeper.release(view, 'left');
    expect(keeper.inspect()).to.include({ liveBytes: 0, decodedBytes: 0 });
    expect(view.object).to.equal(object);
  });

  it('keeps an object that was decoded on the way in as it is', () => {
    const keeper = new ObjectsKeeper();
    const view = viewOf(podOf(1));
    const { object } = view;
    keeper.keep(view);
    expect(view.object).to.equal(object);
    expect(keeper.inspect().liveBytes).to.equal(0);
  });
});

for (const keeperOf of [
  (): BytesKeeper => new BytesKeeper(BUDGET),
  (): ObjectsKeeper => new ObjectsKeeper(),
]) {
  describe(`any keeper, such as ${keeperOf().constructor.name}`, () => {
    it('keeps and releases an object once, however often it is told', () => {
      const keeper = keeperOf();
      const view = viewOf(podOf(1));
      keeper.release(view, 'unused');
      keeper.keep(view);
      const { liveBytes } = keeper.inspect();
      keeper.keep(view);
      expect(keeper.inspect().liveBytes).to.equal(liveBytes);
      keeper.release(view, 'unused');
      keeper.release(view, 'unused');
      expect(keeper.inspect().liveBytes).to.equal(0);
      keeper.keep(view);
      expect(keeper.inspect().liveBytes).to.equal(liveBytes);
      expect(view.object).to.deep.equal(podOf(1));
    });

    it('does not hold on to the bytes a view came in, frozen or not', () => {
      const keeper = keeperOf();
      for (const frozen of [false, true]) {
        const view = viewOf(podOf(1));
        const { bytes } = view.source;
        keeper.keep(frozen ? new FrozenView(view) : view);
        bytes.fill(0);
        expect(view.object).to.deep.equal(podOf(1));
      }
    });

    it('leaves alone what came in decoded', () => {
      const keeper = keeperOf();
      const object = { metadata: { name: 'a' }, object: { metadata: { name: 'a' } } };
      keeper.keep(object);
      keeper.release(object, 'left');
      expect(keeper.inspect()).to.include({ liveBytes: 0, slabBytes: 0 });
    });

    it('parses metadata once for all who read it one after the other', () => {
      const keeper = keeperOf();
      const views = Array.from({ length: 1000 }, (_, index) => viewOf(podOf(index)));
      for (const view of views) keeper.keep(view);
      const first = views.map(({ metadata }) => metadata);
      for (const [index, view] of views.entries()) expect(view.metadata).to.equal(first[index]);
    });

    it('leaves those who have a view that has left its metadata and identity, whatever lies there now', () => {
      const keeper = keeperOf();
      keeper.demand.begin('metadata');
      for (const object of oddPods()) {
        const view = viewOf(object);
        const { managedFields: _, ...metadata } = (object.metadata ??
          {}) as UnstructuredObject['metadata'] & { managedFields?: unknown };
        keeper.keep(view);
        keeper.keep(viewOf(podOf(2)));
        keeper.release(view, 'left');
        keeper.keep(viewOf(podOf(3)));
        expect(view.uid).to.equal(metadata.uid);
        expect(view.resourceVersion).to.equal(metadata.resourceVersion);
        expect(view.metadata).to.deep.equal(metadata);
        expect(view.metadata).to.equal(view.metadata);
        expect(() => view.object).to.throw('nobody had said');
      }
    });

    it('leaves nothing when nobody may read anything, and says so to whoever does', () => {
      const keeper = keeperOf();
      const view = viewOf(podOf(1));
      keeper.keep(view);
      keeper.keep(viewOf(podOf(2)));
      keeper.release(view, 'left');
      expect(() => view.metadata).to.throw('the metadata of an object that has left the cache');
      expect(() => view.object).to.throw('the body of an object that has left the cache');
    });

    it('leaves them the whole object while somebody may read it', () => {
      const keeper = keeperOf();
      const ends = [keeper.demand.begin('body'), keeper.hold()];
      for (const end of ends) {
        for (const object of oddPods()) {
          const view = viewOf(object);
          keeper.keep(view);
          keeper.keep(viewOf(podOf(2)));
          keeper.release(view, 'left');
          keeper.keep(viewOf(podOf(3)));
          expect(view.object).to.deep.equal(object);
        }
        end();
        end();
      }
      expect(keeper.demand.readable).to.equal('nothing');
    });
  });
}
