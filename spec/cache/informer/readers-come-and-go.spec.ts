import { expect } from 'chai';
import type { CacheMode } from '../../../lib/cache/memory/object-memory.ts';
import type {
  LazyObject,
  ObjectMetadata,
  ResourceEventHandler,
} from '../../../lib/cache/informer/handlers/event-handler.ts';
import type { DeltaOrder } from '../../../lib/cache/delta/delta-fifo.ts';
import { filteringHandler } from '../../../lib/cache/informer/handlers/filtering-handler.ts';
import type { HandlerRegistration } from '../../../lib/cache/informer/handlers/handler-registration.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import type {
  ListerWatcher,
  ListPage,
  ListRequest,
  WatchRequest,
  WatchStream,
} from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import type { ErrorCode } from '../../../lib/kernel/failure/errors.ts';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { randomInteger, seededRandom } from '../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject, ObjectMeta } from '../../../lib/meta/object.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { BytesSource } from '../support/bytes-source.ts';

interface Thing extends KubernetesObject {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly text: string };
}

type Views = ListPage<ObjectView<Thing>>;

const NAMES = 40;
const STEPS = 250;

/** Lists on request the state that it had listed before, as a server behind a cache of its own may do. */
class BackwardSource implements ListerWatcher<ObjectView<Thing>> {
  readonly description = 'things';
  isBehind = false;
  readonly #source: ListerWatcher<ObjectView<Thing>>;
  readonly #pages: Views[] = [];

  constructor(source: ListerWatcher<ObjectView<Thing>>) {
    this.#source = source;
  }

  async list(request: ListRequest): Promise<Views> {
    const before = this.isBehind ? this.#pages.at(-1) : undefined;
    this.isBehind = false;
    if (before !== undefined) return before;
    const page = await this.#source.list(request);
    this.#pages.push(page);
    return page;
  }

  /** The present objects will be listed later. */
  async remember(): Promise<void> {
    this.#pages.push(await this.#source.list({}));
  }

  async watch(request: WatchRequest): Promise<WatchStream<ObjectView<Thing>>> {
    return await this.#source.watch(request);
  }
}

/** Changes objects at random while all kinds of readers come and go, and holds what they get to what there was. */
class Crowd {
  readonly #runtime = new VirtualRuntime();
  readonly #random: () => number;
  readonly #scripted = new ScriptedListerWatcher<Thing>({ runtime: this.#runtime });
  readonly #source = new BackwardSource(this.#scripted);
  readonly #informer: SharedIndexInformer<Thing>;
  readonly #errors: unknown[] = [];
  readonly #handlers: HandlerRegistration[] = [];
  readonly #ends: AbortController[] = [];
  readonly #loops: Promise<void>[] = [];
  /** All states there ever were, by key and version; those that are there now, by name. */
  readonly #states = new Map<string, string>();
  /** Objects that user code has kept: read again, at the end or earlier. */
  #keptMetadata: ObjectMetadata[] = [];
  #keptLazy: LazyObject<Thing>[] = [];
  readonly #lazy: boolean;
  readonly #readsLazily: boolean;
  looked = 0;

