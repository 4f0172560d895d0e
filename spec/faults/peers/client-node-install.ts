import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export const CLIENT_NODE = '@kubernetes/client-node';
export const CLIENT_NODE_VERSION = '1.4.0';

const INSTALL_LIMIT_MS = 120_000;

/**
 * Puts the package into a folder outside the tree, unless it is there already, and returns the URL of its entry.
 * @throws {Error} when npm fails, for example because there is no network.
 */
export async function installClientNode(): Promise<string> {
  const folder = join(tmpdir(), `listwatch-peer-client-node-${CLIENT_NODE_VERSION}`);
  const entry = join(folder, 'node_modules', CLIENT_NODE, 'dist', 'index.js');
  if (!existsSync(entry)) {
    await mkdir(folder, { recursive: true });
    const wanted = `${CLIENT_NODE}@${CLIENT_NODE_VERSION}`;
    const options = ['--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit'];
    await promisify(execFile)('npm', ['install', ...options, wanted], {
      timeout: INSTALL_LIMIT_MS,
    });
  }
  return pathToFileURL(entry).href;
}
