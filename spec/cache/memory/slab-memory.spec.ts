import { expect } from 'chai';
import { resolveCacheOptions } from '../../../lib/cache/memory/cache-options.ts';
import { objectJson } from '../../../lib/cache/memory/views/object-json.ts';
import { SlabMemory } from '../../../lib/cache/memory/slab-memory.ts';
import { FrozenView } from '../../../lib/cache/store/frozen-view.ts';
import { JsonView } from '../../../lib/meta/json/json-view.ts';
import { identityOf } from '../../../lib/meta/object-view.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { podOf, viewOf, viewOfText } from './kept-views.ts';

/** Of single objects; lists have as much. */
const BUDGET = 1024 * 1024;

function bytesMemory(budget: number = BUDGET): SlabMemory {
  return new SlabMemory({ mode: 'bytes', decodedBytes: 2 * budget });
}

function retainedIn(memory: SlabMemory, object: object): ReturnType<typeof viewOf> {
  const view = viewOf(object);
  memory.retain(view);
  return view;
}

function objectsMemory(): SlabMemory {
  return new SlabMemory(resolveCacheOptions('SlabMemory', 'objects'));
}

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

describe('SlabMemory of bytes', () => {
  it('recognises an object without uid that has left, was decoded and comes back', () => {
    const memory = bytesMemory();
    const metadata = { name: 'a', resourceVersion: '7' };
    const view = viewOf({ metadata });
    memory.retain(view);
    expect(view.object).to.deep.equal({ metadata });
    const pin = memory.pin('body');
    memory.release(view, 'left');
    memory.retain(view);
    pin[Symbol.dispose]();
    expect(view.resourceVersion).to.equal('7');
    memory.release(view, 'left');
    expect(view.resourceVersion).to.equal('7');
    expect(view.object).to.deep.equal({ metadata });
  });

  it('gives the same object to all readers at about the same time', () => {
    const memory = bytesMemory();
    const view = viewOf(podOf(1));
    memory.retain(view);
    expect(view.object).to.equal(view.object);
    expect(view.object).to.deep.equal(podOf(1));
  });

  it('keeps what is read once for a moment, and what is read again longer', () => {
    const memory = bytesMemory();
    const views = Array.from({ length: 500 }, (_, index) => viewOf(podOf(index)));
    for (const view of views) memory.retain(view);
    const first = views.map(({ object }) => object);
    expect(memory.inspect().decodedBytes).to.be.below(64 * 1000);
    const second = views.map(({ object }) => object);
    expect(second[0]).to.not.equal(first[0]);
    for (const [index, view] of views.entries()) expect(view.object).to.equal(second[index]);
  });

  it('keeps within its budget during reads', () => {
    const memory = bytesMemory();
    const views = Array.from({ length: 300 }, (_, index) => viewOf(podOf(index, 1, 10_000)));
    for (const view of views) memory.retain(view);
    for (let round = 0; round < 4; round += 1) {
      for (const [index, view] of views.entries()) {
        expect(view.object).to.deep.equal(podOf(index, 1, 10_000));
        expect(memory.inspect().decodedBytes).to.be.at.most(BUDGET);
      }
    }
    expect(memory.inspect().decodedBytes).to.be.above(BUDGET / 2);
  });

  it('keeps no decoded object without a budget, nor one beyond it', () => {
    for (const [budget, bulk] of [
      [0, 100],
      [BUDGET, BUDGET],
    ] as const) {
      const memory = bytesMemory(budget);
      const view = viewOf(podOf(1, 1, bulk));
      memory.retain(view);
      expect(view.object).to.deep.equal(podOf(1, 1, bulk));
      expect(view.object).to.deep.equal(podOf(1, 1, bulk));
      expect(memory.inspect().decodedBytes).to.equal(0);
    }
  });

  it('keeps a decoded object for readers of a view that was released', () => {
    const memory = bytesMemory();
    const view = viewOf(podOf(1));
    memory.retain(view);
    const filler = Array.from({ length: 200 }, (_, index) => viewOf(podOf(index + 2)));
    for (const one of filler) memory.retain(one);
    expect(view.object.kind).to.equal('Pod');
    for (const one of filler) expect(one.object.kind).to.equal('Pod');
    const { object } = view;
    memory.release(view, 'left');
    expect(view.object).to.equal(object);
    expect(view.uid).to.equal(podOf(1).metadata?.uid);
  });

  it('does not take back what was read just before its view was released', () => {
    const memory = bytesMemory();
    const views = Array.from({ length: 200 }, (_, index) => viewOf(podOf(index)));
    for (const view of views) memory.retain(view);
    const [released, ...others] = views as [(typeof views)[0], ...typeof views];
    const { object } = released;
    memory.release(released, 'left');
    for (const other of others) expect(other.object.kind).to.equal('Pod');
    expect(released.object).to.equal(object);
    expect(object).to.deep.equal(podOf(0));
  });

  it('takes over what was decoded on the way in', () => {
    const memory = bytesMemory();
    const view = viewOf(podOf(1));
    const { object } = view;
    memory.retain(view);
    expect(view.object).to.equal(object);
    expect(memory.inspect().decodedBytes).to.equal(view.sizeBytes * 2);
  });
});

