import type { Runtime } from '../../../../kernel/time/runtime.ts';
import { nextTask } from '../../../../kernel/time/wait.ts';
import { encodeMessage } from '../../../../meta/protobuf/message-encoder.ts';
import { encodeObject } from '../../../../meta/protobuf/object-codec.ts';
import { builtInTypes } from '../../../../meta/types/built-in-types.ts';
import type { MessageType } from '../../../../meta/types/message-type.ts';
import type { ApiResponse } from '../../http/api-request.ts';
import type { ListMetadata } from './table.ts';

export interface ProtobufListOptions<Item> {
  /** Of the list. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ListMetadata;
  readonly items: readonly Item[];
  /** The fields of an item. */
  readonly fieldsOf: (item: Item) => object;
  readonly runtime: Runtime;
}

/** Items that are encoded in one task: some milliseconds. */
const ITEMS_AT_ONCE = 200;
/** Encoded items are joined up to this size. */
const CHUNK_BYTES = 128 * 1024;

const METADATA_TAG = 0x0a;
const ITEM_TAG = 0x12;
/** Of the content in an envelope; the empty encoding and content type follow it. */
const RAW_TAG = 0x12;
const AFTER_RAW = Buffer.of(0x1a, 0, 0x22, 0);

/**
 * A list in protobuf. The message says its length before its items, so all items are encoded before the first byte is sent: a large
 * list takes the memory of its bytes. Other tasks run in between.
 */
export function protobufList<Item>(options: ProtobufListOptions<Item>): ApiResponse['body'] {
  const encoder = new ListEncoder(options);
  if (options.items.length > ITEMS_AT_ONCE) return encoder.stream();
  encoder.add(0, options.items.length);
  return Buffer.concat([...encoder.finished()]);
}

class ListEncoder<Item> {
  readonly #options: ProtobufListOptions<Item>;
  readonly #itemType: MessageType;
  readonly #chunks: Buffer[] = [];
  #pieces: Uint8Array[] = [];
  #pieceBytes = 0;
  #size = 0;

  constructor(options: ProtobufListOptions<Item>) {
    this.#options = options;
    const type = builtInTypes().kind(options.apiVersion, options.kind) as MessageType;
    this.#itemType = type.byName.get('items')?.message as MessageType;
    const metadata = type.byName.get('metadata')?.message as MessageType;
    this.#push(METADATA_TAG, encodeMessage(metadata, { ...options.metadata }));
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    const { items, runtime } = this.#options;
    for (let from = 0; from < items.length; from += ITEMS_AT_ONCE) {
      this.add(from, Math.min(from + ITEMS_AT_ONCE, items.length));
      await nextTask(runtime);
    }
    yield* this.finished();
  }

  /** Encodes some of the items. */
  add(from: number, end: number): void {
    const { items, fieldsOf } = this.#options;
    for (let at = from; at < end; at += 1) {
      const fields = fieldsOf(items[at] as Item) as Readonly<Record<string, unknown>>;
      this.#push(ITEM_TAG, encodeMessage(this.#itemType, fields));
    }
  }

  #push(tag: number, message: Uint8Array): void {
    const head = lengthHead(tag, message.length);
    this.#pieces.push(head, message);
    this.#pieceBytes += head.length + message.length;
    this.#size += head.length + message.length;
    if (this.#pieceBytes >= CHUNK_BYTES) this.#join();
  }

  #join(): void {
    this.#chunks.push(Buffer.concat(this.#pieces, this.#pieceBytes));
    this.#pieces = [];
    this.#pieceBytes = 0;
  }

  /** The list with its envelope, in chunks. */
  *finished(): Generator<Uint8Array> {
    this.#join();
    yield this.#head();
    yield* this.#chunks;
    yield AFTER_RAW;
  }

  /** The beginning of the envelope, up to the length of the content. */
  #head(): Buffer {
    const { apiVersion, kind } = this.#options;
    const empty = encodeObject({ apiVersion, kind });
    // The envelope of an empty list has the same beginning: prefix, type, and then the tag of the content.
    const typeBytes = empty[ENVELOPE_PREFIX + 1] as number;
    const start = empty.subarray(0, ENVELOPE_PREFIX + 2 + typeBytes);
    return Buffer.concat([start, lengthHead(RAW_TAG, this.#size)]);
  }
}

const ENVELOPE_PREFIX = 4;

/** A tag and the length after it. */
function lengthHead(tag: number, length: number): Buffer {
  const bytes = [tag];
  let rest = length;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}
