import { assert } from '../../../kernel/failure/assert.ts';
import type { ObjectPlaces } from '../../../meta/json/json-view.ts';
import type { Readable } from './detached.ts';
import { FreeSlots, slotSize } from './free-slots.ts';
import type { KeptView } from '../views/kept-view.ts';
import { isRecordable, newRecordBytes, recordBytes, slotBytes } from './record.ts';
import { Slab, type SlabCodecs } from './slab.ts';
import { droppedSlabBytes, newSlabBytes } from './slab-bytes.ts';

export interface SlabArenaOptions extends SlabCodecs {
  /** A slab is dropped: it has no view that is not released. */
  readonly onGone?: ((slab: Slab) => void) | undefined;
}

const SMALLEST_SLAB = 16 * 1024;
const LARGEST_SLAB = 1024 * 1024;
/** A record larger than this gets a slab of its own; bytes. */
const LARGE = LARGEST_SLAB / 4;
/** With more memory than this for each live byte, plus one slab, the emptiest slab is dropped. */
const MOST_PER_LIVE_BYTE = 1.5;
const MOST_SPARE = 16;

/**
 * The slabs of one cache.
 *
 * A new state of an object is about as long as the old one, so it is written into a free slot of its size. This memory is mapped
 * already, and the garbage collector does not scan it. The retained part of a removed object is copied out of the slab.
 *
 * Guarantees: slabs take at most one and a half times the live bytes plus one slab; with spare slabs, plus two slabs. Each call
 * moves the content of one slab at most. A cache of a few objects has a small slab. The retained part of a released object can
 * still be read.
 */
export class SlabArena {
  readonly #options: SlabArenaOptions;
  /** The slabs by number. */
  readonly #slabs = new Map<number, Slab>();
  readonly #free: FreeSlots;
  #current: Slab | undefined;
  #newest: KeptView | undefined;
  /** The memory of dropped slabs, for reuse. Releasing it to the garbage collector takes several times as long. */
  readonly #spare: Buffer[] = [];
  #liveBytes = 0;
  #slabBytes = 0;
  #views = 0;
  #numbered = 0;

  constructor(options: SlabArenaOptions) {
    this.#options = options;
    this.#free = new FreeSlots((slab) => !this.#slabs.has(slab));
  }

  /** The bytes of the slots of views that are not released. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** The bytes of the slabs, without spare ones. */
  get slabBytes(): number {
    return this.#slabBytes;
  }

  /** The number of views that are not released. */
  get views(): number {
    return this.#views;
  }

  /** The number of free slots. */
  get freeSlots(): number {
    return this.#free.count;
  }

  /** Whether a view is in a slab of this arena and is not released. */
  has(view: KeptView): boolean {
    return view.source.codec === this.#options.codec;
  }

  /**
   * Copies the body of a view into a slab and moves the view there. Until the next call its name and namespace are cached, for
   * the index functions that run next. `place` is the place of its metadata in the body, if it is known.
   */
  put(view: KeptView, body: Uint8Array, place?: ObjectPlaces): void {
    assert(!(view.source instanceof Slab), 'a view of an object was given to two caches');
    this.#newest?.forgetIdentity();
    this.#newest = isRecordable(view) ? view : undefined;
    const size = newRecordBytes(view, body.length);
    const slot = this.#free.take(size);
    if (slot === undefined) {
      this.#append(view, body, place, slotSize(size));
    } else {
      const slab = this.#slabs.get(slot.slab) as Slab;
      slab.freeSlots -= 1;
      slab.fill(slot.start, view, body, place);
    }
    this.#liveBytes += slotBytes(view);
    this.#views += 1;
    this.#keepDense();
  }

  /** Releases a view of this arena; only the part `readable` of it can still be read. */
  release(view: KeptView, readable: Readable = 'body'): void {
    const slab = view.source as Slab;
    if (!isRefilled(slab)) {
      this.#left(slab, slab.release(view));
      return;
    }
    const size = slotBytes(view);
    this.#leftSlot(slab, slab.detach(view, readable), size);
  }

