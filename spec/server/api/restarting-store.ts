import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import type {
  KeyValueWatch,
  KeyValueWatchRequest,
} from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { compactedError } from '../../../lib/server/mvcc/contract/revision-errors.ts';

/** A store that can behave as one that restarts and has lost its history: watches end, and cannot be taken up again. */
export class RestartingStore extends EmbeddedKeyValueStore {
  readonly #watches = new Map<KeyValueWatch, string>();
  readonly #refused = new Set<string>();

  override async watch(request: KeyValueWatchRequest): Promise<KeyValueWatch> {
    const { revision } = await this.status();
    if (this.#refused.delete(request.key)) throw compactedError(revision, revision + 1n);
    const watch = await super.watch(request);
    this.#watches.set(watch, request.key);
    return watch;
  }

  /** Each watcher has to read everything again. */
  restart(): void {
    for (const [watch, key] of this.#watches) {
      this.#refused.add(key);
      watch.destroy();
    }
    this.#watches.clear();
  }
}
