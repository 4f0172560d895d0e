import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject, ObjectMeta } from '../../../lib/meta/object.ts';
import { parseFieldSelector } from '../../../lib/meta/selectors/field-selector.ts';
import { parseLabelSelector } from '../../../lib/meta/selectors/label-selector.ts';
import type { WatchEvent } from '../../../lib/meta/watch-event.ts';
import { Cacher } from '../../../lib/server/cacher/cacher.ts';
import type { CacherOptions } from '../../../lib/server/cacher/cacher-options.ts';
import {
  CacheWatcher,
  type CacheWatcherOptions,
} from '../../../lib/server/cacher/watchers/cache-watcher.ts';
import { OrderedStore } from '../../../lib/server/cacher/window/ordered-store.ts';
import { StoreElement } from '../../../lib/server/cacher/window/store-element.ts';
import { WatchCacheEvent } from '../../../lib/server/cacher/window/watch-cache-event.ts';
import { StateInterval } from '../../../lib/server/cacher/window/watch-cache-interval.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { KeyValueStorage } from '../../../lib/server/storage/key-value-storage.ts';
import type {
  ObjectAttributes,
  SelectionPredicate,
} from '../../../lib/server/storage/contract/selection-predicate.ts';
import type { StorageInterface } from '../../../lib/server/storage/contract/storage-interface.ts';
import type { StoredObject } from '../../../lib/server/storage/contract/stored-object.ts';

export const PREFIX = '/registry/pods/';

export interface Pod extends KubernetesObject {
  readonly spec?: { readonly nodeName?: string };
}

export function podKey(name: string, namespace: string = 'shop'): string {
  return `${PREFIX}${namespace}/${name}`;
}

export interface PodOptions {
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  readonly node?: string;
}

export function pod(name: string, { namespace = 'shop', labels, node }: PodOptions = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) },
    ...(node === undefined ? {} : { spec: { nodeName: node } }),
  };
}

export function attributesOf({ metadata, spec }: Pod): ObjectAttributes {
  return {
    labels: metadata?.labels,
    fields: {
      'metadata.name': metadata?.name ?? '',
      'metadata.namespace': metadata?.namespace ?? '',
      'spec.nodeName': spec?.nodeName ?? '',
    },
  };
}

export function selecting(labels: string, fields: string = ''): SelectionPredicate<Pod> {
  return {
    labels: parseLabelSelector(labels),
    fields: parseFieldSelector(fields),
    attributesOf,
  };
}

/** A stored object made by hand, that counts how often it is encoded. */
export class HandMadeObject implements StoredObject<Pod> {
  readonly key: string;
  readonly object: Pod;
  readonly resourceVersion: string;
  encodings = 0;

  constructor(object: Pod, resourceVersion: string | number) {
    this.resourceVersion = String(resourceVersion);
    this.object = {
      ...object,
      metadata: { ...object.metadata, resourceVersion: this.resourceVersion },
    };
    this.key = podKey(object.metadata?.name ?? '', object.metadata?.namespace);
  }

  get metadata(): ObjectMeta {
    return this.object.metadata ?? {};
  }

  get bytes(): Uint8Array {
    this.encodings += 1;
    return Buffer.from(JSON.stringify(this.object));
  }

  copy(): Pod {
    return structuredClone(this.object);
  }
}

export interface ChangeOptions {
  readonly from?: Pod;
  readonly to?: Pod;
  readonly atMs?: number;
}

/** A change at a revision: a creation without `from`, a deletion without `to`. */
export function change(
  revision: number,
  { from, to, atMs = 0 }: ChangeOptions,
): WatchCacheEvent<Pod> {
  const previous = from && new StoreElement(new HandMadeObject(from, revision - 1));
  const current = to && new StoreElement(new HandMadeObject(to, revision));
  const deleted = to === undefined && from ? new HandMadeObject(from, revision) : undefined;
  const key = (current ?? previous)?.key ?? '';
  return new WatchCacheEvent<Pod>({
    key,
    revision: BigInt(revision),
    resourceVersion: String(revision),
    current,
    previous,
    deleted,
    state: OrderedStore.of(current === undefined ? [] : [current]),
    recordedAtMs: atMs,
  });
}

export interface WatcherOptions extends Partial<CacheWatcherOptions<Pod>> {
  readonly initial?: readonly Pod[];
}

