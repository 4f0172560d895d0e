import { nearName } from '../../../kernel/text/near-name.ts';
import { quotedName, versionOfCall, type ApiCall } from '../../../meta/api-call.ts';
import { apiVersionOf } from '../../../meta/resource.ts';
import type { ServedGroup, ServedResource } from './read-discovery.ts';
import type { Explanation } from './explanation.ts';
import type { DiscoveryLookUp } from './discovery-look-up.ts';

/** Most versions, verbs or subresources that a message lists. */
const MOST_NAMED = 6;

const NOT_INSTALLED = 'install the CustomResourceDefinition, or correct apiVersion and plural name';

/**
 * The mistake in a call that addresses a resource in another way than the server serves it. Undefined if the server serves it
 * in this way, or if that is not known.
 */
export async function resourceAdvice(
  call: ApiCall,
  served: DiscoveryLookUp,
): Promise<Explanation | undefined> {
  const { group, version, resource } = call;
  const own = await served.of(group, version);
  if (own === undefined) return undefined;
  if (own === 'absent') {
    const groups = await served.groups();
    if (groups !== undefined) return adviseOnVersion(call, groups);
    if (await served.lacksApi()) {
      const problem = 'the server has no Kubernetes API at this address';
      return { problem, remedy: 'check the server address, its port and its path' };
    }
    return { problem: `the server does not serve ${versionOfCall(call)}`, remedy: NOT_INSTALLED };
  }
  if (resource === undefined) return undefined;
  const found = own.find(({ name }) => name === resource);
  if (found !== undefined) return adviseOnUse(call, found);
  const missing = `${versionOfCall(call)} serves no ${quotedName(resource)}`;
  const meant = meantBy(resource, own);
  if (meant !== undefined) return didYouMean(missing, meant);
  const elsewhere = placeOf(resource, (await served.groups()) ?? []);
  return elsewhere === undefined
    ? { problem: missing, remedy: NOT_INSTALLED }
    : { problem: missing, remedy: `use ${elsewhere}` };
}

/** The resource is served, but not with this namespace, subresource or verb. */
function adviseOnUse(call: ApiCall, found: ServedResource): Explanation | undefined {
  const { verb, namespace = '', name, subresource } = call;
  const ofAll = name === undefined && verb !== 'create' && verb !== 'deletecollection';
  if (found.namespaced && namespace === '' && !ofAll) {
    const remedy = 'give a namespace';
    return { problem: `${found.name} is namespaced: ${remedy}`, remedy };
  }
  if (!found.namespaced && namespace !== '') {
    const remedy = 'leave the namespace out';
    return { problem: `${found.name} has no namespaces: ${remedy}`, remedy };
  }
  const subresources = found.subresources.map((one) => one.name);
  if (subresource !== undefined && !subresources.includes(subresource)) {
    const problem = `${found.name} has no subresource ${quotedName(subresource)}`;
    const remedy =
      subresources.length === 0
        ? 'it has none: leave the subresource out'
        : `it has ${listed(subresources)}`;
    return { problem, remedy };
  }
  if (subresource === undefined && found.verbs.length > 0 && !found.verbs.includes(verb)) {
    const problem = `${found.name} does not offer ${verb}`;
    return { problem, remedy: `it offers ${listed(found.verbs)}` };
  }
  return undefined;
}

/** The group or the version is not served. */
function adviseOnVersion(call: ApiCall, groups: readonly ServedGroup[]): Explanation {
  const { group, resource = '' } = call;
  const asked = versionOfCall(call);
  const sameGroup = groups.find(({ name }) => name === group);
  if (sameGroup !== undefined) {
    const versions = sameGroup.versions.map(({ version }) => apiVersionOf({ group, version }));
    const problem = `the server does not serve ${asked}`;
    return { problem, remedy: `use ${listed(versions)}` };
  }
  const problem = `the server does not serve the group ${quotedName(group)}`;
  const elsewhere = resource === '' ? undefined : placeOf(resource, groups);
  if (elsewhere !== undefined) return { problem, remedy: `use ${elsewhere}` };
  const near = nearName(
    group,
    groups.map(({ name }) => name),
  );
  return near === undefined || near === ''
    ? { problem, remedy: NOT_INSTALLED }
    : didYouMean(problem, near);
}

/** The plural that a caller meant with a kind, a singular, a short name or a misspelled plural. */
function meantBy(asked: string, served: readonly ServedResource[]): string | undefined {
  const lower = asked.toLowerCase();
  const same = served.find(
    ({ kind, singular, shortNames }) =>
      kind.toLowerCase() === lower || singular === lower || shortNames.includes(lower),
  );
  return (
    same?.name ??
    nearName(
      asked,
      served.map(({ name }) => name),
    )
  );
}

/** `networking.k8s.io/v1 "ingresses"`: the first place that serves a resource of this name or kind. */
function placeOf(asked: string, groups: readonly ServedGroup[]): string | undefined {
  const lower = asked.toLowerCase();
  for (const { name: group, versions } of groups) {
    for (const { version, resources = [] } of versions) {
      const found = resources.find(
        ({ name, kind, singular, shortNames }) =>
          name === lower ||
          kind.toLowerCase() === lower ||
          singular === lower ||
          shortNames.includes(lower),
      );
      if (found !== undefined)
        return `${quotedName(found.name)} of ${apiVersionOf({ group, version })}`;
    }
  }
  return undefined;
}

function didYouMean(problem: string, name: string): Explanation {
  return { problem, remedy: `did you mean ${quotedName(name)}?` };
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
