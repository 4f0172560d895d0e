import type { KnownValue } from '../../../meta/json/known-values.ts';
import {
  parseMetadata,
  parseObject,
  type ViewCodec,
  type ByteSource,
} from '../../../meta/json/json-view.ts';
import type { SharedMember } from '../../../meta/json/shared-member.ts';
import type { KubernetesObject, ObjectMeta } from '../../../meta/object.ts';
import type { KeptView } from '../views/kept-view.ts';
import {
  bodyLength,
  recordedBody,
  recordedFields,
  recordedLongest,
  recordedUid,
  recordedVersion,
} from './record.ts';

export interface RecordCodecOptions {
  /** Takes the object of a view that has been decoded. */
  readonly decoded: (view: KeptView, object: KubernetesObject) => void;
  /** The object of a view, if it is kept decoded. */
  readonly known?: ((view: KeptView) => KubernetesObject | undefined) | undefined;
  readonly metadata: RecentMetadata;
}

/** Reads the records of slabs. What is decoded is kept by others. */
export class RecordCodec implements ViewCodec {
  readonly #options: RecordCodecOptions;

  constructor(options: RecordCodecOptions) {
    this.#options = options;
  }

  json(view: KeptView): Buffer {
    return recordedBody(view);
  }

  object(view: KeptView, shared?: SharedMember): KubernetesObject {
    const { known, decoded } = this.#options;
    const before = known?.(view);
    if (before !== undefined) return before;
    const { source, start, type } = view;
    const { bytes } = source;
    const end = start + bodyLength(view);
    const object = parseObject({ bytes, start, end, type, fields: recordedFields(view), shared });
    decoded(view, object);
    return object;
  }

  metadata(view: KeptView): ObjectMeta {
    const { metadata } = this.#options;
    let found = metadata.get(view);
    if (found === undefined) {
      const { source, start } = view;
      found = parseMetadata(source.bytes, start, start + bodyLength(view));
      metadata.add(view, found);
    }
    return found;
  }

  uid(view: KeptView): string | undefined {
    return recordedUid(view);
  }

  longestMember(view: KeptView): KnownValue | undefined {
    return recordedLongest(view);
  }

  resourceVersion(view: KeptView): string | undefined {
    return recordedVersion(view);
  }
}

/** Enough for the handlers of an informer, which process the same batches at different times. */
const CAPACITY = 1024;

/** The metadata read last, so that it is parsed once for a hundred handlers that read labels. */
export class RecentMetadata {
  readonly #metadata = new Map<KeptView, ObjectMeta>();

  get(view: KeptView): ObjectMeta | undefined {
    return this.#metadata.get(view);
  }

  add(view: KeptView, metadata: ObjectMeta): void {
    if (this.#metadata.size === CAPACITY) this.#dropOldest();
    this.#metadata.set(view, metadata);
  }

  /** Drops the reference to these bytes. */
  letGo(source: ByteSource): void {
    for (const view of this.#metadata.keys()) {
      if (view.source === source) this.#metadata.delete(view);
    }
  }

  clear(): void {
    this.#metadata.clear();
  }

  #dropOldest(): void {
    for (const view of this.#metadata.keys()) {
      this.#metadata.delete(view);
      return;
    }
  }
}
