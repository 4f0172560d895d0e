import type { InstalledResource, RestStorage } from '../../registry/contract/rest-storage.ts';
import { BUILT_IN_GROUPS } from '../../http/built-in-groups.ts';
import { compareLegacyGroups } from './group-order.ts';
import {
  inDiscoveryOrder,
  isForeign,
  mainVerbs,
  verbsOf,
  type ServedGroup,
  type ServedVersion,
} from './served-resources.ts';

/** The document at `/api`. @param address Where clients reach the server: host and port. */
export function apiVersions(groups: readonly ServedGroup[], address: string): object {
  return {
    kind: 'APIVersions',
    versions: groups.flatMap(({ versions }) => versions.map(({ version }) => version)),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

/** The document at `/apis`. */
export function apiGroupList(groups: readonly ServedGroup[]): object {
  const sorted = groups.toSorted(compareLegacyGroups);
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: sorted.map(legacyGroup) };
}

/** The document at `/apis/GROUP`. */
export function apiGroup(group: ServedGroup): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...legacyGroup(group) };
}

function legacyGroup({ group, versions }: ServedGroup): object {
  const listed = versions.map(({ apiVersion, version }) => ({ groupVersion: apiVersion, version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
}

/** The document at `/api/VERSION` or `/apis/GROUP/VERSION`. */
export function apiResourceList({ group, apiVersion, resources }: ServedVersion): object {
  return {
    kind: 'APIResourceList',
    // kube-apiserver leaves it out for the core group.
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersion,
    resources: resources.flatMap((installed) => [
      mainResource(installed),
      ...inDiscoveryOrder(installed.main, installed.subresources).map(([name, storage]) =>
        legacySubresource(name, storage, installed.main),
      ),
    ]),
  };
}

function mainResource(installed: InstalledResource): object {
  const { describe } = installed.main;
  const { resource, namespaced, singular, kind, shortNames, categories } = describe;
  const { storageVersionHash } = describe;
  return {
    name: resource,
    singularName: singular,
    namespaced,
    kind,
    verbs: mainVerbs(installed),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
}

function legacySubresource(name: string, storage: RestStorage, main: RestStorage): object {
  const { group, version, kind } = storage.describe;
  const { resource, namespaced } = main.describe;
  return {
    name: `${resource}/${name}`,
    singularName: '',
    namespaced,
    ...(isForeign(storage.describe, main.describe) ? { group, version } : {}),
    kind,
    verbs: verbsOf(storage),
  };
}

/** Whether the documents of a group are those of custom resources, which are served with every method. */
export function isCustomGroup({ group }: Pick<ServedGroup, 'group'>): boolean {
  return !BUILT_IN_GROUPS.has(group);
}
