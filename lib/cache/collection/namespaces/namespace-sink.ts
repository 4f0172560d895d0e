import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf } from '../../../meta/object-view.ts';
import type { DeltaFIFO } from '../../delta/delta-fifo.ts';
import type { ReflectorSink, Relist } from '../../reflector/contract/reflector-sink.ts';
import type { ObjectEvent } from '../../../meta/watch-event.ts';

export interface NamespaceSinkOptions<V extends HasMetadata> {
  readonly namespace: string;
  readonly fifo: DeltaFIFO<V>;
  /** Called with each resource version that the namespace has reached. */
  readonly onVersion: (resourceVersion: string) => void;
  /** Called when a list, or events, have come. */
  readonly onArrival: () => void;
}

/** The start of the keys of the objects of a namespace. */
export function scopeOf(namespace: string): string {
  return `${namespace}/`;
}

/**
 * The sink of the reflector of one namespace: its lists replace the objects of the namespace, and no others.
 *
 * Guarantees: after `close`, nothing that the reflector still passes has an effect.
 */
export class NamespaceSink<V extends HasMetadata> implements ReflectorSink<V> {
  readonly #options: NamespaceSinkOptions<V>;
  #open = true;

  constructor(options: NamespaceSinkOptions<V>) {
    this.#options = options;
  }

  beginRelist(): Relist<V> {
    const { fifo, namespace, onVersion, onArrival } = this.#options;
    const relist = fifo.beginRelist(undefined, scopeOf(namespace));
    return {
      add: (items) => {
        if (this.#open) relist.add(items);
      },
      apply: (events) => {
        if (this.#open) relist.apply(events);
      },
      commit: (resourceVersion) => {
        if (!this.#open) return 0;
        const size = relist.commit(resourceVersion);
        onVersion(resourceVersion);
        onArrival();
        return size;
      },
      discard: () => {
        if (this.#open) relist.discard();
      },
    };
  }

  apply(events: readonly ObjectEvent<V>[]): void {
    if (!this.#open) return;
    const { fifo, onVersion, onArrival } = this.#options;
    fifo.apply(events);
    const last = events.at(-1);
    const version = last === undefined ? undefined : identityOf(last.object).resourceVersion;
    if (version !== undefined) onVersion(version);
    onArrival();
  }

  bookmark(resourceVersion: string): void {
    if (!this.#open) return;
    this.#options.onVersion(resourceVersion);
    this.#options.onArrival();
  }

  waitForRoom(): Promise<void> | undefined {
    return this.#open ? this.#options.fifo.waitForRoom() : undefined;
  }

  /** The namespace is no longer followed: its objects leave the cache. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    const { fifo, namespace } = this.#options;
    if (!fifo.closed) fifo.beginRelist(undefined, scopeOf(namespace)).commit('');
  }
}
