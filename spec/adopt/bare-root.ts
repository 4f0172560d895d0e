import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { NotAvailable } from './not-available.ts';

/** A user without a name and a home directory. */
const USER = '10001:10001';

/**
 * Makes a root folder that has Node, its libraries and a bundle alone, as a distroless image has. Returns the line that runs the bundle in it,
 * as a user that may write no file.
 * @throws {NotAvailable} when this user may not change the root of a process.
 */
export async function bareRoot(folder: string, bundle: string): Promise<string> {
  if (process.getuid?.() !== 0) throw new NotAvailable('chroot is for root');
  const root = join(folder, 'bare');
  const node = realpathSync(process.execPath);
  const { stdout } = await promisify(execFile)('ldd', [node]);
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
  mkdirSync(root);
  for (const library of libraries) {
    mkdirSync(join(root, dirname(library)), { recursive: true });
    copyFileSync(library, join(root, library));
  }
  copyFileSync(node, join(root, 'node'));
  copyFileSync(join(folder, bundle), join(root, bundle));
  return `env -i SERVER="$SERVER" /usr/sbin/chroot --userspec=${USER} bare /node /${bundle}`;
}
