import { deepFreeze } from '../../kernel/data/deep-freeze.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectOf, OtherPlural, PluralOf } from '../../meta/object-types.ts';
import { groupResource, parseApiVersion } from '../../meta/resource.ts';
import type { KeyValue, KeyValueEvent } from '../../server/mvcc/contract/key-value-store.ts';
import type { ChangePoint } from '../contract/fault.ts';
import type { ClusterState } from '../contract/world.ts';
import { objectRefOf, type ObjectRef } from './stored-resources.ts';
import { withoutUids } from './uids.ts';

/** A committed change of one object. */
export interface Change {
  readonly ref: ObjectRef;
  readonly type: 'created' | 'changed' | 'deleted';
  readonly before: KeyValue | undefined;
  /** Undefined for a deletion. */
  readonly after: KeyValue | undefined;
  readonly revision: string;
  readonly atMs: number;
  /** The process that wrote, or `server`. */
  readonly writer: string;
  /** How many changes of this type the object had by then, this one included, since the start of the workload. */
  readonly occurrence: number;
  /** The number of steps of the workload that had begun. */
  readonly step: number;
}

const decoder = new TextDecoder();

interface Entry {
  readonly ref: ObjectRef;
  readonly kv: KeyValue;
}

/** The committed state of the server, and all changes that led to it. */
export class ClusterHistory implements ClusterState {
  readonly changes: Change[] = [];
  /** The number of steps of the workload that have begun. */
  step: number = 0;
  /** The objects of values, decoded once for all readers of a run. */
  readonly #decoded = new WeakMap<Uint8Array, KubernetesObject>();
  readonly #byResource = new Map<string, Map<string, Entry>>();
  readonly #occurrences = new Map<string, number>();
  readonly #elapsed: () => number;
  #revision: string;

  constructor(items: readonly KeyValue[], revision: string, elapsedMs: () => number) {
    this.#elapsed = elapsedMs;
    this.#revision = revision;
    for (const kv of items) {
      const ref = objectRefOf(kv.key);
      if (ref !== undefined) this.#entries(ref.resource).set(ref.object, { ref, kv });
    }
  }

  get resourceVersion(): string {
    return this.#revision;
  }

  get elapsedMs(): number {
    return this.#elapsed();
  }

  /** Adds the changes of one revision; returns those of objects. */
  commit(events: readonly KeyValueEvent[], writer: string): readonly Change[] {
    const added: Change[] = [];
    for (const { type, kv, previous } of events) {
      this.#revision = kv.modRevision.toString();
      const ref = objectRefOf(kv.key);
      if (ref === undefined) continue;
      const entries = this.#entries(ref.resource);
      const after = type === 'put' ? kv : undefined;
      if (after === undefined) entries.delete(ref.object);
      else entries.set(ref.object, { ref, kv: after });
      const kind = after === undefined ? 'deleted' : previous === undefined ? 'created' : 'changed';
      const change: Change = {
        ref,
        type: kind,
        before: previous,
        after,
        revision: this.#revision,
        atMs: this.#elapsed(),
        writer,
        occurrence: this.#count(ref, kind),
        step: this.step,
      };
      this.changes.push(change);
      added.push(change);
    }
    return added;
  }

