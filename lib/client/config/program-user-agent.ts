import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { PACKAGE_VERSION } from '../../kernel/text/package-version.ts';
import type { Environment } from './ambient-environment.ts';

/** Folders that are searched upwards for the package of a program. */
const MOST_FOLDERS = 16;

/** Maximum number of characters of a name or a version. */
const LONGEST_NAME = 64;

/**
 * The user agent of a program: `NAME/VERSION listwatch/VERSION (PLATFORM/ARCHITECTURE)`, so that the audit log of a server shows
 * programs apart. Name and version are those of the package that the program belongs to; without one, the name is that of the
 * file, and there is no version.
 * @see client-go rest/config.go DefaultKubernetesUserAgent @ 32ce75a7
 */
export async function programUserAgent({
  program,
  platform,
  arch,
}: Pick<Environment, 'program' | 'platform' | 'arch'>): Promise<string> {
  const product = program === undefined ? 'node' : await productOf(program);
  return `${product} listwatch/${PACKAGE_VERSION} (${platform}/${arch})`;
}

async function productOf(program: string): Promise<string> {
  const path = await realpath(program).catch(() => program);
  let folder = dirname(path);
  for (let count = 0; count < MOST_FOLDERS; count += 1) {
    const found = await packageIn(folder);
    if (found !== undefined) return found;
    const parent = dirname(folder);
    if (parent === folder) break;
    folder = parent;
  }
  return tokenOf(basename(path, extname(path))) ?? 'node';
}

/** `NAME/VERSION` of the package.json in a folder; undefined if there is none with a name. */
async function packageIn(folder: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(folder, 'package.json'), 'utf8');
    const { name, version } = JSON.parse(text) as Record<string, unknown>;
    const known = typeof name === 'string' ? tokenOf(name) : undefined;
    if (known === undefined) return undefined;
    const number = typeof version === 'string' ? tokenOf(version) : undefined;
    return number === undefined ? known : `${known}/${number}`;
  } catch {
    return undefined;
  }
}

/** The characters that may stand in the name of a product (RFC 9110, section 10.1.5); `@scope/name` becomes `scope-name`. */
function tokenOf(text: string): string | undefined {
  const token = text
    .replaceAll(/[^A-Za-z0-9!#$%&'*+.^_`|~-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, LONGEST_NAME);
  return token === '' ? undefined : token;
}