  /** As `release`, for a view that moves elsewhere before it is read. */
  take(view: KeptView): void {
    const slab = view.source as Slab;
    if (!isRefilled(slab)) {
      this.#left(slab, slab.take(view));
      return;
    }
    const size = slotBytes(view);
    this.#leftSlot(slab, slab.leave(view), size);
  }

  /** Drops the spare slabs, and says that the others are no longer needed: views in them can be read as long as they are held. */
  close(): void {
    droppedSlabBytes(this.#slabBytes + this.#spare.length * LARGEST_SLAB);
    this.#spare.length = 0;
  }

  #leftSlot(slab: Slab, slotStart: number, size: number): void {
    if (this.#free.add(slab.number, slotStart, size)) slab.freeSlots += 1;
    this.#left(slab, size);
  }

  #left(slab: Slab, size: number): void {
    this.#liveBytes -= size;
    this.#views -= 1;
    if (slab.liveBytes === 0 && slab !== this.#current) this.#letGo(slab);
    this.#keepDense();
  }

  #append(view: KeptView, body: Uint8Array, place: ObjectPlaces | undefined, size: number): void {
    const slab = this.#slabWithRoom(size);
    slab.append(view, body, place, size);
  }

  #slabWithRoom(size: number): Slab {
    if (size > LARGE) return this.#newSlab(size);
    if (this.#current !== undefined && this.#current.room >= size) return this.#current;
    const full = this.#current;
    const slab = this.#newSlab(Math.max(this.#nextSize(), size));
    this.#current = slab;
    if (full?.liveBytes === 0) this.#letGo(full);
    return slab;
  }

  /** The size of all slabs together, within limits: small for small caches. */
  #nextSize(): number {
    return Math.min(LARGEST_SLAB, Math.max(SMALLEST_SLAB, this.#slabBytes));
  }

  #newSlab(size: number): Slab {
    this.#slabBytes += size;
    const spare = size === LARGEST_SLAB ? this.#spare.pop() : undefined;
    const slab = new Slab(this.#numbered, spare ?? newSlabBytes(size), this.#options);
    this.#numbered += 1;
    this.#slabs.set(slab.number, slab);
    return slab;
  }

  #keepDense(): void {
    if (this.#slabBytes <= this.#liveBytes * MOST_PER_LIVE_BYTE + LARGEST_SLAB) return;
    const slab = this.#sparsest();
    if (slab === undefined) return;
    this.#forget(slab);
    for (const view of slab.views()) this.#move(view, slab);
    this.#discard(slab);
  }

  /** Moves a view to a slot of the smallest size for its record. */
  #move(view: KeptView, slab: Slab): void {
    const size = slotSize(recordBytes(view));
    this.#liveBytes += size - slotBytes(view);
    slab.move(view, this.#slabWithRoom(size), size);
  }

  #sparsest(): Slab | undefined {
    let sparsest: Slab | undefined;
    let least = 1;
    for (const slab of this.#slabs.values()) {
      const share = slab.liveBytes / slab.size;
      if (share >= least || slab === this.#current) continue;
      sparsest = slab;
      least = share;
    }
    return sparsest;
  }

  #letGo(slab: Slab): void {
    this.#forget(slab);
    this.#discard(slab);
  }

  /** The slots of the slab are no longer filled. */
  #forget(slab: Slab): void {
    this.#slabs.delete(slab.number);
    this.#free.forget(slab.freeSlots);
  }

  #discard(slab: Slab): void {
    this.#slabBytes -= slab.size;
    this.#options.onGone?.(slab);
    if (slab.size === LARGEST_SLAB) this.#spare.push(slab.bytes);
    else droppedSlabBytes(slab.size);
    while (this.#spare.length > this.#mostSpare) {
      this.#spare.pop();
      droppedSlabBytes(LARGEST_SLAB);
    }
  }

  /** The most spare slabs within the bound of memory. */
  get #mostSpare(): number {
    const bytes = this.#liveBytes * MOST_PER_LIVE_BYTE + 2 * LARGEST_SLAB - this.#slabBytes;
    return Math.min(MOST_SPARE, Math.max(0, Math.floor(bytes / LARGEST_SLAB)));
  }
}

/** Whether free slots of a slab are filled again: not the slot of one huge object. */
function isRefilled(slab: Slab): boolean {
  return slab.size <= LARGEST_SLAB;
}
