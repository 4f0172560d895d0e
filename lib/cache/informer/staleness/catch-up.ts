import { deriveAbort } from '../../../kernel/time/abort.ts';
import { sleep } from '../../../kernel/time/wait.ts';
import { isNewer } from '../../../meta/versions/version-order.ts';
import type { FollowedCache } from './followed-cache.ts';
import {
  isComparable,
  laterChanges,
  presentVersion,
  type LaterChanges,
} from './present-version.ts';

/** In this time, milliseconds, the own watch brings what is on its way; only then the server is asked whether anything is. */
const ON_ITS_WAY_MS = 500;
/** The time until the server is asked again after a question without an answer, milliseconds. */
const AGAIN_MS = 5000;

/**
 * Resolves when the cache has every change that the server has now.
 * @param onStep gets the present step, as text
 * @throws as `presentVersion` and `FollowedCache.reach`
 */
export async function catchUp(
  cache: FollowedCache,
  signal: AbortSignal,
  onStep: (doing: string) => void,
): Promise<void> {
  const { name, source } = cache;
  onStep(`the first list of ${name}`);
  await cache.whenSynced(signal);
  if (source === undefined) return;
  onStep(`the version of the server of ${name}`);
  const version = await presentVersion(cache, source, signal);
  onStep(`the cache of ${name} to reach resource version ${version}, that of the server`);
  await reachVersion(cache, version, signal);
}

/**
 * Resolves when the cache has every change up to a version of the server. The version of a server grows with the changes of all its
 * resources, and a quiet collection is notified of it by a bookmark a minute. So the server is also asked whether there are changes of this
 * collection that the cache lacks.
 * @throws as `FollowedCache.reach`
 */
export async function reachVersion(
  cache: FollowedCache,
  version: string,
  signal: AbortSignal,
): Promise<void> {
  if (hasReached(cache, version)) return;
  const ending = deriveAbort(signal);
  const waits = [cache.reach(version, ending.signal)];
  if (cache.hasOneWatch) waits.push(reachLastChange(cache, version, ending.signal));
  try {
    await Promise.race(waits);
  } finally {
    ending.abort();
  }
}

/** Whether the cache has every change up to a version. */
export function hasReached({ reached }: FollowedCache, version: string): boolean {
  return isComparable(reached) && !isNewer(version, reached);
}

async function reachLastChange(
  cache: FollowedCache,
  upTo: string,
  signal: AbortSignal,
): Promise<void> {
  const { runtime } = cache;
  await sleep(runtime, ON_ITS_WAY_MS, { signal });
  for (;;) {
    const changes = await askedChanges(cache, upTo, signal);
    if (changes?.isCertain === true) {
      if (changes.newest !== '') await cache.reach(changes.newest, signal);
      return;
    }
    await sleep(runtime, AGAIN_MS, { signal });
  }
}

/** The own watch goes on where the server does not answer. */
async function askedChanges(
  cache: FollowedCache,
  upTo: string,
  signal: AbortSignal,
): Promise<LaterChanges | undefined> {
  const { source } = cache;
  if (source === undefined || source.supports?.gate?.waitingFor !== undefined) return undefined;
  try {
    return await laterChanges(cache, source, upTo, signal);
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
