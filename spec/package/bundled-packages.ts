import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';
import { readManifest, ROOT, type Manifest } from './manifest.ts';

const YAML = join(ROOT, 'node_modules', 'yaml');

/**
 * Packages that are in the bundle, with the file that stands for each. `yaml` takes 1.4 MB in an install and 0.1 MB in the bundle. Its
 * files for browsers are modules of ECMAScript, which are bundled without a `require`.
 */
export const BUNDLED: Readonly<Record<string, string>> = {
  yaml: join(YAML, 'browser', 'dist', 'index.js'),
};

/** Its licence, which goes with the code. */
export const YAML_LICENSE: string = join(YAML, 'LICENSE');

/** The packages that an install has. */
function externalOf({ dependencies, peerDependencies }: Manifest): string[] {
  return Object.keys({ ...dependencies, ...peerDependencies });
}

/** How the sources become programs: all modules of the entries once, in chunks that they share, for the oldest Node. */
export const BUNDLE: BuildOptions & { readonly external: string[] } = {
  absWorkingDir: ROOT,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: externalOf(readManifest()),
  alias: BUNDLED,
  logLevel: 'warning',
};
