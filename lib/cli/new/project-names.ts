import { UsageError } from '../arguments/usage-error.ts';

/** The names of the objects of a project. */
export interface ProjectNames {
  /** Of the project, its image, its account and its roles: `coffee-shop`. */
  readonly project: string;
  readonly group: string;
  readonly kind: string;
  /** In the API: `coffeeshops`. */
  readonly plural: string;
  readonly singular: string;
}

/** A part of the names of pods, which end with eleven more characters and have 63 at most. */
const LONGEST_NAME = 50;
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const GROUP = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+$/;
const LONGEST_GROUP = 253;
const KIND = /^[A-Z][A-Za-z0-9]*$/;
/** npm installs no package into a project of its name. */
const PACKAGES: ReadonlySet<string> = new Set(['listwatch', 'tsx', 'typescript', 'axios', 'yaml']);
/** Groups of Kubernetes itself need an approval. */
const PROTECTED = /(?:^|\.)(?:k8s|kubernetes)\.io$/;

/** @throws {UsageError} naming the one that cannot be used, with one that can. */
export function projectNames(
  project: string,
  options: { readonly group?: string | undefined; readonly kind?: string | undefined } = {},
): ProjectNames {
  if (!NAME.test(project) || project.length > LONGEST_NAME) {
    throw new UsageError(
      `the name must be lower-case words of letters and digits with "-" between, at most ${LONGEST_NAME}, such as ${likeName(project)}, not ${JSON.stringify(project)}`,
    );
  }
  if (PACKAGES.has(project)) {
    throw new UsageError(
      `${project} is the name of a package that the project needs; name another`,
    );
  }
  const { group = 'example.com', kind = pascal(project) } = options;
  if (!GROUP.test(group) || group.length > LONGEST_GROUP) {
    throw new UsageError(
      `--group must be a domain such as example.com, not ${JSON.stringify(group)}`,
    );
  }
  if (PROTECTED.test(group)) {
    throw new UsageError(`--group ${group} is kept for Kubernetes; take a domain of your own`);
  }
  if (!KIND.test(kind) || kind.length > LONGEST_NAME) {
    throw new UsageError(
      `--kind must be a word such as ${pascal(project)}, at most ${LONGEST_NAME} letters, not ${JSON.stringify(kind)}`,
    );
  }
  const singular = kind.toLowerCase();
  return { project, group, kind, singular, plural: pluralOf(singular) };
}

function likeName(text: string): string {
  const words = text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const name = words
    .join('-')
    .slice(0, LONGEST_NAME)
    .replaceAll(/^[-0-9]+|-+$/g, '');
  return NAME.test(name) ? name : 'shop';
}

function pascal(name: string): string {
  return name
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

function pluralOf(singular: string): string {
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}
