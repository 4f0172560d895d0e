import { LRUCache } from 'lru-cache';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import {
  compareResourceVersions,
  isResourceVersion,
} from '../../meta/versions/resource-version.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';

export interface ExpectationsOptions {
  /** After this time an expectation counts as met: what was expected may never be seen, milliseconds. @defaultValue 300 000 */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of keys with expectations; those of the oldest are forgotten. @defaultValue 10 000 */
  readonly maxKeys?: number | undefined;
  readonly runtime?: Runtime | undefined;
}

const OPTIONS = optionsOf<ExpectationsOptions>()('Expectations', {
  timeoutMs: is.number({ min: 1 }).default(300_000),
  maxKeys: is.integer({ min: 1 }).default(10_000),
  runtime: is.object().default(realRuntime),
});

/** A write whose effect the cache does not show yet. */
export interface Expectation {
  readonly type: 'written' | 'deleted';
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string;
  /** Written: at least this version. */
  readonly resourceVersion: string;
}

interface Waiting extends Expectation {
  readonly untilMs: number;
}

/** Reads a cache: the object of a name, as it has it now. */
export type ReadExpected = (expectation: Expectation) => KubernetesObject | undefined;

/**
 * Writes of a key that a cache has to show before the key is reconciled again, so that nothing is created twice. By uid and version, and
 * with a time limit, so that a wrong count cannot block a key for ever.
 *
 * Not needed for writes with `context.resource(…)`: the caches of the controller show their answers at once. It is for writes with another
 * client, and for objects that are read from other caches.
 *
 * @example
 * const expected = new Expectations();
 * shops.reconcile(async ({ metadata }, { key, lister }) => {
 *   const pods = lister('v1', 'pods').namespace(metadata.namespace ?? '');
 *   if (expected.pending(key, ({ name }) => pods.get(name)).length > 0) return { requeueAfterMs: 1_000 };
 *   expected.written(key, await otherClient.create(podOf(metadata)));
 * });
 */
export class Expectations {
  readonly #runtime: Runtime;
  readonly #timeoutMs: number;
  readonly #waiting: LRUCache<string, readonly Waiting[]>;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: ExpectationsOptions = {}) {
    const { timeoutMs, maxKeys, runtime } = OPTIONS.read(options);
    this.#runtime = runtime;
    this.#timeoutMs = timeoutMs;
    this.#waiting = new LRUCache({ max: maxKeys });
  }

  /** The answer to a create, update or patch. */
  written(key: string, object: Stored<KubernetesObject>): void {
    this.#add(key, 'written', object);
  }

  /** The object was deleted; its answer, or the object as it was. */
  deleted(key: string, object: Stored<KubernetesObject>): void {
    this.#add(key, 'deleted', object);
  }

  /** The expectations of a key that the cache does not meet yet; the others are forgotten. */
  pending(key: string, read: ReadExpected): readonly Expectation[] {
    const nowMs = this.#runtime.monotonicMs();
    const left = (this.#waiting.get(key) ?? []).filter(
      (one) => one.untilMs > nowMs && !isMet(one, read(one)),
    );
    if (left.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, left);
    return left;
  }

  /** Forgets the expectations of a key, for example when its object is gone. */
  forget(key: string): void {
    this.#waiting.delete(key);
  }

  /** A later write of an object takes the place of an earlier one. */
  #add(key: string, type: Expectation['type'], { metadata }: Stored<KubernetesObject>): void {
    const { name, namespace, uid, resourceVersion } = metadata;
    const untilMs = this.#runtime.monotonicMs() + this.#timeoutMs;
    const others = (this.#waiting.get(key) ?? []).filter((one) => one.uid !== uid);
    const one = { type, name, namespace, uid, resourceVersion, untilMs };
    this.#waiting.set(key, [...others, one]);
  }
}

/** An object that is gone, or another one of its name, has been written before that. */
function isMet(
  { type, uid, resourceVersion }: Expectation,
  found: KubernetesObject | undefined,
): boolean {
  const { uid: there, resourceVersion: version } = found?.metadata ?? {};
  if (type === 'deleted') return there !== uid || found?.metadata?.deletionTimestamp !== undefined;
  if (there === undefined) return false;
  // Versions of some aggregated APIs have no order; the object is there.
  if (there !== uid || !isResourceVersion(version) || !isResourceVersion(resourceVersion))
    return true;
  return compareResourceVersions(version, resourceVersion) >= 0;
}
