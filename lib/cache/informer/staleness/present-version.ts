import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf } from '../../../meta/object-view.ts';
import { isResourceVersion } from '../../../meta/versions/resource-version.ts';
import { isNewer } from '../../../meta/versions/version-order.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import {
  CHANGES_SECONDS,
  PROBE_ITEMS,
  type ListerWatcher,
} from '../../reflector/contract/lister-watcher.ts';
import { listPage } from '../../reflector/list/list-page.ts';
import { WatchReader } from '../../reflector/watch/watch-reader.ts';
import type { FollowedCache } from './followed-cache.ts';

/** The longest wait for the version of the server, milliseconds. */
const ANSWER_MS = 10_000;

/** The changes after a version, up to another one. */
export interface LaterChanges {
  /** The version of the newest of them; empty if there is none. */
  readonly newest: string;
  /** Whether the server has said so. Otherwise it was only silent for some seconds. */
  readonly isCertain: boolean;
}

/** Whether a version can be waited for. */
export function isComparable(resourceVersion: string): boolean {
  return resourceVersion !== '0' && isResourceVersion(resourceVersion);
}

/**
 * The present version of the server, from a list of one item.
 * @throws {ListwatchError} code INVALID_RESOURCE_VERSION if it has none that can be compared; TIMEOUT. {ApiError} when it refuses the list.
 */
export async function presentVersion(
  { name, runtime }: FollowedCache,
  listerWatcher: ListerWatcher<HasMetadata>,
  signal: AbortSignal,
): Promise<string> {
  const options = { name, runtime, listerWatcher, listTimeoutMs: ANSWER_MS };
  const { resourceVersion } = await listPage(options, { limit: PROBE_ITEMS }, signal);
  if (isComparable(resourceVersion)) return resourceVersion;
  const shown = JSON.stringify(resourceVersion);
  throw new ListwatchError(
    'INVALID_RESOURCE_VERSION',
    `the server lists ${name} at ${shown}, and no cache can wait for that; wait for the version of an object`,
  );
}

/**
 * The changes of the collection that are newer than the cache, up to a version of the server. A second watch brings them, from the version
 * of the cache. Its bookmark, which comes in one or two seconds, says that there are no others. Undefined if the cache has no version yet.
 */
export async function laterChanges(
  { runtime, reached }: FollowedCache,
  listerWatcher: ListerWatcher<HasMetadata>,
  upTo: string,
  signal: AbortSignal,
): Promise<LaterChanges | undefined> {
  if (!isComparable(reached)) return undefined;
  const request = {
    resourceVersion: reached,
    allowWatchBookmarks: true,
    timeoutSeconds: CHANGES_SECONDS,
  };
  const watch = new WatchReader({ runtime, listerWatcher, request, signal });
  try {
    await watch.open();
    let newest = '';
    for (;;) {
      const batch = await watch.read();
      if (batch === undefined) return { newest, isCertain: false };
      for (const event of batch) {
        const version = versionOf(event);
        if (event.type !== 'BOOKMARK' && !isNewer(version, upTo)) newest = version;
        if (!isNewer(upTo, version)) return { newest, isCertain: true };
      }
    }
  } finally {
    watch.close();
  }
}

/** @throws {ListwatchError} code INVALID_RESOURCE_VERSION. */
function versionOf(event: WatchEvent<HasMetadata>): string {
  const version =
    event.type === 'BOOKMARK' ? event.resourceVersion : identityOf(event.object).resourceVersion;
  if (isResourceVersion(version)) return version;
  const shown = JSON.stringify(version);
  throw new ListwatchError('INVALID_RESOURCE_VERSION', `an event is at resource version ${shown}`);
}
