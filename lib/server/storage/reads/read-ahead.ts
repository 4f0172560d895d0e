import type { KubernetesObject } from '../../../meta/object.ts';
import type { KeyValue, Revision } from '../../mvcc/contract/key-value-store.ts';
import type { ObjectAccess, ObjectState } from './object-access.ts';

/** Number of values transformed at the same time (etcd3/watcher.go processEventConcurrency @ 24a394e). */
const AT_A_TIME = 10;

/** A value to be read, and the resource version that its object gets; left out: its own revision. */
export interface PendingRead {
  readonly kv: KeyValue;
  readonly revision?: Revision | undefined;
}

type Reading<T extends KubernetesObject> = ObjectState<T> | Promise<ObjectState<T>>;

/**
 * Reads values in order. While the reader waits for one value, the following ones are read too, so that a transformer that calls
 * a key service does not cost one waiting time for each value. With a synchronous transformer nothing is read ahead.
 */
export class ReadAhead<T extends KubernetesObject> {
  readonly #access: ObjectAccess<T>;
  readonly #values: readonly PendingRead[];
  readonly #underWay: Promise<ObjectState<T>>[] = [];
  #next = 0;

  constructor(access: ObjectAccess<T>, values: readonly PendingRead[]) {
    this.#access = access;
    this.#values = values;
  }

  /** The next object; call it once for each value. @throws {StorageError} CORRUPT_OBJECT; the next call continues after it. */
  read(): Reading<T> {
    const reading = this.#underWay.shift() ?? this.#start();
    if (!(reading instanceof Promise)) return reading;
    while (this.#underWay.length < AT_A_TIME - 1 && this.#next < this.#values.length) {
      const ahead = this.#startSafely();
      // The reader that takes this promise gets the failure; possibly no reader takes it.
      ahead.catch(() => {});
      this.#underWay.push(ahead);
    }
    return reading;
  }

  #start(): Reading<T> {
    const { kv, revision } = this.#values[this.#next] as PendingRead;
    this.#next += 1;
    return this.#access.stateOf(kv, revision);
  }

  async #startSafely(): Promise<ObjectState<T>> {
    return await this.#start();
  }
}
