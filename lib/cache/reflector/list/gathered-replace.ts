import type { KeyFunc } from '../../../meta/key.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { ObjectEvent, WatchEvent } from '../../../meta/watch-event.ts';
import type { ReflectorSink, StagedReplace } from '../contract/reflector-sink.ts';

export interface GatheredReplaceOptions<V extends HasMetadata> {
  readonly sink: Pick<ReflectorSink<V>, 'replace'>;
  /** Tells objects apart when they come as events. */
  readonly keyFunc: KeyFunc;
}

/**
 * Gathers a list for a sink that takes it as a whole.
 *
 * Guarantees: items go over as they came, all of them; the objects of events in the order in which they first came, those
 * without a key behind them.
 */
export class GatheredReplace<V extends HasMetadata> implements StagedReplace<V> {
  readonly #options: GatheredReplaceOptions<V>;
  /** As they came; behind events, those without a key: the sink knows how to complain about them. */
  #items: V[] = [];
  /** Once there were events. */
  #byKey: Map<string, V> | undefined;

  constructor(options: GatheredReplaceOptions<V>) {
    this.#options = options;
  }

  add(items: readonly V[]): void {
    if (this.#byKey === undefined) for (const item of items) this.#items.push(item);
    else for (const item of items) this.#put('ADDED', item, this.#byKey);
  }

  apply(events: readonly WatchEvent<V>[]): void {
    const byKey = this.#byKey ?? this.#tellApart();
    for (const event of events) {
      if (event.type !== 'BOOKMARK') this.#put(event.type, event.object, byKey);
    }
  }

  commit(resourceVersion: string): number {
    const items =
      this.#byKey === undefined ? this.#items : [...this.#byKey.values(), ...this.#items];
    this.discard();
    this.#options.sink.replace(items, resourceVersion);
    return items.length;
  }

  discard(): void {
    this.#items = [];
    this.#byKey = undefined;
  }

  #tellApart(): Map<string, V> {
    const items = this.#items;
    const byKey = new Map<string, V>();
    this.#items = [];
    this.#byKey = byKey;
    for (const item of items) this.#put('ADDED', item, byKey);
    return byKey;
  }

  #put(type: ObjectEvent<V>['type'], object: V, byKey: Map<string, V>): void {
    let key: string;
    try {
      key = this.#options.keyFunc(object);
    } catch {
      if (type !== 'DELETED') this.#items.push(object);
      return;
    }
    if (type === 'DELETED') byKey.delete(key);
    else byKey.set(key, object);
  }
}
