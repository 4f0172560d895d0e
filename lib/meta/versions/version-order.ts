import { isResourceVersion } from './resource-version.ts';

/** Whether `version` is newer than `seen`, provided that both are decimal. It is one comparison; nothing is parsed. */
export function isNewer(version: string, seen: string): boolean {
  return version.length === seen.length ? version > seen : version.length > seen.length;
}

/** Whether `version` is older than `seen`. Texts that are not decimal numbers have no order; the result for them is false. */
export function isOlder(version: string, seen: string): boolean {
  return version !== seen && !isNewer(version, seen) && areOrdered(version, seen);
}

/** Whether two versions can be compared at all. */
export function areOrdered(left: string, right: string): boolean {
  return isResourceVersion(left) && isResourceVersion(right);
}
