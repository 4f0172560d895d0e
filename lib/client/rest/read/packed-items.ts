import { JsonView, parseObject, type TypeMeta } from '../../../meta/json/json-view.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { KubernetesObject } from '../../../meta/object.ts';

const NOTHING: Buffer = Buffer.alloc(0);
const LEAST_BYTES = 64 * 1024;
/** A buffer that is more than this many times too large is dropped. */
const MOST_SPARE = 4;

/**
 * The items of a page in one buffer, decoded one by one. The buffer is filled again with a later page.
 *
 * The pieces in which a page arrives can be released at once. If they were held until their items are decoded, they would
 * outlive two collections of the young generation, and V8 would release them in a full collection only.
 *
 * Guarantees: it takes at most twice the bytes of its largest page, and at most four times the bytes of the last one plus 64 KiB.
 */
export class PackedItems<T extends KubernetesObject> implements Iterable<T> {
  #bytes: Buffer = NOTHING;
  #length = 0;
  /** Where items end in the buffer. An item that has no bytes there is in `#others`. */
  readonly #ends: number[] = [];
  readonly #types: (TypeMeta | undefined)[] = [];
  readonly #others = new Map<number, ObjectView<T>>();

  /** The bytes of its items. */
  get bytes(): number {
    return this.#length;
  }

  add(views: readonly ObjectView<T>[]): void {
    for (const view of views) {
      const type = view instanceof JsonView ? this.#copy(view) : undefined;
      if (!(view instanceof JsonView)) this.#others.set(this.#ends.length, view);
      this.#ends.push(this.#length);
      this.#types.push(type);
    }
  }

  /** The items in order. Nothing may be added meanwhile. */
  *[Symbol.iterator](): Generator<T, undefined> {
    let start = 0;
    for (const [place, end] of this.#ends.entries()) {
      const other = this.#others.get(place);
      const encoded = { bytes: this.#bytes, start, end, type: this.#types[place] };
      yield other?.object ?? (parseObject(encoded) as T);
      start = end;
    }
  }

  clear(): void {
    if (this.#bytes.length > MOST_SPARE * this.#length + LEAST_BYTES) this.#bytes = NOTHING;
    this.#length = 0;
    this.#ends.length = 0;
    this.#types.length = 0;
    this.#others.clear();
  }

  #copy(view: JsonView<T>): TypeMeta | undefined {
    const { json } = view;
    const end = this.#length + json.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(LEAST_BYTES, 2 * this.#bytes.length, end));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    json.copy(this.#bytes, this.#length);
    this.#length = end;
    return view.type;
  }
}
