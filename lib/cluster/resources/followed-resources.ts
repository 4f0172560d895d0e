import type { ApiResource } from '../../client/rest/discovery/api-resource.ts';
import { groupResource, type ResourceInfo } from '../../meta/resource.ts';

/** Changes of these are no news: nothing that they own or that owns them matters. */
const IGNORED: readonly string[] = ['events', 'events.events.k8s.io'];
const NEEDED_VERBS = ['delete', 'list', 'watch'];

/**
 * One version of each resource whose objects can be listed, watched and deleted, by its full name: the preferred one, or else the first
 * one that has it.
 */
export function followedResources(all: readonly ApiResource[]): ReadonlyMap<string, ApiResource> {
  const followed = new Map<string, ApiResource>();
  for (const resource of all) {
    const name = groupResource(resource);
    if (IGNORED.includes(name) || followed.has(name)) continue;
    if (NEEDED_VERBS.every((verb) => resource.supports(verb))) followed.set(name, resource);
  }
  return followed;
}

export function isSameVersion(one: ResourceInfo, other: ResourceInfo): boolean {
  return one.version === other.version && one.kind === other.kind;
}
