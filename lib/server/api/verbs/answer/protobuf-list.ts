import { asBuffer } from '../../../../kernel/data/as-buffer.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import { nextTask } from '../../../../kernel/time/wait.ts';
import { contentStart, ENVELOPE_TAIL, envelopeHead } from '../../../../meta/protobuf/envelope.ts';
import { encodeMessage } from '../../../../meta/protobuf/message-encoder.ts';
import { builtInTypes } from '../../../../meta/types/built-in-types.ts';
import type { MessageType } from '../../../../meta/types/message-type.ts';
import type { ApiResponse } from '../../../http/api-request.ts';
import type { ListMetadata } from './table.ts';

export interface ProtobufListOptions<Item> {
  /** Of the list. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ListMetadata;
  /** Read twice if there are many. */
  readonly items: Iterable<Item>;
  /** The encoding of an item, with an envelope. */
  readonly encodingOf: (item: Item) => Uint8Array;
  /** Whether `encodingOf` costs little when it is called again; otherwise all encodings are held until they are sent. */
  readonly isCached: boolean;
  readonly runtime: Runtime;
}

/** Items that are encoded in one task: some milliseconds. */
const ITEMS_AT_ONCE = 200;
/** Encoded items are joined up to this size. */
const CHUNK_BYTES = 128 * 1024;
/** Number of chunks joined in one task. */
const CHUNKS_AT_ONCE = 8;

const METADATA_TAG = 0x0a;
const ITEM_TAG = 0x12;

/**
 * A list in protobuf. The message says its length before its items, so all items are encoded before the first byte is sent. Other tasks
 * run in between.
 */
export function protobufList<Item>(options: ProtobufListOptions<Item>): ApiResponse['body'] {
  const list = new ProtobufList(options);
  if (!list.measure(ITEMS_AT_ONCE)) return list.stream();
  return Buffer.concat([...list.chunks()]);
}

class ProtobufList<Item> {
  readonly #options: ProtobufListOptions<Item>;
  readonly #metadata: Buffer;
  readonly #rest: Iterator<Item>;
  readonly #held: Uint8Array[] = [];
  #size = 0;

  constructor(options: ProtobufListOptions<Item>) {
    this.#options = options;
    const type = builtInTypes().kind(options.apiVersion, options.kind) as MessageType;
    const metadata = type.byName.get('metadata')?.message as MessageType;
    this.#metadata = encodeMessage(metadata, { ...options.metadata });
    this.#size = sizeWithHead(this.#metadata.length);
    this.#rest = options.items[Symbol.iterator]();
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    const { runtime } = this.#options;
    do await nextTask(runtime);
    while (!this.measure(ITEMS_AT_ONCE));
    let count = 0;
    for (const chunk of this.chunks()) {
      yield chunk;
      count += 1;
      if (count % CHUNKS_AT_ONCE === 0) await nextTask(runtime);
    }
  }

  /** Encodes and measures the next items; true when there are no more. */
  measure(count: number): boolean {
    const { encodingOf, isCached } = this.#options;
    for (let at = 0; at < count; at += 1) {
      const { done, value } = this.#rest.next();
      if (done === true) return true;
      const encoding = encodingOf(value);
      this.#size += sizeWithHead(contentBytes(encoding));
      if (!isCached) this.#held.push(encoding);
    }
    return false;
  }

  /** The list with its envelope, once all items are measured. */
  *chunks(): Generator<Uint8Array> {
    const { apiVersion, kind } = this.#options;
    const head = lengthHead(METADATA_TAG, this.#metadata.length);
    yield Buffer.concat([envelopeHead(apiVersion, kind, this.#size), head, this.#metadata]);
    let encodings: Uint8Array[] = [];
    let bytes = 0;
    for (const encoding of this.#encodings()) {
      encodings.push(encoding);
      bytes += sizeWithHead(contentBytes(encoding));
      if (bytes < CHUNK_BYTES) continue;
      yield joined(encodings, bytes);
      encodings = [];
      bytes = 0;
    }
    yield Buffer.concat([joined(encodings, bytes), ENVELOPE_TAIL]);
  }

  *#encodings(): Generator<Uint8Array> {
    const { items, encodingOf, isCached } = this.#options;
    if (!isCached) yield* this.#held;
    else for (const item of items) yield encodingOf(item);
  }
}

function contentBytes(encoding: Uint8Array): number {
  return encoding.length - ENVELOPE_TAIL.length - contentStart(encoding);
}

/** The contents of encodings, each as an item. */
function joined(encodings: readonly Uint8Array[], bytes: number): Buffer {
  const chunk = Buffer.allocUnsafe(bytes);
  let end = 0;
  for (const encoding of encodings) {
    const start = contentStart(encoding);
    const count = encoding.length - ENVELOPE_TAIL.length - start;
    chunk[end] = ITEM_TAG;
    end += 1;
    let rest = count;
    for (; rest > 0x7f; rest >>>= 7) {
      chunk[end] = (rest & 0x7f) | 0x80;
      end += 1;
    }
    chunk[end] = rest;
    asBuffer(encoding).copy(chunk, end + 1, start, start + count);
    end += 1 + count;
  }
  return chunk;
}

/** A tag and the length after it. */
function lengthHead(tag: number, length: number): Buffer {
  const bytes = [tag];
  let rest = length;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

function sizeWithHead(length: number): number {
  let size = length + 2;
  for (let rest = length >>> 7; rest > 0; rest >>>= 7) size += 1;
  return size;
}
