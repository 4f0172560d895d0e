import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectEvent } from '../../../meta/watch-event.ts';
import type {
  AttributesFunc,
  ObjectAttributes,
  SelectionPredicate,
} from '../../storage/contract/selection-predicate.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import type { Keyed } from './ordered-store.ts';

/**
 * One version of one object in the watch cache, with what is derived from it on demand and shared by all watchers: its
 * attributes, and its ADDED event.
 */
export class StoreElement<T extends KubernetesObject> implements Keyed {
  readonly stored: StoredObject<T>;
  #attributesOf: AttributesFunc<T> | undefined;
  #attributes: ObjectAttributes | undefined;
  #added: ObjectEvent<StoredObject<T>> | undefined;

  constructor(stored: StoredObject<T>) {
    this.stored = stored;
  }

  get key(): string {
    return this.stored.key;
  }

  /** The object as an ADDED event, the same for all readers. */
  get added(): ObjectEvent<StoredObject<T>> {
    this.#added ??= { type: 'ADDED', object: this.stored };
    return this.#added;
  }

  /** The attributes that selectors read. Computed once as long as callers bring the same function, as those of one resource do. */
  attributes(attributesOf: AttributesFunc<T>): ObjectAttributes {
    if (this.#attributes === undefined || this.#attributesOf !== attributesOf) {
      this.#attributes = attributesOf(this.stored.object);
      this.#attributesOf = attributesOf;
    }
    return this.#attributes;
  }

  /** Whether the predicate lets the object through; left out, everything passes. */
  matches(predicate: SelectionPredicate<T> | undefined): boolean {
    if (predicate === undefined) return true;
    const { labels, fields } = this.attributes(predicate.attributesOf);
    return predicate.labels.matches(labels) && predicate.fields.matches(fields);
  }
}
