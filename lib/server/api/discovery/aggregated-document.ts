import type { GroupVersionKind } from '../../../meta/resource.ts';
import type { InstalledResource, RestStorage } from '../../registry/contract/rest-storage.ts';
import { BUILT_IN_GROUPS } from '../../http/built-in-groups.ts';
import {
  inDiscoveryOrder,
  isForeign,
  mainVerbs,
  verbsOf,
  type ServedGroup,
} from './served-resources.ts';

/** The group, version and kind of the aggregated document. */
export const AGGREGATED: GroupVersionKind = {
  group: 'apidiscovery.k8s.io',
  version: 'v2',
  kind: 'APIGroupDiscoveryList',
};

/** All groups with all of their resources in one document. */
export function aggregatedDocument(groups: readonly ServedGroup[]): object {
  return {
    kind: AGGREGATED.kind,
    apiVersion: `${AGGREGATED.group}/${AGGREGATED.version}`,
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map((served) => ({
        version: served.version,
        resources: served.resources.map(aggregatedResource),
        freshness: 'Current',
      })),
    })),
  };
}

function aggregatedResource(installed: InstalledResource): object {
  const { main, subresources } = installed;
  const { resource, namespaced, singular, shortNames, categories } = main.describe;
  return {
    resource,
    responseKind: responseKind(main, main),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: mainVerbs(installed),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.size === 0
      ? {}
      : {
          subresources: inDiscoveryOrder(main, subresources).map(([subresource, storage]) => ({
            subresource,
            responseKind: responseKind(storage, main),
            verbs: verbsOf(storage),
          })),
        }),
  };
}

/** Built-in resources leave group and version empty where they are those of the resource itself. */
function responseKind({ describe }: RestStorage, main: RestStorage): GroupVersionKind {
  const { group, version, kind } = describe;
  const implied = BUILT_IN_GROUPS.has(group) && !isForeign(describe, main.describe);
  return implied ? { group: '', version: '', kind } : { group, version, kind };
}
