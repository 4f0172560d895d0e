import { deferred, type Deferred } from '../../kernel/latch.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { keptViewOf, type CacheKeeper, type CacheMemory } from './cache-keeper.ts';
import { DecodedObjects } from './decoded-objects.ts';
import { DeflatedSlabs, type Inflate } from './deflated-slabs.ts';
import { learnDictionary } from './dictionary.ts';
import { releasedHeld } from './held-source.ts';
import { RecentMetadata } from './recent-metadata.ts';
import { RecordCodec } from './record-codec.ts';
import { SlabArena } from './slab-arena.ts';
import { noteRead, type KeptView, type Slab } from './slab.ts';

export interface CompressedKeeperOptions {
  /** What decoded objects may take, bytes. */
  readonly decodedBytes: number;
  readonly runtime: Runtime;
}

/** What came last stays as it is: in a small cache everything, and elsewhere what is about to be replaced again. */
const UNCOMPRESSED = 256 * 1024;
/** With more than this waiting to be compressed, nothing more is read until half of it is done. */
const BACKLOG = 16 * 1024 * 1024;
/** JSON bytes that are compressed in one go: three milliseconds' worth. */
const SLICE = 128 * 1024;
const MOST_DICTIONARIES = 8;

/**
 * Keeps deflated bytes. Objects come in as they are, and are compressed in the background, slice by slice.
 *
 * Guarantees: what waits to be compressed takes at most 16 MB and what came in after `waitForRoom` said so; who an object is,
 * is known without inflating it.
 */
export class CompressedKeeper implements CacheKeeper {
  readonly #runtime: Runtime;
  readonly #metadata = new RecentMetadata();
  readonly #decoded: DecodedObjects;
  readonly #raw: SlabArena;
  /** By age of their dictionaries, the newest last. */
  #deflated: DeflatedSlabs[] = [];
  /** Full slabs that wait to be compressed, oldest first. */
  readonly #waiting: Slab[] = [];
  /** What is left of the slab that is being compressed. */
  #views: Iterator<KeptView> | undefined;
  #busy = false;
  #closed = false;
  #room: Deferred<void> | undefined;

  constructor({ decodedBytes, runtime }: CompressedKeeperOptions) {
    this.#runtime = runtime;
    this.#decoded = new DecodedObjects(decodedBytes);
    this.#raw = new SlabArena({
      codec: this.#codecOf(undefined, false),
      releasedCodec: this.#codecOf(undefined, true),
      onFull: (slab) => {
        this.#waiting.push(slab);
        this.#work();
      },
      onGone: this.#onGone,
    });
  }

  keep(object: ObjectView): void {
    const view = keptViewOf(object);
    if (view === undefined || this.#raw.has(view) || this.#slabsOf(view) !== undefined) return;
    const { held, json } = view;
    this.#raw.put(view, json);
    if (held === undefined) return;
    view.hold(undefined);
    this.#decoded.add(view, held, false);
  }

  release(object: ObjectView): void {
    const view = keptViewOf(object);
    if (view === undefined) return;
    const home = this.#raw.has(view) ? this.#raw : this.#slabsOf(view);
    if (home === undefined) return;
    this.#decoded.release(view);
    home.release(view);
    // Whoever has the view has the object; the bytes are not needed besides.
    if (view.held !== undefined) releasedHeld.take(view, view.held);
  }

  waitForRoom(): Promise<void> | undefined {
    if (this.#closed || this.#raw.slabBytes <= BACKLOG) return undefined;
    this.#room ??= deferred();
    return this.#room.promise;
  }

  inspect(): CacheMemory {
    const { liveBytes: uncompressedBytes, slabBytes } = this.#raw;
    const sum = (bytesOf: (slabs: DeflatedSlabs) => number): number =>
      this.#deflated.reduce((total, slabs) => total + bytesOf(slabs), 0);
    const deflatedBytes = sum(({ arena }) => arena.liveBytes);
    return {
      mode: 'compressed',
      liveBytes: uncompressedBytes + deflatedBytes,
      slabBytes: slabBytes + sum(({ arena }) => arena.slabBytes),
      decodedBytes: this.#decoded.bytes,
      uncompressedBytes,
      ...(deflatedBytes > 0
        ? { compressionRatio: sum(({ jsonBytes }) => jsonBytes) / deflatedBytes }
        : {}),
    };
  }

  close(): void {
    this.#closed = true;
    this.#decoded.clear();
    this.#metadata.clear();
    this.#openRoom();
  }

  readonly #onGone = ({ released }: Slab): void => {
    this.#metadata.letGo(released);
  };

  #codecOf(inflate: Inflate | undefined, released: boolean): RecordCodec {
    const metadata = this.#metadata;
    if (released) {
      return new RecordCodec({
        inflate,
        metadata,
        decoded: (view, object) => {
          releasedHeld.take(view, object);
        },
      });
    }
    return new RecordCodec({
      inflate,
      metadata,
      known: (view) => this.#decoded.get(view),
      decoded: (view, object) => {
        this.#decoded.add(view, object, noteRead(view));
      },
    });
  }

  #slabsOf(view: KeptView): DeflatedSlabs | undefined {
    return this.#deflated.find(({ arena }) => arena.has(view));
  }

  #work(): void {
    if (this.#busy || this.#closed || !this.#hasWork()) return;
    this.#busy = true;
    this.#runtime.queueTask(() => {
      this.#busy = false;
      if (this.#closed) return;
      this.#compressSlice();
      if (this.#raw.slabBytes <= BACKLOG / 2) this.#openRoom();
      this.#work();
      if (!this.#busy) this.#raw.trim();
    });
  }

  #hasWork(): boolean {
    if (this.#views !== undefined) return true;
    return this.#waiting.length > 0 && this.#raw.slabBytes > UNCOMPRESSED;
  }

  #compressSlice(): void {
    for (let left = SLICE; left > 0; ) {
      const view = this.#nextView();
      if (view === undefined) return;
      left -= view.sizeBytes;
      this.#compress(view);
    }
  }

  #nextView(): KeptView | undefined {
    while (this.#views !== undefined || this.#hasWork()) {
      this.#views ??= this.#waiting.shift()?.views();
      const next = this.#views?.next();
      if (next !== undefined && next.done !== true) return next.value;
      this.#views = undefined;
    }
    return undefined;
  }

  #compress(view: KeptView): void {
    const slabs = this.#slabsFor(view);
    const { json } = view;
    const read = noteRead(view);
    // Its bytes stay as they are until something is kept again.
    this.#raw.take(view);
    slabs.put(view, json);
    if (read) noteRead(view);
  }

  /** The newest ones; with a new dictionary when there is none, or when it does not fit any more. */
  #slabsFor(view: KeptView): DeflatedSlabs {
    const newest = this.#deflated.at(-1);
    if (newest !== undefined && !newest.degraded) return newest;
    this.#deflated = this.#deflated.filter(({ arena }) => arena.views > 0);
    if (newest !== undefined && this.#deflated.length >= MOST_DICTIONARIES) return newest;
    const slabs = new DeflatedSlabs({
      dictionary: learnDictionary(this.#samples(view)),
      codecOf: (inflate, released) => this.#codecOf(inflate, released),
      onGone: this.#onGone,
    });
    this.#deflated.push(slabs);
    return slabs;
  }

  /** What waits to be compressed, beginning with this one. */
  #samples(view: KeptView): Buffer[] {
    const samples = [view.json];
    for (const slab of this.#waiting) for (const { json } of slab.views()) samples.push(json);
    return samples;
  }

  #openRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
