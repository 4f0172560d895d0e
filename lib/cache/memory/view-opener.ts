import { LRUCache } from 'lru-cache';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { Opener } from '../store/lister.ts';
import { DECODED_SHARE } from './decoded-objects.ts';
import { keptViewOf } from './views/kept-view.ts';

/**
 * Decodes views. A list that the store keeps is decoded once if its objects stay decoded anyway, or if the decoded lists are
 * within a budget.
 */
export class ViewOpener<T extends KubernetesObject> implements Opener<ObjectView<T>, T> {
  readonly #opened = new WeakMap<readonly ObjectView<T>[], readonly T[]>();
  readonly #within: LRUCache<readonly ObjectView<T>[], readonly T[]> | undefined;
  readonly #budgetBytes: number;

  /** `budgetBytes`: what lists of views over bytes may keep decoded; without it such objects stay decoded in any case. */
  constructor(budgetBytes: number = Infinity) {
    this.#budgetBytes = budgetBytes;
    if (budgetBytes > 0 && budgetBytes < Infinity) {
      this.#within = new LRUCache({ maxSize: Math.ceil(budgetBytes) });
    }
  }

  one(view: ObjectView<T>): T {
    return view.object;
  }

  many(views: readonly ObjectView<T>[]): readonly T[] {
    return this.#opened.get(views) ?? this.#within?.get(views) ?? this.#open(views);
  }

  #open(views: readonly ObjectView<T>[]): readonly T[] {
    const objects = Object.freeze(views.map(({ object }) => object));
    const bytes = this.#budgetBytes === Infinity ? 0 : decodedBytesOf(views);
    if (bytes === 0) this.#opened.set(views, objects);
    else if (bytes <= this.#budgetBytes) this.#within?.set(views, objects, { size: bytes });
    return objects;
  }
}

/** The memory of the objects that would otherwise not stay decoded. */
function decodedBytesOf(views: readonly ObjectView[]): number {
  let bytes = 0;
  for (const view of views) bytes += keptViewOf(view) === undefined ? 0 : (view.sizeBytes ?? 0);
  return bytes * DECODED_SHARE;
}
