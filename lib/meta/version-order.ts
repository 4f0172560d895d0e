import { isResourceVersion } from './resource-version.ts';

/** Whether `version` comes after `seen`, provided that both are decimal. One comparison, nothing is parsed. */
export function isNewer(version: string, seen: string): boolean {
  return version.length === seen.length ? version > seen : version.length > seen.length;
}

/** Whether `version` comes before `seen`. Texts that are not decimal numbers have no order, so for them the answer is no. */
export function isOlder(version: string, seen: string): boolean {
  return version !== seen && !isNewer(version, seen) && areOrdered(version, seen);
}

/** Whether two versions can be compared at all. */
export function areOrdered(left: string, right: string): boolean {
  return isResourceVersion(left) && isResourceVersion(right);
}
