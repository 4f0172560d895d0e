import type { KnownValue } from '../../meta/known-value.ts';
import { parseMetadata, parseObject, type ViewCodec } from '../../meta/json/json-view.ts';
import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';
import type { RecentMetadata } from './recent-metadata.ts';
import {
  bodyLength,
  recordedBody,
  recordedLongest,
  recordedUid,
  recordedVersion,
  type KeptView,
} from './slab.ts';

export interface RecordCodecOptions {
  /** Makes JSON of the body of a view. @defaultValue bodies are JSON */
  readonly inflate?: ((view: KeptView) => Buffer) | undefined;
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
    return this.#options.inflate?.(view) ?? recordedBody(view);
  }

  object(view: KeptView): KubernetesObject {
    const { known, inflate, decoded } = this.#options;
    const before = known?.(view);
    if (before !== undefined) return before;
    const object = decode(view, inflate, (bytes, start, end) =>
      parseObject(bytes, start, end, view.type),
    );
    decoded(view, object);
    return object;
  }

  metadata(view: KeptView): ObjectMeta {
    const { metadata, inflate } = this.#options;
    let found = metadata.get(view);
    if (found === undefined) {
      found = decode(view, inflate, parseMetadata);
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

/** In place, where there is nothing to inflate. */
function decode<R>(
  view: KeptView,
  inflate: ((view: KeptView) => Buffer) | undefined,
  parse: (bytes: Buffer, start: number, end: number) => R,
): R {
  if (inflate === undefined) {
    const { source, start } = view;
    return parse(source.bytes, start, start + bodyLength(view));
  }
  const json = inflate(view);
  return parse(json, 0, json.length);
}
