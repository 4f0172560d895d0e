import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

const load = createRequire(import.meta.url);

let loaded: typeof Yaml | undefined;

/** The package `yaml`, loaded at the first document: a server without YAML starts in less time than loading the package takes. */
export function yamlPackage(): typeof Yaml {
  loaded ??= load('yaml') as typeof Yaml;
  return loaded;
}