describe('SlabMemory of objects', () => {
  it('keeps bytes until the object is read, and then the object', () => {
    const memory = objectsMemory();
    const view = viewOf(podOf(1));
    memory.retain(view);
    const { liveBytes } = memory.inspect();
    expect(liveBytes).to.be.above(view.sizeBytes);
    const { object } = view;
    expect(object).to.deep.equal(podOf(1));
    expect(memory.inspect()).to.include({ liveBytes: 0, decodedBytes: view.sizeBytes * 2 });
    expect(view.object).to.equal(object);
    expect(view.resourceVersion).to.equal('1');
    memory.release(view, 'left');
    expect(memory.inspect()).to.include({ liveBytes: 0, decodedBytes: 0 });
    expect(view.object).to.equal(object);
  });

  it('decodes each object once, for any number of reads', () => {
    const memory = objectsMemory();
    const views = Array.from({ length: 3000 }, (_, index) => viewOf(podOf(index)));
    for (const view of views) memory.retain(view);
    const first = views.map(({ object }) => object);
    for (let round = 0; round < 2; round += 1) {
      for (const [index, view] of views.entries()) expect(view.object).to.equal(first[index]);
    }
  });

  it('keeps an object that was decoded on the way in as it is', () => {
    const memory = objectsMemory();
    const view = viewOf(podOf(1));
    const { object } = view;
    memory.retain(view);
    expect(view.object).to.equal(object);
    expect(memory.inspect().liveBytes).to.equal(0);
  });
});

