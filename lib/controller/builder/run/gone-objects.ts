import { LRUCache } from 'lru-cache';
import { splitMetaNamespaceKey } from '../../../meta/key.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { ObjectChange } from '../../change/object-change.ts';

/** Own deletions whose events are awaited. A forgotten one costs a call of `whenGone` without the object. */
const ANNOUNCED = 1_000;

/** An object that is not there. */
export interface GoneObject<T extends KubernetesObject = KubernetesObject> {
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** Undefined when the controller has not seen such an object: its key came from a mapping, or from the program. */
  readonly uid: string | undefined;
  /** The last state that was seen. */
  readonly object: Stored<T> | undefined;
}

/**
 * Deleted objects whose `whenGone` has not run, by key. As large as the number of deletions that wait for their run: what has no further
 * run is forgotten. Several of one key are an object that was deleted and created again before the run.
 */
export class GoneObjects<T extends KubernetesObject> {
  #waiting: Map<string, GoneObject<T>[]> | undefined;
  /** Keys of objects that the controller has deleted itself, whose event has not come. */
  #announced: LRUCache<string, true> | undefined;

  get size(): number {
    return this.#waiting?.size ?? 0;
  }

  /** A deletion of the controller itself: its event brings the object. */
  announce(key: string): void {
    this.#announced ??= new LRUCache({ max: ANNOUNCED });
    this.#announced.set(key, true);
  }

  add({ key, object }: ObjectChange<T>): void {
    this.#announced?.delete(key);
    const gone = { ...namesOf(key), uid: object.metadata.uid, object };
    const waiting = (this.#waiting ??= new Map());
    const others = waiting.get(key);
    if (others === undefined) waiting.set(key, [gone]);
    else others.push(gone);
  }

  /** The gone objects of a key, the oldest first; `present` is the object that is there now. */
  of(key: string, present: Stored<T> | undefined): readonly GoneObject<T>[] {
    const waiting = this.#waiting?.get(key) ?? [];
    if (present !== undefined) return waiting.filter(({ uid }) => uid !== present.metadata.uid);
    if (waiting.length > 0) return [...waiting];
    if (this.#announced?.has(key) === true) return [];
    return [{ ...namesOf(key), uid: undefined, object: undefined }];
  }

  /** One of them is done with. */
  forget({ key, uid }: GoneObject<T>): void {
    const left = (this.#waiting?.get(key) ?? []).filter((one) => one.uid !== uid);
    if (left.length === 0) this.#waiting?.delete(key);
    else this.#waiting?.set(key, left);
  }

  /** The key is not one of the controller any more. */
  forgetKey(key: string): void {
    this.#waiting?.delete(key);
  }

  /** The same for some keys. */
  leave(covers: (key: string) => boolean): void {
    for (const key of this.#waiting?.keys() ?? []) if (covers(key)) this.#waiting?.delete(key);
  }
}

function namesOf(key: string): Pick<GoneObject, 'key' | 'name' | 'namespace'> {
  const { namespace, name } = splitMetaNamespaceKey(key);
  return { key, name, namespace: namespace === '' ? undefined : namespace };
}
