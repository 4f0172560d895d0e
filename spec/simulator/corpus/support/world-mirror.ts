import type { ApiResource } from '../../../../lib/client/rest/discovery/api-resource.ts';
import type { Runtime } from '../../../../lib/kernel/time/runtime.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import type { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { prefixEnd } from '../../../../lib/server/mvcc/contract/key-value-store.ts';
import type { ClusterState } from '../../../../lib/simulator/contract/world.ts';

const OBJECTS = '/registry/';

/** The objects of a store, as they are after each write. */
export class WorldMirror {
  /** After each revision. */
  onWrite: ((state: ClusterState) => void) | undefined;
  lastWriteMs = 0;
  readonly #store: EmbeddedKeyValueStore;
  readonly #runtime: Runtime;
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #kinds = new Map<string, string>();
  #revision = 0n;

  constructor(store: EmbeddedKeyValueStore, runtime: Runtime) {
    this.#store = store;
    this.#runtime = runtime;
  }

  /** Which kind a resource is of; the store has kinds. */
  learn(resources: readonly ApiResource[]): void {
    for (const { apiVersion, resource, kind } of resources)
      this.#kinds.set(`${apiVersion} ${resource}`, kind);
  }

  /** Follows the store until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    const rangeEnd = prefixEnd(OBJECTS);
    const { items, revision } = await this.#store.range({ key: OBJECTS, rangeEnd });
    for (const { key, value } of items) this.#put(key, value);
    this.#revision = revision;
    const startRevision = revision + 1n;
    const watch = await this.#store.watch({ key: OBJECTS, rangeEnd, startRevision, signal });
    void this.#read(watch);
  }

  get state(): ClusterState {
    const objects = [...this.#objects.values()];
    const kindOf = (apiVersion: string, resource: string): string => {
      const kind = this.#kinds.get(`${apiVersion} ${resource}`);
      if (kind === undefined) throw new Error(`no resource ${resource} in ${apiVersion}`);
      return kind;
    };
    const list = (
      apiVersion: string,
      resource: string,
      namespace?: string,
    ): readonly KubernetesObject[] => {
      const kind = kindOf(apiVersion, resource);
      return objects
        .filter((one) => one.kind === kind && one.apiVersion === apiVersion)
        .filter(({ metadata }) => namespace === undefined || metadata?.namespace === namespace)
        .toSorted((one, other) => keyOf(one).localeCompare(keyOf(other)));
    };
    const get = (apiVersion: string, resource: string, name: string, namespace?: string) =>
      list(apiVersion, resource, namespace).find(({ metadata }) => metadata?.name === name);
    return {
      get,
      list,
      resourceVersion: String(this.#revision),
      elapsedMs: this.#runtime.monotonicMs(),
    };
  }

  /** Each object as a line, without what differs from run to run: identifiers, versions, times, drawn names. */
  lines(leaveOut: ReadonlySet<string>): readonly string[] {
    const objects = [...this.#objects.values()].filter(
      ({ kind = '', metadata }) => !leaveOut.has(kind) && metadata?.uid !== undefined,
    );
    const drawn = new Map<string, string>();
    for (const { kind, metadata } of objects) {
      const { name = '', generateName, uid = '' } = metadata ?? {};
      const known = generateName === undefined ? name : `${generateName}*`;
      if (uid !== '') drawn.set(uid, `(uid of ${kind} ${known})`);
      if (generateName !== undefined) drawn.set(name, known);
    }
    return objects.map((object) => masked(object, drawn)).toSorted();
  }

  async #read(watch: Awaited<ReturnType<EmbeddedKeyValueStore['watch']>>): Promise<void> {
    for await (const batch of watch) {
      for (const message of batch) {
        if (message.type !== 'event') continue;
        const { type, kv } = message.event;
        if (type === 'put') this.#put(kv.key, kv.value);
        else this.#objects.delete(kv.key);
        if (kv.modRevision > this.#revision) this.#revision = kv.modRevision;
        const isLease = this.#objects.get(kv.key)?.kind === 'Lease';
        if (!isLease) this.lastWriteMs = this.#runtime.monotonicMs();
        this.onWrite?.(this.state);
      }
    }
  }

  #put(key: string, value: Uint8Array): void {
    const object = JSON.parse(new TextDecoder().decode(value)) as KubernetesObject;
    this.#objects.set(key, Object.freeze(object));
  }
}

function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name}`;
}

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

function masked(object: KubernetesObject, drawn: ReadonlyMap<string, string>): string {
  const { resourceVersion: _version, uid: _uid, ...metadata } = object.metadata ?? {};
  const plain = { ...object, metadata: { ...metadata, managedFields: undefined } };
  // Finalizers are how some fixes hold an object.
  const sorted = (key: string, value: unknown): unknown => {
    if (key === 'finalizers') return undefined;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : value;
  };
  let text = JSON.stringify(plain, sorted);
  for (const [found, known] of drawn) text = text.replaceAll(found, known);
  return text.replaceAll(UUID, '(a uid)').replaceAll(TIME, '(a time)');
}
