import type { GroupVersion, GroupVersionKind, ResourceInfo } from '../resource.ts';
import {
  NEWEST_MINOR,
  textOfMinor,
  type KubernetesMinor,
} from '../releases/kubernetes-releases.ts';
import { RESOURCE_TEXT } from './resource-text.ts';

/** A subresource of a built-in resource. */
export interface BuiltInSubresource extends GroupVersionKind {
  /** `status`, `scale`, `log`. */
  readonly name: string;
  readonly verbs: readonly string[];
}

/** A resource that a kube-apiserver serves by default. */
export interface BuiltInResource extends ResourceInfo {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** Names the version in which objects are stored; undefined for a resource without stored objects. */
  readonly storageVersionHash: string | undefined;
  readonly subresources: readonly BuiltInSubresource[];
}

/** A group and version that a kube-apiserver serves by default. */
export interface BuiltInVersion extends GroupVersion {
  /** The `groupPriorityMinimum` of its APIService; undefined for the group of APIServices itself, which comes first. */
  readonly groupPriority: number | undefined;
  readonly versionPriority: number | undefined;
  readonly resources: readonly BuiltInResource[];
}

const ALL_VERBS = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];
const NONE: readonly string[] = [];

/** By minor version of Kubernetes. */
const parsed = new Map<KubernetesMinor, readonly BuiltInVersion[]>();

/** The groups and versions in the order of discovery, core first. They are parsed at the first call. */
export function builtInVersions(minor: KubernetesMinor = NEWEST_MINOR): readonly BuiltInVersion[] {
  let versions = parsed.get(minor);
  if (versions === undefined) {
    versions = parseResources(textOfMinor(RESOURCE_TEXT, minor));
    parsed.set(minor, versions);
  }
  return versions;
}

/**
 * Reads the table of resources. A line without indentation is a version: `GROUP VERSION GROUP-PRIORITY VERSION-PRIORITY`. One
 * space begins a resource: `RESOURCE SINGULAR KIND SCOPE VERBS SHORT-NAMES CATEGORIES HASH`. Two begin a subresource of it:
 * `NAME KIND GROUP/VERSION VERBS`. `-` is an empty field, `*` all verbs.
 */
export function parseResources(text: string): readonly BuiltInVersion[] {
  const versions: (BuiltInVersion & { readonly resources: BuiltInResource[] })[] = [];
  let subresources: BuiltInSubresource[] = [];
  for (const line of text.split('\n')) {
    const words = line.trim().split(' ');
    const version = versions.at(-1);
    if (line.startsWith('  ') && version !== undefined) {
      subresources.push(parseSubresource(words, version));
    } else if (line.startsWith(' ') && version !== undefined) {
      subresources = [];
      version.resources.push(parseResource(words, version, subresources));
    } else if (line !== '') {
      versions.push(parseVersion(words));
    }
  }
  return versions;
}

function parseVersion(words: readonly string[]): BuiltInVersion & { resources: BuiltInResource[] } {
  const [group = '-', version = '', groupPriority = '-', versionPriority = '-'] = words;
  return {
    group: group === '-' ? '' : group,
    version,
    groupPriority: groupPriority === '-' ? undefined : Number(groupPriority),
    versionPriority: versionPriority === '-' ? undefined : Number(versionPriority),
    resources: [],
  };
}

function parseResource(
  words: readonly string[],
  { group, version }: GroupVersion,
  subresources: readonly BuiltInSubresource[],
): BuiltInResource {
  const [resource = '', singular = '', kind = '', scope, verbs, shortNames, categories, hash] =
    words;
  return {
    group,
    version,
    resource,
    singular,
    kind,
    namespaced: scope === 'namespaced',
    verbs: parseVerbs(verbs),
    shortNames: parseNames(shortNames),
    categories: parseNames(categories),
    storageVersionHash: hash === '-' ? undefined : hash,
    subresources,
  };
}

function parseSubresource(words: readonly string[], main: GroupVersion): BuiltInSubresource {
  const [name = '', kind = '', apiVersion = '-', verbs] = words;
  const own = apiVersion === '-';
  const [group = '', version = ''] = own ? [main.group, main.version] : apiVersion.split('/');
  return { name, group, version, kind, verbs: parseVerbs(verbs) };
}

function parseVerbs(word: string | undefined): readonly string[] {
  return word === '*' ? ALL_VERBS : parseNames(word);
}

function parseNames(word = '-'): readonly string[] {
  return word === '-' ? NONE : word.split(',');
}
