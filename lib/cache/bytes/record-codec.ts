import { parseMetadata, parseObject, type ViewCodec } from '../../meta/json/json-view.ts';
import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';
import type { RecentMetadata } from './recent-metadata.ts';
import { recordedUid, recordedVersion, type KeptView } from './slab.ts';

export interface RecordCodecOptions {
  /** The JSON of a view, out of its record. */
  readonly json: (view: KeptView) => Buffer;
  /** The object of a view has been decoded; whoever keeps it, or nobody. */
  readonly decoded: (view: KeptView, object: KubernetesObject) => void;
  /** The object of a view, if somebody keeps it. */
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
    return this.#options.json(view);
  }

  object(view: KeptView): KubernetesObject {
    const { known, json, decoded } = this.#options;
    const before = known?.(view);
    if (before !== undefined) return before;
    const bytes = json(view);
    const object = parseObject(bytes, 0, bytes.length, view.type);
    decoded(view, object);
    return object;
  }

  metadata(view: KeptView): ObjectMeta {
    const { metadata, json } = this.#options;
    let found = metadata.get(view);
    if (found === undefined) {
      const bytes = json(view);
      found = parseMetadata(bytes, 0, bytes.length);
      metadata.add(view, found);
    }
    return found;
  }

  uid(view: KeptView): string | undefined {
    return recordedUid(view);
  }

  resourceVersion(view: KeptView): string | undefined {
    return recordedVersion(view);
  }
}