  get<ApiVersion extends string, Resource extends PluralOf<object, ApiVersion>>(
    apiVersion: ApiVersion,
    resource: Resource,
    name: string,
    namespace?: string,
  ): ObjectOf<object, ApiVersion, Resource> | undefined;
  get<T extends KubernetesObject, Plural extends string = string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    name: string,
    namespace?: string,
  ): NoInfer<T> | undefined;
  get(
    apiVersion: string,
    resource: string,
    name: string,
    namespace: string = '',
  ): KubernetesObject | undefined {
    const object = namespace === '' ? name : `${namespace}/${name}`;
    const entry = this.#byResource.get(fullName(apiVersion, resource))?.get(object);
    return entry && deepFreeze(this.objectOf(entry.kv));
  }

  list<ApiVersion extends string, Resource extends PluralOf<object, ApiVersion>>(
    apiVersion: ApiVersion,
    resource: Resource,
    namespace?: string,
  ): readonly ObjectOf<object, ApiVersion, Resource>[];
  list<T extends KubernetesObject, Plural extends string = string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    namespace?: string,
  ): readonly NoInfer<T>[];
  list(apiVersion: string, resource: string, namespace?: string): readonly KubernetesObject[] {
    return [...(this.#byResource.get(fullName(apiVersion, resource))?.values() ?? [])]
      .filter(({ ref }) => namespace === undefined || ref.namespace === namespace)
      .toSorted((left, right) => compareRefs(left.ref, right.ref))
      .map(({ kv }) => deepFreeze(this.objectOf(kv)));
  }

  /** All present objects, by resource, namespace and name. */
  *objects(): IterableIterator<{ readonly ref: ObjectRef; readonly object: KubernetesObject }> {
    for (const resource of [...this.#byResource.keys()].toSorted()) {
      const entries = [...(this.#byResource.get(resource)?.values() ?? [])];
      for (const { ref, kv } of entries.toSorted((one, other) => compareRefs(one.ref, other.ref))) {
        yield { ref, object: this.objectOf(kv) };
      }
    }
  }

  /** The object of a stored value. It is shared, and must not be changed. */
  objectOf({ value, modRevision }: KeyValue): KubernetesObject {
    const known = this.#decoded.get(value);
    if (known !== undefined) return known;
    const object = JSON.parse(decoder.decode(value)) as KubernetesObject & {
      metadata?: { resourceVersion?: string };
    };
    // In place: a copy by spreading costs more than the parse.
    (object.metadata ??= {}).resourceVersion = modRevision.toString();
    this.#decoded.set(value, object);
    return object;
  }

  /** The stored state of an object. */
  stored(resource: string, object: string): KeyValue | undefined {
    return this.#byResource.get(resource)?.get(object)?.kv;
  }

  /** The present objects of a resource, in no order. */
  entries(resource: string): Iterable<{ readonly ref: ObjectRef; readonly kv: KeyValue }> {
    return this.#byResource.get(resource)?.values() ?? [];
  }

  /** The objects of a resource at a revision of this run, in no order. */
  at(
    resource: string,
    revision: bigint,
  ): Iterable<{ readonly ref: ObjectRef; readonly kv: KeyValue }> {
    const entries = new Map(this.#byResource.get(resource));
    for (const { ref, before, revision: later } of this.changes.toReversed()) {
      if (BigInt(later) <= revision) break;
      if (ref.resource !== resource) continue;
      if (before === undefined) entries.delete(ref.object);
      else entries.set(ref.object, { ref, kv: before });
    }
    return entries.values();
  }

  /** Whether a change is the one that a point names, by its count. */
  static matches(change: Change, point: ChangePoint): boolean {
    const { ref, type } = change;
    if (point.resource !== ref.resource || point.object !== withoutUids(ref.object)) return false;
    return point.change === undefined || point.change === type;
  }

  #entries(resource: string): Map<string, Entry> {
    let entries = this.#byResource.get(resource);
    if (entries === undefined) this.#byResource.set(resource, (entries = new Map()));
    return entries;
  }

  #count({ resource, object }: ObjectRef, type: string): number {
    const key = `${resource} ${withoutUids(object)} ${type}`;
    const count = (this.#occurrences.get(key) ?? 0) + 1;
    this.#occurrences.set(key, count);
    return count;
  }
}

function fullName(apiVersion: string, resource: string): string {
  return groupResource({ group: parseApiVersion(apiVersion).group, resource });
}

function compareRefs(one: ObjectRef, other: ObjectRef): number {
  if (one.namespace !== other.namespace) return one.namespace < other.namespace ? -1 : 1;
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}
