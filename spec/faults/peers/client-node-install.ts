import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export const CLIENT_NODE = '@kubernetes/client-node';
/** The versions that are compared; the second needs Node 22. */
export const CLIENT_NODE_VERSIONS = { node20: '1.4.0', node22: '2.0.1' } as const;

const INSTALL_LIMIT_MS = 120_000;

/**
 * Puts the package into a folder outside the tree, unless it is there already, and returns the URL of its entry.
 * @throws {Error} when npm fails, for example because there is no network.
 */
export async function installClientNode(version: string): Promise<string> {
  const folder = join(tmpdir(), `listwatch-peer-client-node-${version}`);
  const entry = join(folder, 'node_modules', CLIENT_NODE, 'dist', 'index.js');
  if (!existsSync(entry)) {
    await mkdir(folder, { recursive: true });
    const wanted = `${CLIENT_NODE}@${version}`;
    const options = ['--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit'];
    await promisify(execFile)('npm', ['install', ...options, wanted], {
      timeout: INSTALL_LIMIT_MS,
    });
  }
  return pathToFileURL(entry).href;
}
