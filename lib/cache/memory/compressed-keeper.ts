import { deferred, type Deferred } from '../../kernel/latch.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { keptViewOf, type CacheKeeper, type CacheMemory } from './cache-keeper.ts';
import { DecodedObjects } from './decoded-objects.ts';
import { DeflatedCodec } from './deflated-codec.ts';
import { noteDeflatedRead } from './deflated-slab.ts';
import { DeflatedSlabs, type Inflate } from './deflated-slabs.ts';
import { learnDictionary, MOST_SAMPLES } from './dictionary.ts';
import { releasedHeld } from './held-source.ts';
import { ObjectDeflater } from './object-deflater.ts';
import { JsonPacker } from './packed-json.ts';
import { RecentMetadata } from './recent-metadata.ts';
import { RecordCodec } from './record-codec.ts';
import { SlabArena } from './slab-arena.ts';
import { noteRead, type KeptView } from './record.ts';
import type { Slab } from './slab.ts';

export interface CompressedKeeperOptions {
  /** What decoded objects may take, bytes. */
  readonly decodedBytes: number;
  readonly runtime: Runtime;
}

/** What came last stays as it is: in a small cache everything, and elsewhere what is about to be replaced again. */
const UNCOMPRESSED = 256 * 1024;
/**
 * With more than this waiting to be compressed, nothing more is read until half of it is done. In caches that are smaller than
 * this, objects that change all the time are replaced before they are compressed.
 */
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
      codec: new RecordCodec({
        metadata: this.#metadata,
        known: (view) => this.#decoded.get(view),
        decoded: (view, decoded) => {
          this.#decoded.add(view, decoded, noteRead(view));
        },
      }),
      releasedCodec: new RecordCodec({ metadata: this.#metadata, decoded: letGo }),
      onFull: (slab) => {
        this.#waiting.push(slab);
        this.#work();
      },
      onGone: ({ released }) => {
        this.#metadata.letGo(released);
      },
    });
  }

  keep(object: ObjectView): void {
    const view = keptViewOf(object);
    if (view === undefined || this.#raw.has(view) || this.#slabsOf(view) !== undefined) return;
    // It has left, decoded, and comes back: its bytes are gone, and it holds its object for good.
    if (view.source === releasedHeld) return;
    const { held, json } = view;
    this.#raw.put(view, json);
    if (held === undefined) return;
    view.hold(undefined);
    this.#decoded.add(view, held, false);
  }

  release(object: ObjectView): void {
    const view = keptViewOf(object);
    if (view === undefined) return;
    const slabs = this.#slabsOf(view);
    if (slabs === undefined && !this.#raw.has(view)) return;
    this.#decoded.release(view);
    (slabs ?? this.#raw).release(view);
    if (slabs?.isSparse === true) this.#work();
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
    const deflatedBytes = sum(({ liveBytes }) => liveBytes);
    return {
      mode: 'compressed',
      liveBytes: uncompressedBytes + deflatedBytes,
      slabBytes: slabBytes + sum(({ slabBytes: bytes }) => bytes),
      decodedBytes: this.#decoded.bytes,
      uncompressedBytes,
      compressorBytes: sum(({ compressorBytes }) => compressorBytes),
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

  #codecOf(inflate: Inflate, released: boolean): DeflatedCodec {
    const metadata = this.#metadata;
    if (released) return new DeflatedCodec({ inflate, metadata, decoded: letGo });
    return new DeflatedCodec({
      inflate,
      metadata,
      known: (view) => this.#decoded.get(view),
      decoded: (view, object) => {
        this.#decoded.add(view, object, noteDeflatedRead(view));
      },
    });
  }

  #slabsOf(view: KeptView): DeflatedSlabs | undefined {
    return this.#deflated.find((slabs) => slabs.has(view));
  }

  #work(): void {
    if (this.#busy || this.#closed || !this.#hasWork()) return;
    this.#busy = true;
    this.#runtime.queueTask(() => {
      this.#busy = false;
      if (this.#closed) return;
      this.#giveUpSparse();
      this.#compressSlice();
      if (this.#raw.slabBytes <= BACKLOG / 2) this.#openRoom();
      this.#work();
      if (!this.#busy) this.#raw.trim();
    });
  }

  #hasWork(): boolean {
    return this.#hasToCompress() || this.#deflated.some(({ isSparse }) => isSparse);
  }

  #hasToCompress(): boolean {
    if (this.#views !== undefined) return true;
    return this.#waiting.length > 0 && this.#raw.slabBytes > UNCOMPRESSED;
  }

  /** A slab of each dictionary: what is released in several steps is to be gone before its neighbours are moved. */
  #giveUpSparse(): void {
    for (const slabs of this.#deflated) slabs.giveUpOne();
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
    while (this.#hasToCompress()) {
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
    if (read) noteDeflatedRead(view);
  }

  /** The newest ones; with a new dictionary when there is none, or when it does not fit any more. */
  #slabsFor(view: KeptView): DeflatedSlabs {
    const newest = this.#deflated.at(-1);
    if (newest !== undefined && !newest.degraded) return newest;
    this.#deflated = this.#deflated.filter(({ views }) => views > 0);
    if (newest !== undefined && this.#deflated.length >= MOST_DICTIONARIES) return newest;
    const slabs = new DeflatedSlabs({
      deflater: new ObjectDeflater(learnDictionary(this.#samples(view))),
      codecOf: (inflate, released) => this.#codecOf(inflate, released),
      onGone: (released) => {
        this.#metadata.letGo(released);
      },
    });
    this.#deflated.push(slabs);
    return slabs;
  }

  /** Some of what waits to be compressed, beginning with this one, as it is going to be. */
  #samples(view: KeptView): Buffer[] {
    const views = [view];
    for (const slab of this.#waiting) views.push(...slab.views());
    const packer = new JsonPacker();
    const step = Math.ceil(views.length / MOST_SAMPLES);
    const samples: Buffer[] = [];
    for (let index = 0; index < views.length; index += step) {
      const sample = views[index] as KeptView;
      packer.pack(sample.json, sample);
      samples.push(Buffer.from(packer.text));
    }
    return samples;
  }

  #openRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}

/** One that has left the cache is decoded for those who have it. */
function letGo(view: KeptView, object: KubernetesObject): void {
  releasedHeld.take(view, object);
}
