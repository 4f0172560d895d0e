import type { HasMetadata } from '../../meta/object.ts';
import { identityOf } from '../../meta/object-view.ts';
import { isResourceVersion } from '../../meta/resource-version.ts';
import { areOrdered, isNewer, isOlder } from '../../meta/version-order.ts';

/** What a write of one's own left behind under one key, until the cache has caught up with it. */
export interface OverlayEntry<V> {
  readonly key: string;
  readonly uid: string | undefined;
  /** Of the write; undefined for a deletion whose answer did not carry one. */
  readonly resourceVersion: string | undefined;
  /** For a deletion without a resource version: everything up to here is known to be older. Empty when nothing is known. */
  readonly since: string;
  /** What readers get; undefined for nothing. */
  readonly object: V | undefined;
  readonly deleted: boolean;
  /** Whether a complete list has shown the object although it was deleted before. */
  readonly listed: boolean;
}

/** Orders entries by what the cache catches up with first; those without a resource version come last. */
export function isBefore<V>(left: OverlayEntry<V>, right: OverlayEntry<V>): boolean {
  if (left.resourceVersion === undefined) return false;
  if (right.resourceVersion === undefined) return true;
  return isNewer(right.resourceVersion, left.resourceVersion);
}

/** Whether the entry decides what readers see, and not what the cache holds under its key. */
export function hides<V extends HasMetadata>(entry: OverlayEntry<V>, cached: V): boolean {
  if (entry.resourceVersion !== undefined) return true;
  const { uid, resourceVersion } = identityOf(cached);
  return entry.uid === uid || isNotNewer(resourceVersion, entry.since);
}

/** Whether a write of `uid` at `resourceVersion` is newer than what `entry` stands for. */
export function isFollowedBy<V>(
  entry: OverlayEntry<V>,
  uid: string | undefined,
  resourceVersion: string,
): boolean {
  if (entry.deleted && uid !== undefined && uid === entry.uid) return false;
  return !isNotNewer(resourceVersion, entry.resourceVersion ?? entry.since);
}

/**
 * Whether the deletion of `uid`, at whatever version, takes the place of the entry. One of another uid stays: when it was
 * written, the name was no longer that of `uid`. So does one that hides what the cache would not tell of anyway.
 */
export function isEndedBy<V>(entry: OverlayEntry<V>, uid: string): boolean {
  return entry.uid === uid && !entry.deleted && entry.object !== undefined;
}

/** Whether the cache has caught up with the entry, now that it has applied this change. */
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

/** Whether `left` is known to be as old as `right`, or older; what cannot be compared is not. */
export function isNotNewer(left: string | undefined, right: string | undefined): boolean {
  return (
    left !== undefined && right !== undefined && areOrdered(left, right) && !isNewer(left, right)
  );
}

/** The newer of two resource versions; one that cannot be compared counts for nothing. */
export function newerOf(left: string | undefined, right: string | undefined): string {
  if (!isResourceVersion(left)) return isResourceVersion(right) ? right : '';
  return isResourceVersion(right) && isNewer(right, left) ? right : left;
}

/** The answer to a deletion shows an object that is still there: it waits for finalizers, or for its grace period. */
export function isTerminating({ metadata }: HasMetadata): boolean {
  if (metadata?.finalizers !== undefined && metadata.finalizers.length > 0) return true;
  return (metadata?.deletionGracePeriodSeconds ?? 0) > 0;
}
