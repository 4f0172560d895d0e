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
 * One version of one object in the watch cache. It also keeps its attributes and its ADDED event, which are computed on demand
 * and shared by all watchers.
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

  /** The object as an ADDED event; all readers share it. */
  get added(): ObjectEvent<StoredObject<T>> {
    this.#added ??= { type: 'ADDED', object: this.stored };
    return this.#added;
  }

  /** The attributes that selectors read. They are cached for one function; all callers of one resource pass the same function. */
  attributes(attributesOf: AttributesFunc<T>): ObjectAttributes {
    if (this.#attributes === undefined || this.#attributesOf !== attributesOf) {
      this.#attributes = attributesOf(this.stored.object);
      this.#attributesOf = attributesOf;
    }
    return this.#attributes;
  }

  /** Whether the object matches the predicate; without a predicate, every object matches. */
  matches(predicate: SelectionPredicate<T> | undefined): boolean {
    if (predicate === undefined) return true;
    if (predicate.shards?.matches(this.stored.object.metadata) === false) return false;
    const { labels, fields } = this.attributes(predicate.attributesOf);
    return predicate.labels.matches(labels) && predicate.fields.matches(fields);
  }
}
