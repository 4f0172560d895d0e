import type { KnownValue } from '../../../meta/json/known-values.ts';
import { parseMetadata, parseObject, type ViewCodec } from '../../../meta/json/json-view.ts';
import type { SharedMember } from '../../../meta/json/shared-member.ts';
import type { KubernetesObject, ObjectMeta } from '../../../meta/object.ts';
import type { KeptView } from '../views/kept-view.ts';
import type { RecentMetadata } from './recent-metadata.ts';
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
