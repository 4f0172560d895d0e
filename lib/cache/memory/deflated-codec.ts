import { parseMetadata, parseObject, type ViewCodec } from '../../meta/json/json-view.ts';
import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';
import { deflatedUid, deflatedVersion } from './deflated-slab.ts';
import type { RecentMetadata } from './recent-metadata.ts';
import { Scratch } from './scratch.ts';
import type { KeptView } from './record.ts';

export interface DeflatedCodecOptions {
  /** Makes JSON of the body of a view, as long as `target`. @throws {ListwatchError} code CORRUPT_OBJECT */
  readonly inflate: (view: KeptView, target: Buffer) => void;
  /** The object of a view has been decoded; whoever keeps it, or nobody. */
  readonly decoded: (view: KeptView, object: KubernetesObject) => void;
  /** The object of a view, if somebody keeps it. */
  readonly known?: ((view: KeptView) => KubernetesObject | undefined) | undefined;
  readonly metadata: RecentMetadata;
}

/** JSON that is decoded at once. */
const scratch = new Scratch();

/** Reads the records of compressed slabs. What is decoded is kept by others. */
export class DeflatedCodec implements ViewCodec {
  readonly #options: DeflatedCodecOptions;

  constructor(options: DeflatedCodecOptions) {
    this.#options = options;
  }

  json(view: KeptView): Buffer {
    const json = Buffer.allocUnsafe(view.sizeBytes);
    this.#options.inflate(view, json);
    return json;
  }

  object(view: KeptView): KubernetesObject {
    const { known, decoded } = this.#options;
    const before = known?.(view);
    if (before !== undefined) return before;
    const json = this.#inflated(view);
    const object = parseObject(json, 0, json.length, view.type);
    decoded(view, object);
    return object;
  }

  metadata(view: KeptView): ObjectMeta {
    const { metadata } = this.#options;
    let found = metadata.get(view);
    if (found === undefined) {
      const json = this.#inflated(view);
      found = parseMetadata(json, 0, json.length);
      metadata.add(view, found);
    }
    return found;
  }

  uid(view: KeptView): string | undefined {
    return deflatedUid(view);
  }

  resourceVersion(view: KeptView): string | undefined {
    return deflatedVersion(view);
  }

  /** Until the next one is. */
  #inflated(view: KeptView): Buffer {
    const json = scratch.take(view.sizeBytes).subarray(0, view.sizeBytes);
    this.#options.inflate(view, json);
    return json;
  }
}
