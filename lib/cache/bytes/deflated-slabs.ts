import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ViewCodec } from '../../meta/json/json-view.ts';
import { SlabArena } from './slab-arena.ts';
import { recordedBody, type KeptView, type Slab } from './slab.ts';

/** Makes JSON of the body of a view. */
export type Inflate = (view: KeptView) => Buffer;

export interface DeflatedSlabsOptions {
  readonly dictionary: Buffer;
  /** Makes the codec that reads what lies here, or lay here when it was released. */
  readonly codecOf: (inflate: Inflate, released: boolean) => ViewCodec;
  readonly onGone: (slab: Slab) => void;
}

/** Measured with pods: lower ones are a tenth faster, and what they make is a tenth longer. */
const LEVEL = 6;
/** Small enough for the pool of Buffers, and as a rule larger than what an object becomes. */
const CHUNK = 2048;
/** The least that zlib takes for the size of its buffers. */
const SMALLEST_CHUNK = 64;
/** Objects over which the ratio is taken. */
const WINDOW = 1024;
/** A dictionary has had its day when objects come out this many times as long as they did at first. */
const DEGRADED = 1.5;

/** Slabs of deflated objects, all made with one dictionary. */
export class DeflatedSlabs {
  readonly arena: SlabArena;
  readonly #dictionary: Buffer;
  /** JSON bytes of what lies here. */
  #jsonBytes = 0;
  /** Of the present window: objects, their JSON and what became of it, bytes. */
  #objects = 0;
  #taken = 0;
  #made = 0;
  /** What was made of a byte, in the first window. */
  #firstShare: number | undefined;
  #degraded = false;

  constructor({ dictionary, codecOf, onGone }: DeflatedSlabsOptions) {
    this.#dictionary = dictionary;
    const inflate: Inflate = (view) => this.#inflate(view);
    const [codec, releasedCodec] = [codecOf(inflate, false), codecOf(inflate, true)];
    this.arena = new SlabArena({ codec, releasedCodec, onGone });
  }

  get jsonBytes(): number {
    return this.#jsonBytes;
  }

  /** The objects that come now are of another kind than those the dictionary was learnt from. */
  get degraded(): boolean {
    return this.#degraded;
  }

  put(view: KeptView, json: Buffer): void {
    const dictionary = this.#dictionary;
    const deflated = deflateRawSync(json, { dictionary, level: LEVEL, chunkSize: CHUNK });
    this.arena.put(view, deflated);
    this.#jsonBytes += view.sizeBytes;
    this.#note(json.length, deflated.length);
  }

  release(view: KeptView): void {
    this.#jsonBytes -= view.sizeBytes;
    this.arena.release(view);
  }

  #inflate(view: KeptView): Buffer {
    const chunkSize = Math.max(SMALLEST_CHUNK, view.sizeBytes);
    return inflateRawSync(recordedBody(view), { dictionary: this.#dictionary, chunkSize });
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
