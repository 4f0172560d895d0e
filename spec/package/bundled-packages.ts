import { join } from 'node:path';
import { ROOT, type Manifest } from './manifest.ts';

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
export function externalOf({ dependencies, peerDependencies }: Manifest): string[] {
  return Object.keys({ ...dependencies, ...peerDependencies });
}
