import { LRUCache } from 'lru-cache';
import type { KubernetesObject } from '../../meta/object.ts';
import type { KeptView } from './views/kept-view.ts';
import { Slab } from './slabs/slab.ts';

/** The memory of a decoded object, in multiples of its JSON, as measured for pods. */
export const DECODED_SHARE = 2;

/** Most objects that are kept for a moment, and the share of the budget they may take. */
const JUST_READ = 64;
const JUST_READ_SHARE = 1 / 8;

/**
 * Decoded objects of a cache that keeps bytes, within a budget.
 *
 * After its first read an object is kept only for a short time: a handler reads each object once, and keeping all of them would
 * take as much time again in garbage collection. An object that is read again later stays until others are read more often.
 */
export class DecodedObjects {
  readonly #again: LRUCache<KeptView, KubernetesObject> | undefined;
  /** Views that hold their objects, in a ring. */
  readonly #justRead: (KeptView | undefined)[] = Array.from({ length: JUST_READ });
  readonly #justReadBudget: number;
  #oldest = 0;
  #count = 0;
  #justReadBytes = 0;

  /** `budgetBytes`: what the objects may take together; 0 for none but the one that is read. */
  constructor(budgetBytes: number) {
    this.#justReadBudget = budgetBytes * JUST_READ_SHARE;
    const maxSize = Math.floor(budgetBytes - this.#justReadBudget);
    if (maxSize > 0)
      this.#again = new LRUCache({ maxSize, sizeCalculation: (_, view) => decodedBytes(view) });
  }

  /** Their estimated size. */
  get bytes(): number {
    return this.#justReadBytes + (this.#again?.calculatedSize ?? 0);
  }

  get(view: KeptView): KubernetesObject | undefined {
    return this.#again?.get(view);
  }

  /** The object of a view has been decoded, `again` when that had been done before. */
  add(view: KeptView, object: KubernetesObject, again: boolean): void {
    if (again) this.#again?.set(view, object);
    else this.#hold(view, object);
  }

  /** A view has left the cache. Readers of the view keep its object. */
  release(view: KeptView): void {
    const object = this.#again?.peek(view);
    if (object === undefined) return;
    this.#again?.delete(view);
    view.hold(object);
  }

  clear(): void {
    this.#again?.clear();
    while (this.#count > 0) this.#dropOldest();
  }

  #hold(view: KeptView, object: KubernetesObject): void {
    const bytes = decodedBytes(view);
    if (bytes > this.#justReadBudget) return;
    while (this.#count === JUST_READ || this.#justReadBytes + bytes > this.#justReadBudget) {
      this.#dropOldest();
    }
    this.#justRead[(this.#oldest + this.#count) % JUST_READ] = view;
    this.#count += 1;
    this.#justReadBytes += bytes;
    view.hold(object);
  }

  #dropOldest(): void {
    const view = this.#justRead[this.#oldest] as KeptView;
    this.#justRead[this.#oldest] = undefined;
    this.#oldest = (this.#oldest + 1) % JUST_READ;
    this.#count -= 1;
    this.#justReadBytes -= decodedBytes(view);
    // The object of a released view belongs to its readers.
    if (view.source instanceof Slab) view.hold(undefined);
  }
}

function decodedBytes({ sizeBytes }: KeptView): number {
  return sizeBytes * DECODED_SHARE;
}
