import { LRUCache } from 'lru-cache';

/** Writes whose events may still come. A forgotten one costs one reconcile that changes nothing. */
const KEPT = 10_000;

/** The versions that one controller has written, so that it can tell its own changes from those of others. */
export class OwnWritesLog {
  readonly #versions = new LRUCache<string, string>({ max: KEPT });

  written(resource: string, key: string, resourceVersion: string | undefined): void {
    if (resourceVersion !== undefined) this.#versions.set(`${resource}/${key}`, resourceVersion);
  }

  /** Whether this is exactly the state that the last own write made. */
  wrote(resource: string, key: string, resourceVersion: string | undefined): boolean {
    if (this.#versions.size === 0 || resourceVersion === undefined) return false;
    return this.#versions.get(`${resource}/${key}`) === resourceVersion;
  }
}
