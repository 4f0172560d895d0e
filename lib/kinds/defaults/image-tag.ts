const DEFAULT_DOMAIN = 'docker.io';
/** Maximum length of a repository without its domain. */
const LONGEST_REPOSITORY = 255;

const ALPHANUMERIC = '[a-z0-9]+';
const COMPONENT = `${ALPHANUMERIC}(?:(?:[._]|__|-+)${ALPHANUMERIC})*`;
const IS_REPOSITORY = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const HOST_PART = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const IS_DOMAIN = new RegExp(
  `^(?:${HOST_PART}(?:\\.${HOST_PART})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`,
);
const IS_TAG = /^\w[\w.-]{0,127}$/;
const IS_DIGEST = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const IS_IDENTIFIER = /^[a-f0-9]{64}$/;

/**
 * The tag of an image, `latest` when it names none; empty for an image with a digest only, and for a text that is no image.
 * @see github.com/distribution/reference v0.6.0 normalize.go
 */
export function imageTag(image: string): string {
  if (IS_IDENTIFIER.test(image)) return '';
  const at = image.indexOf('@');
  const digest = at < 0 ? undefined : image.slice(at + 1);
  const named = at < 0 ? image : image.slice(0, at);
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  const tag = colon < 0 ? undefined : named.slice(colon + 1);
  const { domain, repository } = placed(colon < 0 ? named : named.slice(0, colon));
  const isImage =
    repository.length <= LONGEST_REPOSITORY &&
    IS_REPOSITORY.test(repository) &&
    IS_DOMAIN.test(domain) &&
    (tag === undefined || IS_TAG.test(tag)) &&
    (digest === undefined || IS_DIGEST.test(digest));
  if (!isImage) return '';
  return tag ?? (digest === undefined ? 'latest' : '');
}

/** The first part is a domain when it looks like one. */
function placed(name: string): { readonly domain: string; readonly repository: string } {
  const slash = name.indexOf('/');
  if (slash < 0) return { domain: DEFAULT_DOMAIN, repository: `library/${name}` };
  const first = name.slice(0, slash);
  const isDomain = first === 'localhost' || /[.:A-Z]/.test(first);
  if (!isDomain) return { domain: DEFAULT_DOMAIN, repository: name };
  return { domain: first, repository: name.slice(slash + 1) };
}
