import { LRUCache } from 'lru-cache';
import { deriveAbort } from '../../../kernel/time/abort.ts';
import { deferred } from '../../../kernel/time/latch.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { apiVersionOf } from '../../../meta/resource.ts';
import {
  readGroupDiscovery,
  readGroups,
  readResources,
  type ServedGroup,
  type ServedResource,
} from './read-discovery.ts';

/** Asks for a discovery document. Resolves to undefined if the server answers 404, and rejects if it gives no usable answer. */
export type LookUp = (path: string, accept: string, signal: AbortSignal) => Promise<unknown>;

/** A failure does not wait longer for its explanation, milliseconds. */
const LONGEST_LOOK_MS = 1000;
/** An answer, or the lack of one, is used again for this time, milliseconds. */
const KEPT_MS = 30_000;
const MOST_KEPT = 64;

const JSON_TYPE = 'application/json';
const GROUPS_TYPE = `application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,${JSON_TYPE}`;

interface Kept {
  readonly atMs: number;
  readonly answer: Promise<unknown>;
}

/**
 * The resources of a server, as far as they can be read within a second, to explain a refusal.
 *
 * Guarantees: it never rejects; each document is requested at most once in 30 seconds, also if the request fails; a failure of
 * its own requests is not explained.
 */
export class DiscoveryLookUp {
  readonly #lookUp: LookUp;
  readonly #runtime: Runtime;
  /** Made for the first refusal: it allocates memory for all of its entries. */
  #made: LRUCache<string, Kept> | undefined;

  constructor({ lookUp, runtime }: { readonly lookUp: LookUp; readonly runtime: Runtime }) {
    this.#lookUp = lookUp;
    this.#runtime = runtime;
  }

  get #kept(): LRUCache<string, Kept> {
    return (this.#made ??= new LRUCache({ max: MOST_KEPT }));
  }

  /** The resources of an API version; `absent` if the server does not serve it, undefined if that is not known. */
  async of(
    group: string,
    version: string,
  ): Promise<readonly ServedResource[] | 'absent' | undefined> {
    const place = apiVersionOf({ group, version });
    const document = await this.#read(group === '' ? `/api/${place}` : `/apis/${place}`, JSON_TYPE);
    if (document === 'absent') return 'absent';
    return readResources(document);
  }

  /** All groups with their versions and, if the server lists them in one answer, the resources. Undefined if not known. */
  async groups(): Promise<readonly ServedGroup[] | undefined> {
    const [core, named] = await Promise.all([
      this.#read('/api', GROUPS_TYPE),
      this.#read('/apis', GROUPS_TYPE),
    ]);
    if (core === undefined || named === undefined) return undefined;
    const all = [core, named].flatMap((one) => readGroupDiscovery(one) ?? readGroups(one) ?? []);
    return all.length === 0 ? undefined : all;
  }

  /** Whether the server lacks a document that every API server has. */
  async lacksApi(): Promise<boolean> {
    return (await this.#read('/api', GROUPS_TYPE)) === 'absent';
  }

  /** A document; `absent` for a 404, undefined if there was no usable answer in time. */
  async #read(path: string, accept: string): Promise<unknown> {
    const nowMs = this.#runtime.monotonicMs();
    const kept = this.#kept.get(path);
    if (kept !== undefined && nowMs - kept.atMs < KEPT_MS) return await kept.answer;
    const answer = this.#request(path, accept);
    this.#kept.set(path, { atMs: nowMs, answer });
    return await answer;
  }

  async #request(path: string, accept: string): Promise<unknown> {
    const abort = deriveAbort();
    const late = deferred<undefined>();
    const timer = this.#runtime.setTimer(
      LONGEST_LOOK_MS,
      () => {
        late.resolve(undefined);
        abort.abort(new Error('no answer in time'));
      },
      { background: true },
    );
    try {
      const asked = this.#lookUp(path, accept, abort.signal).then((found) => found ?? 'absent');
      return await Promise.race([asked, late.promise]);
    } catch {
      // The failure that is to be explained is the one that the caller gets.
      return undefined;
    } finally {
      timer.cancel();
      abort.destroy();
    }
  }
}
