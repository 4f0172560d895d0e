import { RingBuffer } from '../kernel/data/ring-buffer.ts';
import { objectKey } from '../meta/key.ts';
import type { KubernetesObject } from '../meta/object.ts';
import { DecodedView, type ObjectView } from '../meta/object-view.ts';

/** One write of a collection. */
export interface ScriptedChange<T extends KubernetesObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: string;
  readonly version: bigint;
  readonly view: ObjectView<T>;
  readonly previous: ObjectView<T> | undefined;
}

export type ScriptedSnapshot<T extends KubernetesObject> = readonly (readonly [
  key: string,
  view: ObjectView<T>,
])[];

/** Objects by key with a bounded history, from which the state at a past version can be rebuilt. */
export class ScriptedCollection<T extends KubernetesObject> {
  readonly #objects: Map<string, ObjectView<T>> = new Map();
  readonly #history: RingBuffer<ScriptedChange<T>> = new RingBuffer();
  readonly #historySize: number;
  #snapshot: { readonly version: bigint; readonly entries: ScriptedSnapshot<T> } | undefined;
  #version: bigint;
  #compacted: bigint;

  constructor(startVersion: bigint, historySize: number) {
    this.#version = startVersion;
    this.#compacted = startVersion;
    this.#historySize = historySize;
  }

  /** The resource version of the last write. */
  get version(): bigint {
    return this.#version;
  }

  /** The oldest version from which a watch can start, and whose state can be listed. */
  get compacted(): bigint {
    return this.#compacted;
  }

  get(key: string): ObjectView<T> | undefined {
    return this.#objects.get(key);
  }

  /** Writes a change at the next version. */
  write(type: ScriptedChange<T>['type'], object: T): ScriptedChange<T> {
    const { namespace = '', name = '' } = object.metadata ?? {};
    const key = objectKey({ namespace, name });
    const previous = this.#objects.get(key);
    this.#version += 1n;
    const view = new DecodedView<T>({
      ...object,
      metadata: {
        ...object.metadata,
        uid: object.metadata?.uid ?? previous?.metadata.uid ?? `uid-${this.#version}`,
        resourceVersion: String(this.#version),
      },
    });
    if (type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, view);
    const change: ScriptedChange<T> = { type, key, version: this.#version, view, previous };
    this.#history.push(change);
    if (this.#history.size > this.#historySize) this.#forgetOldest();
    return change;
  }

  /** Increases the version without a write, as writes to other resources do. */
  skip(versions: bigint): void {
    this.#version += versions;
  }

  /** Drops the history up to `version`. */
  compact(version: bigint): void {
    while ((this.#history.peek()?.version ?? version + 1n) <= version) this.#forgetOldest();
    if (version > this.#compacted) this.#compacted = version;
  }

  /** The kept writes after `version`. */
  since(version: bigint): ScriptedChange<T>[] {
    return [...this.#history].filter((change) => change.version > version);
  }

  /** The state at `version`, in the order of the keys. The last result is cached for the next page. */
  at(version: bigint): ScriptedSnapshot<T> {
    if (this.#snapshot?.version !== version) {
      this.#snapshot = { version, entries: this.#stateAt(version) };
    }
    return this.#snapshot.entries;
  }

  #stateAt(version: bigint): ScriptedSnapshot<T> {
    const objects = new Map(this.#objects);
    for (const { key, previous } of this.since(version).toReversed()) {
      if (previous === undefined) objects.delete(key);
      else objects.set(key, previous);
    }
    return [...objects].toSorted(([left], [right]) => (left < right ? -1 : 1));
  }

  #forgetOldest(): void {
    const forgotten = this.#history.shift();
    if (forgotten !== undefined) this.#compacted = forgotten.version;
  }
}