for (const [mode, memoryOf] of [
  ['bytes', bytesMemory],
  ['objects', objectsMemory],
] as const) {
  describe(`SlabMemory of any mode, such as ${mode}`, () => {
    it('keeps and releases an object once, even after repeated calls', () => {
      const memory = memoryOf();
      const view = viewOf(podOf(1));
      memory.release(view, 'unused');
      memory.retain(view);
      const { liveBytes } = memory.inspect();
      memory.retain(view);
      expect(memory.inspect().liveBytes).to.equal(liveBytes);
      memory.release(view, 'unused');
      memory.release(view, 'unused');
      expect(memory.inspect().liveBytes).to.equal(0);
      memory.retain(view);
      expect(memory.inspect().liveBytes).to.equal(liveBytes);
      expect(view.object).to.deep.equal(podOf(1));
    });

    it('does not hold on to the bytes a view came in, frozen or not', () => {
      const memory = memoryOf();
      for (const frozen of [false, true]) {
        const view = viewOf(podOf(1));
        const { bytes } = view.source;
        memory.retain(frozen ? new FrozenView(view) : view);
        bytes.fill(0);
        expect(view.object).to.deep.equal(podOf(1));
      }
    });

    it('gives what has left, was decoded and comes back, though its JSON is written differently now', () => {
      const memory = memoryOf();
      const view = viewOfText(JSON.stringify(podOf(1), null, 2));
      memory.retain(view);
      expect(view.object).to.deep.equal(podOf(1));
      memory.release(view, 'left');
      memory.retain(view);
      for (let index = 2; index < 400; index += 1) void retainedIn(memory, podOf(index)).object;
      expect(view.object).to.deep.equal(podOf(1));
      expect(view.metadata).to.deep.equal(podOf(1).metadata);
      memory.release(view, 'left');
      expect(view.object).to.deep.equal(podOf(1));
    });

    it('takes a copy of what lies in another cache, or has left one, and leaves the view there', () => {
      for (const [state, read] of [
        ['stored', false],
        ['stored', true],
        ['left', false],
        ['left', true],
      ] as const) {
        for (const frozen of [false, true]) {
          const [first, second] = [memoryOf(), memoryOf()];
          const view = viewOf(podOf(1));
          const stored = first.retain(frozen ? new FrozenView(view) : view);
          if (read) expect(view.object).to.deep.equal(podOf(1));
          first.pin('body');
          if (state === 'left') first.release(stored, 'left');
          const { liveBytes, decodedBytes } = first.inspect();
          const copy = second.retain(stored);
          expect(copy instanceof FrozenView).to.equal(frozen);
          expect(second.retain(copy)).to.equal(copy);
          if (state === 'stored') {
            expect(copy).to.not.equal(stored);
            expect(first.inspect()).to.include({ liveBytes, decodedBytes });
            first.release(stored, 'left');
          }
          for (let index = 2; index < 20; index += 1) retainedIn(first, podOf(index));
          expect(copy.object).to.deep.equal(podOf(1));
          expect(stored.object).to.deep.equal(podOf(1));
          expect(identityOf(copy)).to.include({ name: 'pod-1', resourceVersion: '1' });
          second.release(copy, 'left');
          expect(second.inspect().liveBytes).to.equal(0);
        }
      }
    });

    it('gives a copy the type that the object has from its list', () => {
      const { metadata } = podOf(1);
      const item = viewOf({ metadata });
      const type = { apiVersion: 'v1', kind: 'Pod' };
      const view = new JsonView(item.source, item.start, item.start + item.sizeBytes, item, type);
      const copy = memoryOf().retain(memoryOf().retain(view));
      expect(copy.object).to.deep.equal({ ...type, metadata });
    });

    it('keeps __proto__ a key and every letter what it is', () => {
      const memory = memoryOf();
      const text =
        '{"__proto__":{"a":1},"metadata":{"name":"n","uid":"u","resourceVersion":"1"},"text":"Größe ✓ 😀 \\ud83d\\u0000\\n","n":1e400}';
      const view = viewOfText(text);
      memory.retain(view);
      expect(view.object).to.deep.equal(JSON.parse(text));
      expect(Object.hasOwn(view.object, '__proto__')).to.equal(true);
    });

    it('leaves alone what came in decoded', () => {
      const memory = memoryOf();
      const object = { metadata: { name: 'a' }, object: { metadata: { name: 'a' } } };
      expect(memory.retain(object)).to.equal(object);
      memory.release(object, 'left');
      expect(memory.inspect()).to.include({ liveBytes: 0, slabBytes: 0 });
    });

    it('parses metadata once for readers in sequence', () => {
      const memory = memoryOf();
      const views = Array.from({ length: 1000 }, (_, index) => viewOf(podOf(index)));
      for (const view of views) memory.retain(view);
      const first = views.map(({ metadata }) => metadata);
      for (const [index, view] of views.entries()) expect(view.metadata).to.equal(first[index]);
    });

    it('keeps metadata and identity of a view whose object was removed, after its memory was used again', () => {
      const memory = memoryOf();
      memory.pin('metadata');
      for (const object of oddPods()) {
        const view = viewOf(object);
        const { managedFields: _, ...metadata } = (object.metadata ??
          {}) as UnstructuredObject['metadata'] & { managedFields?: unknown };
        memory.retain(view);
        memory.retain(viewOf(podOf(2)));
        memory.release(view, 'left');
        memory.retain(viewOf(podOf(3)));
        expect(view.uid).to.equal(metadata.uid);
        expect(view.resourceVersion).to.equal(metadata.resourceVersion);
        expect(view.metadata).to.deep.equal(metadata);
        expect(view.metadata).to.equal(view.metadata);
        expect(() => view.object).to.throw('no handler has a view that retains it');
      }
    });

    it('leaves nothing when no reader may read it, and a read says so', () => {
      const memory = memoryOf();
      const view = viewOf(podOf(1));
      memory.retain(view);
      memory.retain(viewOf(podOf(2)));
      memory.release(view, 'left');
      expect(() => view.metadata).to.throw('the metadata of an object that has left the cache');
      expect(() => view.object).to.throw('the body of an object that has left the cache');
    });

    it('leaves the whole object while a reader may read it', () => {
      const memory = memoryOf();
      const pins = [memory.pin('body'), memory.pin('body')];
      for (const pin of pins) {
        for (const object of oddPods()) {
          const view = viewOf(object);
          memory.retain(view);
          memory.retain(viewOf(podOf(2)));
          memory.release(view, 'left');
          memory.retain(viewOf(podOf(3)));
          expect(view.object).to.deep.equal(object);
        }
        pin[Symbol.dispose]();
        pin[Symbol.dispose]();
      }
      expect(memory.inspect().retention).to.equal('nothing');
    });
  });
}

