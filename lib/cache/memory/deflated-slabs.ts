import { ListwatchError } from '../../kernel/errors.ts';
import type { ByteSource, ViewCodec } from '../../meta/json/json-view.ts';
import {
  DeflatedSlab,
  deflatedBody,
  deflatedUid,
  deflatedVersion,
  RECORD_HEAD_BYTES,
} from './deflated-slab.ts';
import { deflatedBound, type ObjectDeflater } from './object-deflater.ts';
import { IDENTITY_BOUND, isPackable, packIdentity } from './packed-identity.ts';
import type { PackedIdentity } from './packed-json.ts';
import type { KeptView } from './record.ts';

/** Makes JSON of the body of a view, as long as `target`. */
export type Inflate = (view: KeptView, target: Buffer) => void;

export interface DeflatedSlabsOptions {
  readonly deflater: ObjectDeflater;
  /** Makes the codec that reads what lies here, or lay here when it was released. */
  readonly codecOf: (inflate: Inflate, released: boolean) => ViewCodec;
  /** A slab is let go of: nothing that was not released lies there. */
  readonly onGone: (released: ByteSource) => void;
}

const SMALLEST_SLAB = 16 * 1024;
/** As large as what the network brings comes in: where that lay, they fit. */
const LARGEST_SLAB = 64 * 1024;
/** Objects with more JSON than this share of a slab are compressed elsewhere, and get a slab that they fill. */
const LARGE = LARGEST_SLAB / 2;
/** With less than this alive, a slab is given up. */
const SPARSE = 1 / 2;
/** With more sparse ones than this, who brings another object has to give up one of them. */
const MOST_SPARSE = 16;
/** Objects over which the ratio is taken. */
const WINDOW = 1024;
/** A dictionary has had its day when objects come out this many times as long as they did at first. */
const DEGRADED = 1.5;

const identityBytes = Buffer.alloc(IDENTITY_BOUND);

/**
 * Slabs of deflated objects, all made with one dictionary.
 *
 * Guarantees: when nothing is sparse, memory is at most twice what is alive, and a slab; releasing moves nothing, so that
 * slabs of which everything goes are let go of as they are.
 */
export class DeflatedSlabs {
  readonly #deflater: ObjectDeflater;
  readonly #codec: ViewCodec;
  readonly #releasedCodec: ViewCodec;
  readonly #onGone: (released: ByteSource) => void;
  #current: DeflatedSlab | undefined;
  /** Full slabs that are to be given up. */
  readonly #sparse = new Set<DeflatedSlab>();
  #liveBytes = 0;
  #slabBytes = 0;
  #views = 0;
  /** JSON bytes of what lies here. */
  #jsonBytes = 0;
  /** Of the present window: objects, their JSON and what became of it, bytes. */
  #objects = 0;
  #taken = 0;
  #made = 0;
  /** What was made of a byte, in the first window. */
  #firstShare: number | undefined;
  #degraded = false;

  constructor({ deflater, codecOf, onGone }: DeflatedSlabsOptions) {
    this.#deflater = deflater;
    this.#onGone = onGone;
    const inflate: Inflate = (view, target) => {
      this.#inflate(view, target);
    };
    this.#codec = codecOf(inflate, false);
    this.#releasedCodec = codecOf(inflate, true);
  }

  /** Bytes of the records that were not released. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  get slabBytes(): number {
    return this.#slabBytes;
  }

  /** What compressing itself takes. */
  get compressorBytes(): number {
    return this.#deflater.memoryBytes;
  }

  get jsonBytes(): number {
    return this.#jsonBytes;
  }

  /** Views that were not released. */
  get views(): number {
    return this.#views;
  }

  /** Whether there are slabs to be given up. */
  get isSparse(): boolean {
    return this.#sparse.size > 0;
  }

  /** The objects that come now are of another kind than those the dictionary was learnt from. */
  get degraded(): boolean {
    return this.#degraded;
  }

  /** Whether a view lies here and was not released. */
  has(view: KeptView): boolean {
    return view.source.codec === this.#codec;
  }

