import { expect } from 'chai';
import type { CacheMemory, ObjectMemory } from '../../../lib/cache/memory/object-memory.ts';
import { resolveCacheOptions } from '../../../lib/cache/memory/cache-options.ts';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { metaNamespaceKeyFunc } from '../../../lib/meta/key.ts';
import type { KubernetesObject, ObjectMeta } from '../../../lib/meta/object.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import { Harness, recorder } from '../support/informer-harness.ts';
import { pod, type Pod } from '../support/objects.ts';

/** An object that lies in a map as text, in place of a file or another process. */
class TextView implements ObjectView {
  readonly metadata: ObjectMeta;
  readonly #memory: TextMemory;
  readonly #text: string;

  constructor(memory: TextMemory, object: KubernetesObject) {
    this.metadata = object.metadata ?? {};
    this.#memory = memory;
    this.#text = JSON.stringify(object);
  }

  get object(): KubernetesObject {
    this.#memory.reads += 1;
    return JSON.parse(this.#text) as KubernetesObject;
  }
}

class TextMemory implements ObjectMemory {
  readonly kept = new Set<TextView>();
  readonly released: string[] = [];
  reads = 0;
  closed = false;

  retain<V extends ObjectView>(object: V): V {
    if (object instanceof TextView && this.kept.has(object)) return object;
    const view = new TextView(this, object.object);
    this.kept.add(view);
    return view as ObjectView as V;
  }

  release(object: ObjectView): void {
    if (object instanceof TextView && this.kept.delete(object)) {
      this.released.push(metaNamespaceKeyFunc(object));
    }
  }

  pin(): Disposable {
    return { [Symbol.dispose]: () => {} };
  }

  inspect(): CacheMemory {
    return { mode: 'own', liveBytes: 7, slabBytes: 0, decodedBytes: 0, retention: 'body' };
  }

  destroy(): void {
    this.closed = true;
  }
}

describe('an informer with a memory of the program', () => {
  it('keeps and releases every object there, and reads it from there', async () => {
    const memory = new TextMemory();
    const harness = new Harness({
      objects: [pod('a'), pod('b')],
      cache: { mode: 'own', memory },
      freeze: false,
    });
    const log: string[] = [];
    harness.informer.addHandler(recorder(log));
    await harness.start();
    expect(memory.kept.size).to.equal(2);

    harness.source.modify(pod('a', { labels: { app: 'web' } }));
    harness.source.add(pod('c'));
    harness.source.delete({ namespace: 'shop', name: 'b' });
    await harness.settle();
    const names = harness.informer.lister.list().map(({ metadata }) => metadata.name);
    expect(names.toSorted()).to.deep.equal(['a', 'c']);
    expect(memory.kept.size).to.equal(2);
    expect(memory.released.toSorted()).to.deep.equal(['shop/a', 'shop/b']);

    const before = memory.reads;
    const found: Pod | undefined = harness.informer.indexer.get('shop/a');
    expect(found?.metadata?.labels).to.deep.equal({ app: 'web' });
    expect(memory.reads).to.equal(before + 1);
    expect(harness.informer.inspect().memory).to.deep.equal(memory.inspect());

    await harness.relist(() => harness.source.delete({ namespace: 'shop', name: 'c' }));
    expect(memory.kept.size).to.equal(1);
    expect(log.filter((line) => line.startsWith('-'))).to.have.length(2);
    await harness.stop();
    expect(memory.closed).to.equal(true);
  });

  it('is refused when it is none, and names what it lacks', () => {
    for (const [memory, missing] of [
      [undefined, 'retain, release, pin, inspect, destroy'],
      [{ retain: () => {}, release: () => {}, close: () => {} }, 'pin, inspect'],
    ] as const) {
      let code: string | undefined;
      try {
        resolveCacheOptions('informer', { mode: 'own', memory: memory as unknown as ObjectMemory });
      } catch (error) {
        code = error instanceof ListwatchError ? error.code : undefined;
        expect(String(error)).to.include(`it has no ${missing}`);
      }
      expect(code).to.equal('INVALID_OPTION');
    }
  });
});
