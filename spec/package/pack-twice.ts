import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from './manifest.ts';
import { filesBelow, npm, run, unpack } from './packed-package.ts';

const SCRATCH = join(ROOT, '.tmp', 'twice');
/** Of different depth and length, as absolute and relative paths must not get into the tarball. */
const FOLDERS = ['a', 'another/folder/of/the/same/commit'];

export interface TwicePacked {
  /** The tarball, in the folder that was given. */
  readonly tarball: string;
  /** As `npm view listwatch dist.integrity` shows it. */
  readonly integrity: string;
}

/**
 * Checks out the commit into two folders, installs what the lock file names, builds and packs in each, and copies the tarball into a folder.
 *
 * @throws when the tarballs are not equal, with the files that differ
 */
export async function packTwice(folder: string): Promise<TwicePacked> {
  rmSync(SCRATCH, { recursive: true, force: true });
  const tarballs: string[] = [];
  for (const name of FOLDERS) tarballs.push(await packCommit(join(SCRATCH, name)));
  const [first = '', second = ''] = tarballs;
  await expectSame(first, second);
  mkdirSync(folder, { recursive: true });
  const tarball = join(folder, basename(first));
  copyFileSync(first, tarball);
  const hash = createHash('sha512').update(readFileSync(tarball)).digest('base64');
  rmSync(SCRATCH, { recursive: true, force: true });
  return { tarball, integrity: `sha512-${hash}` };
}

async function packCommit(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const archive = join(SCRATCH, 'commit.tar');
  await run('git', ['archive', '--output', archive, 'HEAD'], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', folder]);
  await npm(['ci', '--silent', '--no-audit', '--no-fund', '--prefer-offline'], folder);
  await npm(['pack', '--silent'], folder);
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm pack left no tarball in ${folder}`);
  return join(folder, tarball);
}

/** @throws when two tarballs differ, with the files that do */
export async function expectSame(
  first: string,
  second: string,
  scratch: string = SCRATCH,
): Promise<void> {
  if (readFileSync(first).equals(readFileSync(second))) return;
  const [left, right] = [join(scratch, 'first'), join(scratch, 'second')];
  await unpack(first, left);
  await unpack(second, right);
  const names = new Set([...filesBelow(left), ...filesBelow(right)]);
  const read = (folder: string, name: string): string | undefined =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'latin1') : undefined;
  const different = [...names].filter((name) => read(left, name) !== read(right, name));
  const what = different.length === 0 ? 'the archive, and no file in it' : different.join(', ');
  throw new Error(`two builds of one commit differ: ${what}`);
}
