import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { nearName } from '../../../kernel/text/near-name.ts';
import { plainText } from '../../../kernel/text/plain-text.ts';
import { quotedName } from '../../../meta/api-call.ts';
import { parseApiVersion } from '../../../meta/resource.ts';
import type { ApiSurface } from './api-surface.ts';

/** The length of a list of names in a message, characters. */
const LONGEST_LIST = 200;
/** The most names that are offered for one that is unknown. */
const MOST_NEAR = 3;

const IS_INSTALLED = 'is its CustomResourceDefinition installed?';

function unknown(problem: string, remedy: string): ListwatchError {
  return new ListwatchError('RESOURCE_UNKNOWN', `${problem}; ${remedy}`);
}

/** The server behind an API version does not answer, so a resource may exist that is not known. */
function stale(server: string, apiVersion: string): ListwatchError {
  const { group, version } = parseApiVersion(apiVersion);
  return new ListwatchError(
    'DISCOVERY_STALE',
    `${server} cannot say what ${apiVersion} has, because the service behind it does not answer; see why with: kubectl get apiservice ${version}.${group}`,
  );
}

/** No such kind in an API version, or no such API version. */
export function unknownKind(
  server: string,
  surface: ApiSurface,
  apiVersion: string,
  kind: string,
): ListwatchError {
  if (surface.stale.has(apiVersion)) return stale(server, apiVersion);
  const served = surface.of(apiVersion);
  if (served === undefined) {
    const { group } = parseApiVersion(apiVersion);
    const others = surface.resources.filter((one) => one.group === group);
    const versions = [...new Set(others.map((one) => one.apiVersion))];
    const remedy = versions.length === 0 ? IS_INSTALLED : `use ${listed(versions)}`;
    return unknown(`${server} does not serve ${apiVersion}`, remedy);
  }
  const problem = `${server} serves no kind ${kind} in ${apiVersion}`;
  const lower = kind.toLowerCase();
  const kinds = served.map((one) => one.kind);
  const meant = served.find((one) => one.resource === lower || one.kind.toLowerCase() === lower);
  const near = meant?.kind ?? nearName(kind, kinds);
  if (near !== undefined) return unknown(problem, `did you mean "${near}"?`);
  return unknown(`${problem}, only: ${listed(kinds)}`, IS_INSTALLED);
}

/** No resource that a person may mean by this text. */
export function unknownName(server: string, surface: ApiSurface, text: string): ListwatchError {
  const [, ...rest] = text.toLowerCase().split('.');
  const group = rest.join('.');
  for (const apiVersion of surface.stale) {
    const own = parseApiVersion(apiVersion);
    if (group === own.group || group === `${own.version}.${own.group}`)
      return stale(server, apiVersion);
  }
  const silent =
    surface.stale.size === 0 ? '' : `, and nothing is known of ${listed([...surface.stale])}`;
  const problem = `${server} serves no resource ${quotedName(text)}${silent}`;
  const near = nearestNames(text, surface);
  if (near.length === 0) return unknown(problem, IS_INSTALLED);
  return unknown(problem, `did you mean ${near.map((one) => `"${one}"`).join(' or ')}?`);
}

/** No resource of a category. */
export function unknownCategory(server: string, surface: ApiSurface, name: string): ListwatchError {
  const categories = new Set(surface.resources.flatMap((one) => one.categories));
  const problem = `${server} has no resource of category ${quotedName(name)}`;
  return unknown(problem, `it has ${listed([...categories].toSorted())}`);
}

/** Full names of resources whose plural, singular, short name or kind is like the one that a person gave, nearest first. */
export function nearestNames(text: string, surface: ApiSurface): readonly string[] {
  const [name = ''] = text.toLowerCase().split('.');
  const names = new Map<string, string>();
  for (const one of surface.resources) {
    for (const alias of [one.resource, one.singular, one.kind, ...one.shortNames]) {
      if (!names.has(alias)) names.set(alias, one.fullName);
    }
  }
  const found = new Set<string>();
  // The right name in a group that does not have it.
  for (const one of surface.resources) if (one.resource === name) found.add(one.fullName);
  while (found.size < MOST_NEAR) {
    const near = nearName(name, names.keys());
    if (near === undefined) break;
    const fullName = names.get(near) ?? near;
    found.add(fullName);
    for (const [alias, other] of names) if (other === fullName) names.delete(alias);
  }
  return [...found].slice(0, MOST_NEAR);
}

function listed(names: readonly string[]): string {
  return plainText(names.join(', '), LONGEST_LIST);
}
