import type { ByteSource, ObjectPlaces, ViewCodec } from '../../meta/json/json-view.ts';
import type { KeptView } from './kept-view.ts';
import type { Readable } from './retention.ts';
import {
  bodyLength,
  detached,
  noteSlot,
  recordStart,
  slotBytes,
  slotNumber,
  writeRecord,
} from './record.ts';

export interface SlabCodecs {
  /** Reads the views that lie in slabs. */
  readonly codec: ViewCodec;
  /** Reads those that were released. */
  readonly releasedCodec: ViewCodec;
}

/**
 * A piece of memory with the records of views: one behind the other, and where one has left, another one.
 *
 * Guarantees: what is written stays as it is until the view that lies there has left.
 */
export class Slab implements ByteSource {
  /** Names it in its arena. */
  readonly number: number;
  readonly bytes: Buffer;
  readonly codec: ViewCodec;
  /** Where views lie that were released: the same bytes. */
  readonly released: ByteSource & { readonly codec: ViewCodec };
  /** By number; those that have left are gone. */
  readonly #views: (KeptView | undefined)[] = [];
  #used = 0;
  #liveBytes = 0;
  /** Slots that were left and may be filled again; for the arena. */
  freeSlots = 0;

  /** `bytes` are its own from now on. */
  constructor(number: number, bytes: Buffer, { codec, releasedCodec }: SlabCodecs) {
    this.number = number;
    this.bytes = bytes;
    this.codec = codec;
    this.released = { bytes: this.bytes, codec: releasedCodec };
  }

  get size(): number {
    return this.bytes.length;
  }

  /** Bytes of the slots in which views lie. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** Bytes behind all slots. */
  get room(): number {
    return this.bytes.length - this.#used;
  }

  /** The views that lie here. */
  *views(): IterableIterator<KeptView> {
    for (const view of this.#views) if (view !== undefined) yield view;
  }

  /** Writes the record of a view to a new slot behind the others, for which there is room, and lets the view lie there. */
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

  /** As `append`, in a slot that was left and is long enough. */
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

  /** Copies the record of a view that lies here to a new slot of a slab that has room for it, and lets the view lie there. */
  move(view: KeptView, slab: Slab, slotSize: number): void {
    const { start } = view;
    const from = recordStart(view);
    this.take(view);
    const at = slab.#used;
    slab.#used += slotSize;
    this.bytes.copy(slab.bytes, at, from, start + bodyLength(view));
    slab.#lie(view, at + start - from, slotSize, slab.#views.length);
  }

  /** Lets a view go on lying here without being counted. Returns the size of its slot. */
  release(view: KeptView): number {
    const size = this.take(view);
    view.moveTo(this.released, view.start);
    return size;
  }

  /** No longer counts a view that is about to lie elsewhere. Returns the size of its slot. */
  take(view: KeptView): number {
    const size = slotBytes(view);
    this.#views[slotNumber(view)] = undefined;
    this.#liveBytes -= size;
    return size;
  }

  /** As `take`; its record is not read there any more. Returns the start of its slot, which can be filled. */
  leave(view: KeptView): number {
    const slotStart = recordStart(view);
    const number = slotNumber(view);
    const size = this.take(view);
    this.bytes.writeUInt32LE(size, slotStart);
    this.bytes.writeUInt32LE(number, slotStart + 4);
    return slotStart;
  }

  /** As `leave`; what can still be read of the view is a string of its own from now on. */
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
