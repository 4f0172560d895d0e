import { isNewer } from '../../../meta/versions/version-order.ts';

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
