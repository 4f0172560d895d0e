import { deriveAbort, type DerivedAbort } from '../../../kernel/time/abort.ts';
import { Latch } from '../../../kernel/time/latch.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { DeltaFIFO } from '../../delta/delta-fifo.ts';
import type { ReflectorSink } from '../../reflector/contract/reflector-sink.ts';
import type { Reflector } from '../../reflector/reflector.ts';
import type { ReflectorStateName } from '../../reflector/table/reflector-state.ts';
import type { NamespaceSet } from '../../informer/options/namespace-set.ts';
import { NamespaceSink, scopeOf } from './namespace-sink.ts';
import { isNewer } from '../../../meta/versions/version-order.ts';

/** One namespace of an informer at one moment. */
export interface NamespaceInspection {
  readonly namespace: string;
  readonly reflector: ReflectorStateName;
  /** A watch is open. */
  readonly connected: boolean;
  /** Its first list is in the cache. */
  readonly synced: boolean;
  /** The newest resource version received. */
  readonly lastSyncResourceVersion: string;
}

export interface NamespaceReflectorsOptions<V extends HasMetadata> {
  readonly namespaces: NamespaceSet;
  readonly fifo: DeltaFIFO<V>;
  readonly reflectorOf: (namespace: string, sink: ReflectorSink<V>) => Reflector<V>;
  /** Called when a list, or events, have come. */
  readonly onArrival: () => void;
  /** Starts the resyncs of the informer; returns what stops them. */
  readonly startResync: () => () => void;
}

/** Namespaces in a message. */
const MOST_NAMED = 5;

/** A namespace that is followed. */
interface Followed<V extends HasMetadata> {
  readonly reflector: Reflector<V>;
  readonly sink: NamespaceSink<V>;
  readonly abort: DerivedAbort;
  readonly synced: Latch;
  readonly running: Promise<void>;
}

/**
 * The reflectors of an informer of several namespaces: one each.
 *
 * Guarantees: a namespace that fails does not stop the others. The queue gets a bookmark when every namespace has reached a
 * resource version.
 */