  constructor(mode: CacheMode, order: DeltaOrder, freeze: boolean) {
    const random = seededRandom(`${mode}, ${order}, ${freeze}`);
    this.#random = random;
    // A reader that has had lazy objects once may read bodies from then on.
    this.#lazy = random() < 0.4;
    this.#readsLazily = random() < 0.2;
    this.#informer = new SharedIndexInformer<Thing>({
      listerWatcher: new BytesSource(this.#source, async () => {
        await this.#task();
        return 5;
      }),
      runtime: this.#runtime,
      cache: mode,
      order,
      freeze,
      watchList: false,
      backoff: { baseMs: 5, capMs: 50 },
      resyncIntervalMs: 5000,
      indexers: { byLength: ({ spec }) => [String(spec.text.length % 3)] },
      onError: (error, { source }) => {
        if (source !== 'watch' && !isListwatchError(error, 'BUFFER_FULL')) this.#errors.push(error);
      },
    });
  }

  async run(): Promise<void> {
    const running = this.#informer.run();
    for (let step = 0; step < STEPS; step += 1) await this.#step();
    this.#scripted.heal();
    this.#scripted.dropConnections();
    await this.#runtime.advance(120_000);
    await this.#runtime.settle();
    this.#expectSame();
    if (this.#below(2) === 0) for (const handler of this.#handlers) handler.remove();
    await this.#runtime.run(this.#informer.close());
    for (const end of this.#ends) end.abort();
    await this.#runtime.run(Promise.all([running, ...this.#loops]));
    this.#expectSame();
    this.#lookAgain();
    expect(this.#errors.map(String)).to.deep.equal([]);
    expect(this.looked).to.be.above(STEPS);
  }

  #below(bound: number): number {
    return randomInteger({ random: this.#random }, 0, bound - 1);
  }

  async #step(): Promise<void> {
    switch (this.#below(24)) {
      case 0:
      case 1:
        this.#join();
        break;
      case 2:
      case 3:
        this.#handlers.splice(this.#below(this.#handlers.length + 1), 1)[0]?.remove();
        break;
      case 4:
        this.#source.isBehind = this.#below(3) === 0;
        this.#scripted.compact();
        this.#scripted.dropConnections();
        break;
      case 5:
        await this.#source.remember();
        break;
      case 6:
        await this.#runtime.advance(this.#below(8000));
        break;
      case 7:
        this.#lookAgain();
        break;
      case 8:
        this.#ends.splice(this.#below(this.#ends.length + 1), 1)[0]?.abort();
        break;
      case 9:
        this.#read();
        break;
      case 10:
        // More notifications than handlers can take before the next list comes, which shows the state before.
        await this.#source.remember();
        this.#burst();
        this.#source.isBehind = true;
        this.#scripted.compact();
        this.#scripted.dropConnections();
        break;
      default:
        for (let count = this.#below(30); count > 0; count -= 1) this.#change();
    }
    // Sometimes a few tasks, so that everything is in the middle of something.
    if (this.#below(3) === 0) await this.#runtime.settle();
    else
      for (let tasks = this.#below(12); tasks > 0; tasks -= 1)
        await this.#runtime.run(this.#task());
  }

  #task(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.#runtime.queueTask(resolve);
    });
  }

  #burst(): void {
    for (let count = 0; count < 350; count += 1) this.#change();
  }

  #change(): void {
    const name = `thing-${this.#below(NAMES)}`;
    const scripted = this.#scripted;
    const before = this.#states.get(name);
    const length = this.#below(4) === 0 ? this.#below(3000) : 200;
    const uid = this.#below(9) === 0 ? undefined : `uid-${name}`;
    const thing: Thing = {
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name, namespace: 'ns', ...(uid === undefined ? {} : { uid }) },
      spec: { text: 'Ö'.repeat(length) },
    };
    if (before === undefined) this.#note(name, scripted.add(thing));
    else if (this.#below(5) > 0) this.#note(name, scripted.modify(thing));
    else {
      this.#note(name, scripted.delete({ namespace: 'ns', name }));
      this.#states.delete(name);
    }
  }

  #note(name: string, thing: Thing): void {
    const text = JSON.stringify(thing);
    this.#states.set(name, text);
    this.#states.set(`ns/${name}@${thing.metadata.resourceVersion}`, text);
  }

  #join(): void {
    const buffers = ['coalesce', 'unbounded', { limit: 20, whenFull: 'close' }] as const;
    const limited = { limit: 15, whenFull: 'coalesce' } as const;
    const buffer = buffers[this.#below(3)] ?? limited;
    const kinds = this.#lazy ? 6 : 4;
    const kind = this.#below(kinds);
    if (kind === 5) this.#loops.push(this.#loop());
    else this.#handlers.push(this.#informer.addHandler(this.#handler(kind), { buffer }));
  }

  #handler(kind: number): ResourceEventHandler<Thing> {
    const delayMs = this.#below(3) === 0 ? this.#below(3000) : -1;
    const slowly = (): unknown => {
      if (delayMs < 0) return undefined;
      return new Promise<void>((resolve) => {
        this.#runtime.setTimer(delayMs, resolve);
      });
    };
    const whole = {
      onAdd: (object: Thing): unknown => (this.#check(object), slowly()),
      onUpdate: (old: Thing, object: Thing): unknown => (
        this.#check(old), this.#check(object), slowly()
      ),
      onDelete: (object: Thing): unknown => (this.#check(object), slowly()),
    };
    const metadata = {
      view: 'metadata',
      onAdd: (added: ObjectMetadata): unknown => (this.#keep(added), slowly()),
      onUpdate: (old: ObjectMetadata, updated: ObjectMetadata): unknown => (
        this.#keep(old), this.#keep(updated), slowly()
      ),
      onDelete: (deleted: ObjectMetadata): unknown => (this.#keep(deleted), slowly()),
    } as const;
    const lazy = {
      view: 'lazy',
      onAdd: (added: LazyObject<Thing>): unknown => (this.#keepLazy(added), slowly()),
      onUpdate: (old: LazyObject<Thing>, updated: LazyObject<Thing>): unknown => (
        this.#keepLazy(old), this.#keepLazy(updated), slowly()
      ),
      onDelete: (deleted: LazyObject<Thing>): unknown => (this.#keepLazy(deleted), slowly()),
    } as const;
    switch (kind) {
      case 0:
        return whole;
      case 1:
        return filteringHandler<Thing>({
          filter: ({ spec }: Thing) => spec.text.length % 2 === 0,
          handler: whole,
        });
      case 4:
        return lazy;
      default:
        return metadata;
    }
  }

  async #loop(): Promise<void> {
    const end = new AbortController();
    this.#ends.push(end);
    try {
      for await (const change of this.#informer.changes({ signal: end.signal })) {
        this.#check(change.object);
        if (this.#below(40) === 0) return;
      }
    } catch (error) {
      const expected: ErrorCode[] = ['BUFFER_FULL', 'CLOSED'];
      if (!end.signal.aborted && !expected.some((code) => isListwatchError(error, code))) {
        this.#errors.push(error);
      }
    }
  }

  #read(): void {
    const { lister, indexer } = this.#informer;
    for (const object of lister.list()) this.#check(object);
    for (const object of indexer.byIndex('byLength', '1')) this.#check(object);
    for (const key of indexer.keys()) {
      const { name, resourceVersion } = indexer.metadata(key) as ObjectMeta;
      if (!this.#states.has(`ns/${name}@${resourceVersion}`))
        this.#errors.push(`metadata of ${key}`);
    }
    if (!this.#readsLazily) return;
    for (const view of indexer.lazy.list()) this.#keepLazy(view);
  }

  #check(object: Thing): void {
    this.looked += 1;
    const { name, resourceVersion } = object.metadata;
    const was = this.#states.get(`ns/${name}@${resourceVersion}`);
    const is = JSON.stringify(object);
    if (is !== was) this.#errors.push(`${is} is not ${was}`);
  }

  #keep(kept: ObjectMetadata): void {
    this.looked += 1;
    // Half of them are read later for the first time.
    if (this.#below(2) === 0) this.#checkMetadata(kept);
    if (this.#keptMetadata.length < 3000) this.#keptMetadata.push(kept);
  }

  #keepLazy(kept: LazyObject<Thing>): void {
    if (this.#below(3) === 0) this.#check(kept.object);
    if (this.#keptLazy.length < 3000) this.#keptLazy.push(kept);
  }

  #checkMetadata({ metadata }: ObjectMetadata | LazyObject<Thing>): void {
    const was = this.#states.get(`ns/${metadata.name}@${metadata.resourceVersion}`) ?? '{}';
    const is = JSON.stringify(metadata);
    const expected = JSON.stringify((JSON.parse(was) as Thing).metadata);
    if (is !== expected) this.#errors.push(`metadata ${is} is not ${expected}`);
  }

  #lookAgain(): void {
    for (const kept of this.#keptMetadata) this.#checkMetadata(kept);
    for (const kept of this.#keptLazy) {
      this.#checkMetadata(kept);
      this.#check(kept.object);
    }
    this.#keptMetadata = [];
    this.#keptLazy = [];
  }

  #expectSame(): void {
    const byName = (texts: string[]): string[] => texts.toSorted();
    const cached = this.#informer.lister.list().map((object) => JSON.stringify(object));
    const objects = this.#scripted.objects.map((object) => JSON.stringify(object));
    expect(byName(cached)).to.deep.equal(byName(objects));
  }
}

describe('readers that come and go', () => {
  for (const mode of ['objects', 'bytes'] as const) {
    for (const order of ['arrival', 'key'] as const) {
      for (const freeze of [false, true]) {
        const of = freeze ? 'frozen objects' : 'objects';
        it(`get what there was of ${of}, from a cache of ${mode} in the order of ${order}`, async () => {
          await new Crowd(mode, order, freeze).run();
        });
      }
    }
  }
});