  /** Compresses the JSON of a view that knows who it is, and lets the view lie here. */
  put(view: KeptView, json: Buffer): void {
    const { uid, resourceVersion } = view;
    const identity = isPackable(view) ? { uid, resourceVersion } : {};
    const length = packIdentity(identity, identityBytes);
    const size = this.#write(view, json, identity, identityBytes.subarray(0, length));
    if (isPackable(identity)) view.forgetIdentity();
    this.#liveBytes += size;
    this.#views += 1;
    this.#jsonBytes += view.sizeBytes;
    this.#note(json.length, size);
    if (this.#sparse.size > MOST_SPARSE) this.giveUpOne();
  }

  release(view: KeptView): void {
    const slab = view.source as DeflatedSlab;
    this.#liveBytes -= slab.release(view);
    this.#views -= 1;
    this.#jsonBytes -= view.sizeBytes;
    if (slab !== this.#current) this.#look(slab);
  }

  /** Moves what is left in one sparse slab, and lets go of the slab. */
  giveUpOne(): void {
    for (const slab of this.#sparse) {
      for (const view of slab.views()) slab.move(view, this.#slabWithRoom(slab.recordBytes(view)));
      this.#letGo(slab);
      return;
    }
  }

  #write(view: KeptView, json: Buffer, identity: PackedIdentity, packed: Buffer): number {
    const head = packed.length + RECORD_HEAD_BYTES;
    const most = head + deflatedBound(json.length);
    if (json.length > LARGE) return this.#writeLarge(view, json, identity, packed, most);
    let slab = this.#slabWithRoom(head);
    let from = slab.used + head;
    let end = this.#deflater.deflate(json, identity, slab.bytes, from);
    if (end === undefined) {
      slab = this.#nextSlab(most);
      from = slab.used + head;
      end = this.#deflater.deflate(json, identity, slab.bytes, from);
    }
    return slab.append(view, packed, must(end) - from);
  }

  /** By way of other memory, since nobody knows how large its slab has to be. */
  #writeLarge(
    view: KeptView,
    json: Buffer,
    identity: PackedIdentity,
    packed: Buffer,
    most: number,
  ): number {
    const head = packed.length + RECORD_HEAD_BYTES;
    const made = Buffer.allocUnsafeSlow(most);
    const end = must(this.#deflater.deflate(json, identity, made, head));
    const slab = this.#newSlab(end);
    made.copy(slab.bytes, head, head, end);
    const size = slab.append(view, packed, end - head);
    slab.seal();
    return size;
  }

  #slabWithRoom(size: number): DeflatedSlab {
    const slab = this.#current;
    return slab !== undefined && slab.room >= size ? slab : this.#nextSlab(size);
  }

  /** As much again as there is: little for small caches. */
  #nextSlab(least: number): DeflatedSlab {
    const size = Math.min(LARGEST_SLAB, Math.max(SMALLEST_SLAB, this.#slabBytes));
    const full = this.#current;
    const slab = this.#newSlab(Math.max(size, least));
    this.#current = slab;
    full?.seal();
    if (full !== undefined) this.#look(full);
    return slab;
  }

  #newSlab(size: number): DeflatedSlab {
    this.#slabBytes += size;
    return new DeflatedSlab(size, this.#codec, this.#releasedCodec);
  }

  /** What becomes of a full slab. */
  #look(slab: DeflatedSlab): void {
    if (slab.liveBytes === 0) this.#letGo(slab);
    else if (slab.liveBytes < slab.size * SPARSE) this.#sparse.add(slab);
  }

  #letGo(slab: DeflatedSlab): void {
    this.#sparse.delete(slab);
    this.#slabBytes -= slab.size;
    this.#onGone(slab.released);
  }

  #inflate(view: KeptView, target: Buffer): void {
    const identity = { uid: deflatedUid(view), resourceVersion: deflatedVersion(view) };
    if (this.#deflater.inflate(deflatedBody(view), identity, target)) return;
    throw new ListwatchError(
      'CORRUPT_OBJECT',
      `a compressed cache: the object with uid ${identity.uid ?? '(none)'} at resource version ${identity.resourceVersion ?? '(none)'} does not come out as it came in; something has written to memory that is not its own`,
    );
  }

  #note(taken: number, made: number): void {
    this.#objects += 1;
    this.#taken += taken;
    this.#made += made;
    if (this.#objects < WINDOW) return;
    const share = this.#made / this.#taken;
    this.#firstShare ??= share;
    this.#degraded = share > DEGRADED * this.#firstShare;
    this.#objects = 0;
    this.#taken = 0;
    this.#made = 0;
  }
}

/** There was room for whatever it may become. */
function must(end: number | undefined): number {
  if (end === undefined) {
    throw new ListwatchError(
      'ASSERTION',
      'a compressed cache: zlib made more than it may of an object',
    );
  }
  return end;
}
