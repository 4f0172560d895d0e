import type { ViewCodec } from '../../meta/json/json-view.ts';
import { isRecordable, newRecordBytes, recordBytes, Slab, type KeptView } from './slab.ts';

export interface SlabArenaOptions {
  /** Reads the views that lie in the slabs. */
  readonly codec: ViewCodec;
  /** Reads those that were released. */
  readonly releasedCodec: ViewCodec;
  /** A slab is full, and nothing is going to be written to it any more. Without it, the arena keeps its slabs dense itself. */
  readonly onFull?: ((slab: Slab) => void) | undefined;
  /** A slab is let go of: nothing that was not released lies there. */
  readonly onGone?: ((slab: Slab) => void) | undefined;
}

const SMALLEST_SLAB = 16 * 1024;
const LARGEST_SLAB = 1024 * 1024;
/** Bytes that are larger than this share of a slab get one of their own. */
const LARGE = LARGEST_SLAB / 4;
/**
 * With less than this alive, a full slab is given up. When all objects change equally often, slabs are 72 % alive then, and
 * each change moves one object; with 3/4 it would be 87 % and three, and every move is work for the garbage collector, too.
 */
const SPARSE = 1 / 2;
const MOST_SPARE = 16;

/**
 * The slabs of one cache.
 *
 * Guarantees: memory is at most twice what is alive, and a slab; each call moves what lies in one slab at most. A cache
 * of a few objects has a small slab.
 */
export class SlabArena {
  readonly #options: SlabArenaOptions;
  #current: Slab | undefined;
  #newest: KeptView | undefined;
  /** Full slabs that are to be given up. */
  readonly #sparse = new Set<Slab>();
  /** Memory of slabs that nobody has anything of. Leaving it to the garbage collector costs several times as much. */
  readonly #spare: Buffer[] = [];
  #liveBytes = 0;
  #slabBytes = 0;
  #views = 0;

  constructor(options: SlabArenaOptions) {
    this.#options = options;
  }

  /** Bytes of the records that were not released. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** Bytes of the slabs, spare ones left out. */
  get slabBytes(): number {
    return this.#slabBytes;
  }

  /** Views that were not released. */
  get views(): number {
    return this.#views;
  }

  /** Whether a view lies here and was not released. */
  has(view: KeptView): boolean {
    return view.source.codec === this.#options.codec;
  }

  /**
   * Copies the body of a view into a slab, and lets the view lie there. It has its name and namespace at hand until the next
   * one comes, for the index functions that are about to run.
   */
  put(view: KeptView, body: Uint8Array): void {
    this.#newest?.forgetIdentity();
    this.#newest = isRecordable(view) ? view : undefined;
    const slab = this.#slabWithRoom(newRecordBytes(view, body.length));
    this.#liveBytes += slab.append(view, body);
    this.#views += 1;
    if (slab !== this.#current) this.#close(slab);
    this.#giveUpOne();
  }

  /** A view that lies here does no longer count; it can still be read. */
  release(view: KeptView): void {
    const slab = view.source as Slab;
    this.#left(slab, slab.release(view));
  }

  /** As `release`, of a view that is going to lie elsewhere before anybody reads it. */
  take(view: KeptView): void {
    const slab = view.source as Slab;
    this.#left(slab, slab.take(view));
  }

  /** Gives up memory that is kept for more of what has just gone. */
  trim(): void {
    this.#spare.length = 0;
  }

  #left(slab: Slab, size: number): void {
    this.#liveBytes -= size;
    this.#views -= 1;
    if (slab !== this.#current) this.#look(slab);
    this.#giveUpOne();
  }

  #slabWithRoom(size: number): Slab {
    if (size > LARGE) return this.#newSlab(size);
    if (this.#current !== undefined && this.#current.room >= size) return this.#current;
    const full = this.#current;
    const slab = this.#newSlab(Math.max(this.#nextSize(), size));
    this.#current = slab;
    if (full !== undefined) this.#close(full);
    return slab;
  }

  /** As much again as there is: little for small caches. */
  #nextSize(): number {
    return Math.min(LARGEST_SLAB, Math.max(SMALLEST_SLAB, this.#slabBytes));
  }

  #newSlab(size: number): Slab {
    const { codec, releasedCodec } = this.#options;
    this.#slabBytes += size;
    const spare = size === LARGEST_SLAB ? this.#spare.pop() : undefined;
    return new Slab(spare ?? Buffer.allocUnsafeSlow(size), codec, releasedCodec);
  }

  #close(slab: Slab): void {
    this.#options.onFull?.(slab);
    this.#look(slab);
  }

  /** What becomes of a full slab. */
  #look(slab: Slab): void {
    if (slab.liveBytes === 0) this.#letGo(slab);
    else if (this.#options.onFull === undefined && slab.liveBytes < slab.size * SPARSE) {
      this.#sparse.add(slab);
    }
  }

  #giveUpOne(): void {
    for (const slab of this.#sparse) {
      for (const view of slab.views()) slab.move(view, this.#slabWithRoom(recordBytes(view)));
      this.#letGo(slab);
      return;
    }
  }

  #letGo(slab: Slab): void {
    this.#sparse.delete(slab);
    this.#slabBytes -= slab.size;
    this.#options.onGone?.(slab);
    const isSpare = slab.size === LARGEST_SLAB && slab.isFree && this.#spare.length < MOST_SPARE;
    if (isSpare) this.#spare.push(slab.bytes);
  }
}
