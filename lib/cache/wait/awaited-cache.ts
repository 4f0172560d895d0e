import type { KubernetesObject } from '../../meta/object.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { conditionText, holds } from './condition-sequence.ts';
import type { AwaitedState, Reached, WaitableCache } from './informer-wait.ts';

/** A state of the whole cache. */
export class AwaitedCache<T extends KubernetesObject> implements AwaitedState<T> {
  readonly skipsChanges = true;
  readonly #informer: Pick<WaitableCache<T>, 'name' | 'indexer'>;
  readonly #when: (cache: StoreReader<T>) => boolean | undefined;

  constructor(
    informer: Pick<WaitableCache<T>, 'name' | 'indexer'>,
    when: (cache: StoreReader<T>) => boolean | undefined,
  ) {
    this.#informer = informer;
    this.#when = when;
  }

  seen(): undefined {}

  lost(): void {}

  settled(): Reached<T> | undefined {
    return holds(this.#when, this.#informer.indexer) ? { object: undefined } : undefined;
  }

  describe(): string {
    const { name, indexer } = this.#informer;
    const place = `${indexer.size} objects at resource version ${indexer.resourceVersion || 'none'}`;
    return `the cache of ${name} to satisfy ${conditionText(this.#when)}; it has ${place}`;
  }
}
