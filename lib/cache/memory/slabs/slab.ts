import type { ByteSource, ObjectPlaces, ViewCodec } from '../../../meta/json/json-view.ts';
import type { KeptView } from '../views/kept-view.ts';
import type { Readable } from './detached.ts';
import {
  bodyLength,
  detached,
  noteSlot,
  recordStart,
  slotBytes,
  slotNumber,
  writeRecord,
} from './record.ts';
import { writeBytes } from './slab-bytes.ts';

export interface SlabCodecs {
  /** Reads the views in slabs. */
  readonly codec: ViewCodec;
  /** Reads released views. */
  readonly releasedCodec: ViewCodec;
}

/**
 * A piece of memory with the records of views. Records are appended, or written into free slots.
 *
 * Guarantees: a record does not change until its view has left the slab.
 */
export class Slab implements ByteSource {
  /** The number of the slab in its arena. */
  readonly number: number;
  readonly bytes: Buffer;
  readonly codec: ViewCodec;
  /** The source of released views, over the same bytes. */
  readonly released: ByteSource & { readonly codec: ViewCodec };
  /** The views by number; views that have left are undefined. */
  readonly #views: (KeptView | undefined)[] = [];
  #used = 0;
  #liveBytes = 0;
  /** The number of free slots that may be filled again; for the arena. */
  freeSlots = 0;

  /** The slab owns `bytes` from now on. */
  constructor(number: number, bytes: Buffer, { codec, releasedCodec }: SlabCodecs) {
    this.number = number;
    this.bytes = bytes;
    this.codec = codec;
    this.released = { bytes: this.bytes, codec: releasedCodec };
  }

  get size(): number {
    return this.bytes.length;
  }

  /** The bytes of the slots of views. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** The bytes after all slots. */
  get room(): number {
    return this.bytes.length - this.#used;
  }

  /** The views in this slab. */
  *views(): IterableIterator<KeptView> {
    for (const view of this.#views) if (view !== undefined) yield view;
  }

  /** Writes the record of a view to a new slot after the others and moves the view there. There has to be room. */
  append(
    view: KeptView,
    body: Uint8Array,
    places: ObjectPlaces | undefined,
    slotSize: number,
  ): void {
    const slotStart = this.#used;
    this.#used += slotSize;
    const start = writeRecord(this.bytes, slotStart, view, body, places);
    this.#lie(view, start, slotSize, this.#views.length);
  }

  /** As `append`, into a free slot that is long enough. */
  fill(
    slotStart: number,
    view: KeptView,
    body: Uint8Array,
    places: ObjectPlaces | undefined,
  ): void {
    const size = this.bytes.readUInt32LE(slotStart);
    const number = this.bytes.readUInt32LE(slotStart + 4);
    const start = writeRecord(this.bytes, slotStart, view, body, places);
    this.#lie(view, start, size, number);
  }

  /** Copies the record of a view of this slab to a new slot of a slab with room for it, and moves the view there. */
  move(view: KeptView, slab: Slab, slotSize: number): void {
    const { start } = view;
    const from = recordStart(view);
    this.take(view);
    const at = slab.#used;
    slab.#used += slotSize;
    writeBytes(slab.bytes, at, this.bytes.subarray(from, start + bodyLength(view)));
    slab.#lie(view, at + start - from, slotSize, slab.#views.length);
  }

  /** Releases a view that stays in its slot and is no longer counted. Returns the size of its slot. */
  release(view: KeptView): number {
    const size = this.take(view);
    view.moveTo(this.released, view.start);
    return size;
  }

  /** Removes a view that moves elsewhere from the counts. Returns the size of its slot. */
  take(view: KeptView): number {
    const size = slotBytes(view);
    this.#views[slotNumber(view)] = undefined;
    this.#liveBytes -= size;
    return size;
  }

  /** As `take`, for a record that is no longer read. Returns the start of its slot, which can be filled. */
  leave(view: KeptView): number {
    const slotStart = recordStart(view);
    const number = slotNumber(view);
    const size = this.take(view);
    this.bytes.writeUInt32LE(size, slotStart);
    this.bytes.writeUInt32LE(number, slotStart + 4);
    return slotStart;
  }

  /** As `leave`; the retained part of the view is copied to a string. */
  detach(view: KeptView, readable: Readable): number {
    const { start } = view;
    const source = detached(view, readable, this.released.codec);
    const slotStart = this.leave(view);
    view.moveTo(source, start - slotStart);
    return slotStart;
  }

  #lie(view: KeptView, start: number, slotSize: number, number: number): void {
    noteSlot(this.bytes, start, slotSize, number);
    this.#views[number] = view;
    this.#liveBytes += slotSize;
    view.moveTo(this, start);
  }
}
