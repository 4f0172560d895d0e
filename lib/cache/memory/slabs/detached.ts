import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { ByteSource, ViewCodec } from '../../../meta/json/json-view.ts';
import type { KubernetesObject, ObjectMeta } from '../../../meta/object.ts';

/*
 * The content of a record that has left a slab is a string in the heap, with a character for each byte. The view refers to it.
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

/** The identity of a view from its record, and its metadata without managed fields. */
export interface MetadataParts {
  /** Begins with uid and resource version, and ends with the metadata, up to the managed fields. */
  readonly text: string;
  /** Undefined when the view itself knows its identity. */
  readonly uidLength: number | undefined;
  readonly versionLength: number;
  /** Where in `text` the metadata starts. */
  readonly metadataStart: number;
  /** The metadata after the managed fields. */
  readonly rest: string;
}

const NO_BYTES = Buffer.alloc(0);

/** The source of a view whose record was dropped: only the fields of the view itself can be read. */
class DetachedNothing implements ByteSource, ViewCodec {
  readonly bytes: Buffer = NO_BYTES;

  get codec(): ViewCodec {
    return this;
  }

  json(): Buffer {
    return gone('body');
  }

  object(): KubernetesObject {
    return gone('body');
  }

  metadata(): ObjectMeta {
    return gone('metadata');
  }

  uid(): string | undefined {
    return gone('uid');
  }

  resourceVersion(): string | undefined {
    return gone('resource version');
  }
}

export const detachedNothing: ByteSource = new DetachedNothing();

/** The source of a view of which only the metadata was retained. */
export class DetachedMetadata extends DetachedNothing {
  readonly #parts: MetadataParts;
  #metadata: ObjectMeta | undefined;

  constructor(parts: MetadataParts) {
    super();
    this.#parts = parts;
  }

  override metadata(): ObjectMeta {
    this.#metadata ??= this.#parse();
    return this.#metadata;
  }

  override uid(): string | undefined {
    const { text, uidLength } = this.#parts;
    return uidLength === undefined ? undefined : text.slice(0, uidLength);
  }

  override resourceVersion(): string | undefined {
    const { text, uidLength, versionLength } = this.#parts;
    return uidLength === undefined ? undefined : text.slice(uidLength, uidLength + versionLength);
  }

  #parse(): ObjectMeta {
    const { text, metadataStart, rest } = this.#parts;
    const json = Buffer.from(text.slice(metadataStart) + rest, 'latin1').toString('utf8');
    return JSON.parse(json) as ObjectMeta;
  }
}

function gone(what: string): never {
  throw new ListwatchError(
    'OBJECT_RELEASED',
    `the ${what} of an object that has left the cache was read after it was released: no handler has a view that retains it. Read it in the callback, or use a handler with another view`,
  );
}

/** The part of an object that can be read after it has left the cache. */
export type Readable = 'nothing' | 'metadata' | 'body';

/**
 * The part of a removed object that readers may still read: everything for handlers of whole objects, the metadata for handlers
 * of metadata, nothing for handlers of keys. Only this part of an object is retained when it leaves the cache.
 */
export class Retention {
  #bodies = 0;
  #metadata = 0;

  get readable(): Readable {
    if (this.#bodies > 0) return 'body';
    return this.#metadata > 0 ? 'metadata' : 'nothing';
  }

  /** A reader may read this much, until the pin is disposed of; a second time is harmless. */
  pin(what: 'metadata' | 'body'): Disposable {
    const count = (change: number): void => {
      if (what === 'body') this.#bodies += change;
      else this.#metadata += change;
    };
    let ended = false;
    count(1);
    return {
      [Symbol.dispose]: () => {
        if (!ended) count(-1);
        ended = true;
      },
    };
  }
}