export class NamespaceReflectors<V extends HasMetadata> {
  readonly #options: NamespaceReflectorsOptions<V>;
  readonly #followed = new Map<string, Followed<V>>();
  /** Runs that are ending. */
  readonly #ending = new Set<Promise<void>>();
  readonly #versions = new OldestVersion();
  #abort: DerivedAbort | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: NamespaceReflectorsOptions<V>) {
    this.#options = options;
  }

  /** The state of a namespace that is not watched; `watching` when all are. */
  get stateName(): ReflectorStateName {
    for (const { reflector } of this.#followed.values()) {
      if (reflector.state.name !== 'watching') return reflector.state.name;
    }
    return this.#abort === undefined ? 'idle' : 'watching';
  }

  get connected(): boolean {
    return [...this.#followed.values()].every(({ reflector }) => reflector.connected);
  }

  get waitingFor(): string | undefined {
    for (const { reflector } of this.#followed.values()) {
      if (reflector.waitingFor !== undefined) return reflector.waitingFor;
    }
    return undefined;
  }

  /** The namespaces that have no list yet, as text. */
  get missing(): string | undefined {
    const missing = [...this.#followed].filter(([, { synced }]) => !synced.isOpen);
    if (missing.length === 0) return undefined;
    const named = missing.slice(0, MOST_NAMED).map(([name]) => name);
    const more = missing.length > named.length ? `, and ${missing.length - named.length} more` : '';
    return `no list yet of the namespaces ${named.join(', ')}${more}`;
  }

  get lastSyncResourceVersion(): string {
    return this.#versions.value;
  }

  /** The newest version that was received of a namespace; empty before its first list. */
  versionOf(namespace: string): string {
    return this.#versions.of(namespace);
  }

  get staleEvents(): number {
    let sum = 0;
    for (const { reflector } of this.#followed.values()) sum += reflector.staleEvents;
    return sum;
  }

  /** Runs until the signal aborts, and resolves when all reflectors have ended. Rejects with the failure of one that gives up. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { fifo, namespaces, startResync } = this.#options;
    this.#abort = deriveAbort(signal);
    const stopResync = startResync();
    fifo.awaitScopes(namespaces.names.map(scopeOf));
    this.follow();
    this.#options.onArrival();
    try {
      await new Promise<void>((resolve) => {
        const ended = this.#abort?.signal;
        if (ended?.aborted === true) resolve();
        else ended?.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.all([...this.#followed.values()].map(({ running }) => running));
      await Promise.all(this.#ending);
    } finally {
      stopResync();
      this.#abort.destroy();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Begins to follow the namespaces that are new, and lets those go that are gone. Before `run` it does nothing. */
  follow(): void {
    if (this.#abort === undefined || this.#abort.signal.aborted) return;
    const { namespaces } = this.#options;
    for (const [name, one] of this.#followed) {
      if (!namespaces.has(name)) this.#leave(name, one);
    }
    const added = namespaces.names.filter((name) => !this.#followed.has(name));
    for (const name of added) this.#versions.reach(name, '');
    for (const name of added) this.#followed.set(name, this.#start(name, this.#abort.signal));
  }

  /** Latches that open when the first list of each namespace is in the cache. */
  get synced(): readonly Latch[] {
    return [...this.#followed.values()].map(({ synced }) => synced);
  }

  /** A list with this scope is in the cache. */
  applied(scope: string): void {
    for (const [name, { synced }] of this.#followed) {
      if (scopeOf(name) === scope && this.#versions.of(name) !== '') synced.open();
    }
  }

  inspect(): NamespaceInspection[] {
    return [...this.#followed].map(([namespace, { reflector, synced }]) => ({
      namespace,
      reflector: reflector.state.name,
      connected: reflector.connected,
      synced: synced.isOpen,
      lastSyncResourceVersion: reflector.lastSyncResourceVersion,
    }));
  }

  #start(namespace: string, signal: AbortSignal): Followed<V> {
    const { fifo, onArrival, reflectorOf } = this.#options;
    const abort = deriveAbort(signal);
    const sink = new NamespaceSink<V>({
      namespace,
      fifo,
      onArrival,
      onVersion: (version) => {
        this.#reached(namespace, version);
      },
    });
    const reflector = reflectorOf(namespace, sink);
    const running = reflector
      .run({ signal: abort.signal })
      .catch((error: unknown) => {
        this.#failure ??= { error };
        this.#abort?.abort(error);
      })
      .finally(() => {
        abort.destroy();
      });
    return { reflector, sink, abort, running, synced: new Latch(`first list of ${namespace}`) };
  }

  #leave(namespace: string, { abort, sink, running, synced }: Followed<V>): void {
    this.#followed.delete(namespace);
    sink.close();
    abort.abort();
    synced.open();
    this.#ending.add(running);
    void running.finally(() => this.#ending.delete(running));
    if (this.#versions.delete(namespace)) this.#bookmark();
    this.#options.onArrival();
  }

  #reached(namespace: string, version: string): void {
    if (this.#versions.reach(namespace, version)) this.#bookmark();
  }

  #bookmark(): void {
    const { fifo } = this.#options;
    const { value } = this.#versions;
    if (value !== '' && !fifo.closed) fifo.bookmark(value);
  }
}

/** The resource versions that several watches have reached, and the oldest of them, up to which every change has come. */
export class OldestVersion {
  readonly #versions = new Map<string, string>();
  #oldest = '';

  /** Empty while a watch has reached none, and when there is no watch. */
  get value(): string {
    return this.#oldest;
  }

  of(watch: string): string {
    return this.#versions.get(watch) ?? '';
  }

  /** Returns whether the oldest version has changed. An older version than before is taken: a server may go back. */
  reach(watch: string, version: string): boolean {
    const before = this.#versions.get(watch);
    this.#versions.set(watch, version);
    // Only the watch that was last can let the others through; one that goes back becomes the last.
    if (before !== undefined && before !== this.#oldest && isNewer(version, before)) return false;
    return this.#settle();
  }

  delete(watch: string): boolean {
    return this.#versions.delete(watch) && this.#settle();
  }

  #settle(): boolean {
    const before = this.#oldest;
    let oldest: string | undefined;
    for (const version of this.#versions.values()) {
      if (oldest === undefined || isNewer(oldest, version)) oldest = version;
    }
    this.#oldest = oldest ?? '';
    return this.#oldest !== before;
  }
}
