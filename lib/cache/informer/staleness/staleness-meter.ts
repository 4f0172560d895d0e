import { sleep } from '../../../kernel/time/wait.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { InformerInspection } from '../observe/informer-inspection.ts';
import type { ListerWatcher } from '../../reflector/contract/lister-watcher.ts';
import { hasReached } from './catch-up.ts';
import type { FollowedCache } from './followed-cache.ts';
import { laterChanges, presentVersion } from './present-version.ts';

/** A change that was on its way when the server was asked is in the cache after this time, milliseconds. */
const ON_ITS_WAY_MS = 1000;

/** Changes that the server has and the cache lacks. */
interface Lacking {
  /** The version of the newest of them. */
  readonly version: string;
  /** When the first of them was at the server, at the latest. */
  readonly sinceMs: number;
}

/**
 * How far a cache is behind its server. At each interval it asks for the version of the server with a list of one item; if the cache does
 * not reach that within a second, a watch of three seconds beside the own one says what is missing. An event costs nothing.
 */
export class StalenessMeter {
  readonly #cache: FollowedCache;
  #asked = false;
  #lacking: Lacking | undefined;

  constructor(cache: FollowedCache) {
    this.#cache = cache;
  }

  /** Undefined before the first answer. */
  inspect(): InformerInspection['staleness'] {
    if (!this.#asked) return undefined;
    const cache = this.#cache;
    const lacking = this.#lacking;
    if (lacking === undefined || hasReached(cache, lacking.version)) {
      return { revisions: 0, ms: 0 };
    }
    const revisions = Number(BigInt(lacking.version) - BigInt(cache.reached));
    return { revisions, ms: cache.runtime.monotonicMs() - lacking.sinceMs };
  }

  /** Asks at each interval until the signal aborts. Never rejects. */
  async run(intervalMs: number, signal: AbortSignal): Promise<void> {
    const { runtime, source } = this.#cache;
    if (source === undefined) return;
    try {
      await this.#cache.whenSynced(signal);
      for (;;) {
        await this.#measure(source, signal);
        await sleep(runtime, intervalMs, { signal, background: true });
      }
    } catch {
      // It has ended, as has its informer.
    }
  }

  /** A server that cannot be asked leaves the figures as they are. */
  async #measure(source: ListerWatcher<HasMetadata>, signal: AbortSignal): Promise<void> {
    if (source.supports?.gate?.waitingFor !== undefined) return;
    try {
      const { runtime } = this.#cache;
      const version = await presentVersion(this.#cache, source, signal);
      const atMs = runtime.monotonicMs();
      if (!hasReached(this.#cache, version)) {
        await sleep(runtime, ON_ITS_WAY_MS, { signal, background: true });
      }
      const missing = await this.#missing(source, version, signal);
      if (missing !== undefined) this.#note(missing, atMs);
      this.#asked = true;
    } catch {
      signal.throwIfAborted();
    }
  }

  /** The version of the newest change that the cache lacks; empty if it lacks none, undefined if the server does not say. */
  async #missing(
    source: ListerWatcher<HasMetadata>,
    version: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const cache = this.#cache;
    if (hasReached(cache, version)) return '';
    if (!cache.hasOneWatch) return version;
    const changes = await laterChanges(cache, source, version, signal);
    const { newest = '', isCertain = false } = changes ?? {};
    return newest === '' && !isCertain ? undefined : newest;
  }

  #note(version: string, atMs: number): void {
    const before = this.#lacking;
    if (version === '' || hasReached(this.#cache, version)) {
      this.#lacking = undefined;
      return;
    }
    const goesOn = before !== undefined && !hasReached(this.#cache, before.version);
    this.#lacking = { version, sinceMs: goesOn ? before.sinceMs : atMs };
  }
}
