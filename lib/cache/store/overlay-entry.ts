import type { HasMetadata } from '../../meta/object.ts';
import { identityOf } from '../../meta/object-view.ts';
import { isResourceVersion } from '../../meta/versions/resource-version.ts';
import { areOrdered, isNewer, isOlder } from '../../meta/versions/version-order.ts';

/** The entry of an own write under one key, until the cache has processed the version of the write. */
export interface OverlayEntry<V> {
  readonly key: string;
  readonly uid: string | undefined;
  /** The version of the write; undefined for a deletion whose answer has none. */
  readonly resourceVersion: string | undefined;
  /** For a deletion without a resource version: all versions up to this one are older. Empty if none is known. */
  readonly since: string;
  /** The object that readers get; undefined if the object is hidden. */
  readonly object: V | undefined;
  readonly deleted: boolean;
  /** Whether a complete list has shown the object although it was deleted before. */
  readonly listed: boolean;
}

/** Orders entries by resource version; entries without one come last. */
export function isBefore<V>(left: OverlayEntry<V>, right: OverlayEntry<V>): boolean {
  if (left.resourceVersion === undefined) return false;
  if (right.resourceVersion === undefined) return true;
  return isNewer(right.resourceVersion, left.resourceVersion);
}

/** Whether readers see the entry, and not the stored object of its key. */
export function hides<V extends HasMetadata>(entry: OverlayEntry<V>, cached: V): boolean {
  if (entry.resourceVersion !== undefined) return true;
  const { uid, resourceVersion } = identityOf(cached);
  return entry.uid === uid || isNotNewer(resourceVersion, entry.since);
}

/** Whether a write of `uid` at `resourceVersion` is newer than the write of `entry`. */
export function isFollowedBy<V>(
  entry: OverlayEntry<V>,
  uid: string | undefined,
  resourceVersion: string,
): boolean {
  if (entry.deleted && uid !== undefined && uid === entry.uid) return false;
  return !isNotNewer(resourceVersion, entry.resourceVersion ?? entry.since);
}

/**
 * Whether the deletion of `uid`, at any version, replaces the entry. An entry with another uid stays: when it was written, the
 * name no longer belonged to `uid`. An entry that hides an object which the cache does not have stays too.
 */
export function isEndedBy<V>(entry: OverlayEntry<V>, uid: string): boolean {
  return entry.uid === uid && !entry.deleted && entry.object !== undefined;
}

/** Whether the cache has caught up with the entry after it has applied this change. */
export function isOver<V extends HasMetadata>(
  entry: OverlayEntry<V>,
  object: V,
  deleted: boolean,
): boolean {
  const { uid, resourceVersion } = identityOf(object);
  if (entry.resourceVersion !== undefined)
    return isNotNewer(entry.resourceVersion, resourceVersion);
  if (entry.uid === uid) return deleted;
  return isOlder(entry.since, resourceVersion ?? '');
}

/** Whether `left` is known to be as old as `right`, or older; false if they cannot be compared. */
export function isNotNewer(left: string | undefined, right: string | undefined): boolean {
  return (
    left !== undefined && right !== undefined && areOrdered(left, right) && !isNewer(left, right)
  );
}

/** The newer of two resource versions; a version that cannot be compared is ignored. */
export function newerOf(left: string | undefined, right: string | undefined): string {
  if (!isResourceVersion(left)) return isResourceVersion(right) ? right : '';
  return isResourceVersion(right) && isNewer(right, left) ? right : left;
}

/** Whether the answer to a deletion shows an object that still exists: it waits for finalizers, or for its grace period. */
export function isTerminating({ metadata }: HasMetadata): boolean {
  if (metadata?.finalizers !== undefined && metadata.finalizers.length > 0) return true;
  return (metadata?.deletionGracePeriodSeconds ?? 0) > 0;
}
