/**
 * Addresses of the repository. Its owner writes the address once, as `repository` of package.json; all others are made from it when
 * the package is packed.
 */
export interface Repository {
  /** `https://github.com/OWNER/NAME` */
  readonly url: string;
}

const FORM = 'https://github.com/OWNER/NAME';

/** The repository that package.json names; undefined while `repository` is empty. @throws for an address of another form */
export function repositoryOf(manifest: { readonly repository: string }): Repository | undefined {
  const { repository: url } = manifest;
  if (url === '') return undefined;
  if (url === FORM || !/^https:\/\/github\.com\/[\w-]+\/[\w.-]+(?<!\.git)$/.test(url)) {
    throw new Error(`repository of package.json is ${url}; write it as ${FORM}`);
  }
  return { url };
}

/** The members of a published package.json that say where source, issues and documentation are. */
export function publishedAddresses(repository: Repository | undefined): object {
  if (repository === undefined) return { repository: undefined };
  const { url } = repository;
  return {
    repository: { type: 'git', url: `git+${url}.git` },
    bugs: { url: `${url}/issues` },
    homepage: `${url}#readme`,
  };
}

/** A page as it is published, and which files are published beside it. */
export interface PublishedPage {
  /** Its path in the repository. */
  readonly path: string;
  readonly text: string;
  readonly isPublished: (path: string) => boolean;
  readonly version: string;
}

/**
 * The text of a page with addresses of the version's tag in place of links to files that are not published. README has no other
 * links, as it is also shown without its folder. A link may leave the tree, as `../../issues` of a page of the top does.
 */
export function publishedText(
  { path, text, isPublished, version }: PublishedPage,
  { url }: Repository,
): string {
  return text.replaceAll(/(!?)(\[[^\]]*\]\()([^)\s]+)(?=\))/g, (whole, image, label, link) => {
    if (/^(?:[a-z]+:|#)/.test(link)) return whole;
    const base = `${url}/${image === '' ? 'blob' : 'raw'}/v${version}/`;
    const target = new URL(link, `${base}${path}`);
    const isKept = path !== 'README.md' && isPublished(fileOf(target, base));
    return isKept ? whole : `${image}${label}${target.href}`;
  });
}

/** The path in the repository of what an address below `base` shows. */
function fileOf(target: URL, base: string): string {
  return target.href.replace(/#.*$/, '').replace(base, '');
}
