import { joinedKey } from '../../meta/key.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { identityOf, type ObjectView } from '../../meta/object-view.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import type { ReplayAudience } from './play-recording.ts';

/** The collection as a replay has delivered it so far. */
export class ReplayState<T extends KubernetesObject> {
  #objects = new Map<string, ObjectView<T>>();
  /** The content of a list that is not complete. */
  #coming: Map<string, ObjectView<T>> | undefined;
  resourceVersion = '';

  get objects(): readonly ObjectView<T>[] {
    return [...this.#objects.values()];
  }

  get(key: string): ObjectView<T> | undefined {
    return this.#objects.get(key);
  }

  /** Follows what an audience gets, before it gets it. */
  before(audience: ReplayAudience<T>): ReplayAudience<T> {
    return {
      expect: () => audience.expect(),
      listed: (items, resourceVersion) => {
        this.beginList();
        this.take(items);
        this.endList(resourceVersion);
        audience.listed(items, resourceVersion);
      },
      changed: (batch) => {
        this.apply(batch);
        audience.changed(batch);
      },
      ended: (error) => audience.ended(error),
      refuse: (error) => audience.refuse(error),
    };
  }

  /** A list begins, with its first page or as a stream. */
  beginList(): void {
    this.#coming = new Map();
  }

  take(items: readonly ObjectView<T>[]): void {
    this.#coming ??= new Map();
    for (const item of items) this.#coming.set(keyOf(item), item);
  }

  endList(resourceVersion: string): void {
    this.#objects = this.#coming ?? new Map();
    this.#coming = undefined;
    this.resourceVersion = resourceVersion;
  }

  apply(batch: readonly WatchEvent<ObjectView<T>>[]): void {
    for (const event of batch) {
      if (event.type === 'BOOKMARK') {
        if (event.initialEventsEnd) this.endList(event.resourceVersion);
        else if (this.#coming === undefined) this.resourceVersion = event.resourceVersion;
        continue;
      }
      const objects = this.#coming ?? this.#objects;
      if (event.type === 'DELETED') objects.delete(keyOf(event.object));
      else objects.set(keyOf(event.object), event.object);
      const { resourceVersion } = identityOf(event.object);
      if (this.#coming === undefined)
        this.resourceVersion = resourceVersion ?? this.resourceVersion;
    }
  }
}

function keyOf(view: ObjectView): string {
  const { name = '', namespace } = identityOf(view);
  return joinedKey(name, namespace);
}
