import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { deepFreeze } from './deep-freeze.ts';

/**
 * A view whose object is frozen when it is decoded, for development: a handler that modifies what it was given fails with a
 * `TypeError` on the line that does it. Objects that nobody looks at cost nothing.
 */
export class FrozenView<T extends KubernetesObject> implements ObjectView<T> {
  readonly #view: ObjectView<T>;

  constructor(view: ObjectView<T>) {
    this.#view = view;
  }

  get metadata(): ObjectMeta {
    return deepFreeze(this.#view.metadata);
  }

  get object(): T {
    return deepFreeze(this.#view.object);
  }

  get sizeBytes(): number | undefined {
    return this.#view.sizeBytes;
  }
}