describe('SlabMemory with deferred releases', () => {
  const memories = { bytes: bytesMemory, objects: objectsMemory };
  for (const [mode, make] of Object.entries(memories)) {
    it(`keeps what leaves a cache of ${mode} as it was received, until it is released`, () => {
      const memory = make();
      const left: object[] = [];
      const releases = memory.deferReleases((object) => left.push(object));
      const text =
        '{"metadata":{"name":"a","uid":"u","resourceVersion":"1"},"spec":{"a":1.0,"é":"\\u0041"}}';
      const views = [viewOfText(text), viewOfText(text)] as const;
      for (const view of views) memory.retain(view);
      expect(views[1].object['spec']).to.deep.equal({ a: 1, é: 'A' });
      for (const view of views) memory.release(view, 'left');
      expect(left).to.deep.equal([...views]);
      // Other objects come and go.
      for (let index = 0; index < 200; index += 1) {
        memory.release(retainedIn(memory, podOf(index)), 'unused');
      }
      for (const view of views) expect(objectJson(view).toString()).to.equal(text);
      for (const view of views) releases?.release(view);
      expect(memory.inspect().liveBytes).to.equal(0);
      if (mode === 'objects') expect(memory.inspect().decodedBytes).to.equal(0);
      releases?.[Symbol.dispose]();
      memory.release(retainedIn(memory, podOf(1)), 'left');
      expect(left).to.have.length(2);
    });

    it(`leaves in a cache of ${mode} what is stored again, also when it leaves again`, () => {
      const memory = make();
      const releases = memory.deferReleases(() => {});
      const view = retainedIn(memory, podOf(1));
      memory.release(view, 'left');
      memory.retain(view);
      releases?.release(view);
      expect(memory.inspect().liveBytes).to.be.above(0);
      memory.release(view, 'left');
      memory.retain(view);
      memory.release(view, 'left');
      releases?.release(view);
      expect(memory.inspect().liveBytes).to.be.above(0);
      expect(view.object).to.deep.equal(podOf(1));
      releases?.release(view);
      expect(memory.inspect().liveBytes).to.equal(0);
      if (mode === 'objects') expect(memory.inspect().decodedBytes).to.equal(0);
    });
  }

  it('are refused while they are deferred already', () => {
    const memory = bytesMemory();
    const releases = memory.deferReleases(() => {});
    expect(memory.deferReleases(() => {})).to.equal(undefined);
    releases?.[Symbol.dispose]();
    memory.deferReleases(() => {});
  });
});
