import { ListwatchError } from '../../kernel/errors.ts';
import type { ByteSource, ViewCodec } from '../../meta/json/json-view.ts';
import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';

/*
 * What has left a slab lies in the heap, as a string with a character for each byte, and goes with the view that has it.
 */

/** The record of a view. */
export class DetachedRecord implements ByteSource {
  readonly codec: ViewCodec;
  #text: string;
  #bytes: Buffer | undefined;

  constructor(text: string, codec: ViewCodec) {
    this.#text = text;
    this.codec = codec;
  }

  get bytes(): Buffer {
    if (this.#bytes === undefined) {
      this.#bytes = Buffer.from(this.#text, 'latin1');
      this.#text = '';
    }
    return this.#bytes;
  }
}

/** Of the record of a view, what says who it is, and its metadata without managed fields. */
export interface MetadataParts {
  /** Begins with uid and resource version, and ends with the metadata, up to the managed fields. */
  readonly text: string;
  /** Undefined when the view itself knows its identity. */
  readonly uidLength: number | undefined;
  readonly versionLength: number;
  /** Where in `text` the metadata starts. */
  readonly metadataStart: number;
  /** The metadata behind the managed fields. */
  readonly rest: string;
}

const NO_BYTES = Buffer.alloc(0);

/** The metadata of a view whose body nobody is going to read. */
export class DetachedMetadata implements ByteSource, ViewCodec {
  readonly bytes: Buffer = NO_BYTES;
  readonly #parts: MetadataParts;
  #metadata: ObjectMeta | undefined;

  constructor(parts: MetadataParts) {
    this.#parts = parts;
  }

  get codec(): ViewCodec {
    return this;
  }

  json(): Buffer {
    return this.#gone();
  }

  object(): KubernetesObject {
    return this.#gone();
  }

  metadata(): ObjectMeta {
    this.#metadata ??= this.#parse();
    return this.#metadata;
  }

  uid(): string | undefined {
    const { text, uidLength } = this.#parts;
    return uidLength === undefined ? undefined : text.slice(0, uidLength);
  }

  resourceVersion(): string | undefined {
    const { text, uidLength, versionLength } = this.#parts;
    return uidLength === undefined ? undefined : text.slice(uidLength, uidLength + versionLength);
  }

  #parse(): ObjectMeta {
    const { text, metadataStart, rest } = this.#parts;
    const json = Buffer.from(text.slice(metadataStart) + rest, 'latin1').toString('utf8');
    return JSON.parse(json) as ObjectMeta;
  }

  #gone(): never {
    throw new ListwatchError(
      'ASSERTION',
      'the body of an object that has left the cache was read, though nobody had said that it might be',
    );
  }
}