/** A watcher of everything, with an empty initial state at revision 0. */
export function watcherOf({ initial = [], ...options }: WatcherOptions = {}): CacheWatcher<Pod> {
  const scope = options.scope ?? { path: PREFIX, recursive: true };
  const state = OrderedStore.of(
    initial.map((one, index) => new StoreElement<Pod>(new HandMadeObject(one, index + 1))),
  );
  return new CacheWatcher<Pod>({
    id: 0,
    runtime: new VirtualRuntime(),
    scope,
    interval: new StateInterval(state, BigInt(initial.length), scope),
    startRevision: 0n,
    queueCapacity: 100,
    bookmarks: false,
    markInitialEventsEnd: false,
    onEnd: () => {},
    ...options,
  });
}

/** An event in one line: `ADDED shop/a @5`, `BOOKMARK @7 end`. */
export function line(event: WatchEvent<StoredObject<Pod>>): string {
  if (event.type === 'BOOKMARK') {
    return `BOOKMARK @${event.resourceVersion}${event.initialEventsEnd ? ' end' : ''}`;
  }
  const { key, resourceVersion } = event.object;
  return `${event.type} ${key.slice(PREFIX.length)} @${resourceVersion}`;
}

export type PodStream = AsyncIterable<readonly WatchEvent<StoredObject<Pod>>[]>;

/** Reads a watch in the background and keeps what comes. */
export class WatchRecorder {
  readonly events: WatchEvent<StoredObject<Pod>>[] = [];
  ended = false;
  error: unknown;
  readonly done: Promise<void>;

  constructor(watch: PodStream) {
    this.done = this.#read(watch);
  }

  get lines(): string[] {
    return this.events.map(line);
  }

  async #read(watch: PodStream): Promise<void> {
    try {
      for await (const batch of watch) this.events.push(...batch);
    } catch (error) {
      this.error = error;
    }
    this.ended = true;
  }
}

/** An embedded engine, the raw storage and a cacher over it, in virtual time. */
export class CacherHarness {
  readonly runtime: VirtualRuntime;
  readonly store: EmbeddedKeyValueStore;
  readonly raw: KeyValueStorage<Pod>;
  readonly cacher: Cacher<Pod>;

  constructor(
    options: Partial<CacherOptions<Pod>> = {},
    wrap: (raw: StorageInterface<Pod>) => StorageInterface<Pod> = asItIs,
    runtime: VirtualRuntime = new VirtualRuntime(),
  ) {
    this.runtime = runtime;
    this.store = new EmbeddedKeyValueStore({ runtime });
    this.raw = new KeyValueStorage<Pod>({ store: this.store, runtime, resourcePrefix: PREFIX });
    this.cacher = new Cacher<Pod>({
      storage: wrap(this.raw),
      resourcePrefix: PREFIX,
      runtime,
      ...options,
    });
  }

  async create(name: string, options?: PodOptions): Promise<string> {
    const object = pod(name, options);
    const { resourceVersion } = await this.raw.create(podKey(name, options?.namespace), object);
    return resourceVersion;
  }

  /** Replaces an object by one with these options. */
  async update(name: string, options: PodOptions = {}): Promise<string> {
    const key = podKey(name, options.namespace);
    const { resourceVersion } = await this.raw.guaranteedUpdate(key, ({ existing }) => ({
      object: {
        ...pod(name, options),
        metadata: { ...existing?.metadata, ...pod(name, options).metadata },
      },
    }));
    return resourceVersion;
  }

  async delete(name: string, namespace?: string): Promise<string> {
    return (await this.raw.delete(podKey(name, namespace))).resourceVersion;
  }

  /** Writes something of another resource, which moves the engine's revision on. */
  async writeElsewhere(): Promise<void> {
    await this.store.txn({
      compare: [],
      success: [{ type: 'put', key: '/registry/other/x', value: new Uint8Array([1]) }],
      failure: [],
    });
  }

  async record(
    options: Parameters<Cacher<Pod>['watch']>[1] = {},
    key: string = PREFIX,
  ): Promise<WatchRecorder> {
    return new WatchRecorder(await this.runtime.run(this.cacher.watch(key, options)));
  }

  async stop(): Promise<void> {
    await this.runtime.run(this.cacher.close());
    await this.store[Symbol.asyncDispose]();
  }
}

function asItIs(raw: StorageInterface<Pod>): StorageInterface<Pod> {
  return raw;
}

/** The raw storage, with some of its methods replaced. */
export function overriding(
  raw: StorageInterface<Pod>,
  overrides: Partial<StorageInterface<Pod>>,
): StorageInterface<Pod> {
  return new Proxy(raw, {
    get: (target, name): unknown => {
      if (Object.hasOwn(overrides, name)) return overrides[name as keyof StorageInterface<Pod>];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
