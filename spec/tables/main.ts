/**
 * Makes the tables of the built-in types again, and the interfaces of `listwatch/types` from them and from the enums of the source, from the Go modules of all Kubernetes versions that the tables know: `npm run generate -- tables`.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { builtInVersions } from '../../lib/meta/surface/built-in-surface.ts';
import { NEWEST_MINOR } from '../../lib/meta/releases/kubernetes-releases.ts';
import { KindsWriter } from './kinds/write-kinds.ts';
import { ALL_RELEASES, moduleVersion } from './recorded-minor.ts';
import { generateTypeFiles, missingModule, readTypeEnums } from './type-files.ts';

const USAGE = `npm run generate -- tables [options]

  --modules DIR      a Go module cache with k8s.io/api, apimachinery, apiextensions-apiserver and kube-aggregator of
                     ${ALL_RELEASES}, there v0.35.4 and so on
                     (go mod download k8s.io/api@VERSION fills one); $HOME/go/pkg/mod unless given
  --help             shows this`;

const { values } = parseArgs({
  options: {
    modules: { type: 'string', default: join(process.env['HOME'] ?? '', 'go/pkg/mod') },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
} else {
  const missing = missingModule(values.modules);
  if (missing !== undefined) throw new Error(`there is no ${missing}: see --help`);
  const folder = resolve(import.meta.dirname, '../../lib/meta/types/tables');
  for (const { file, text } of generateTypeFiles(values.modules)) {
    writeFileSync(join(folder, file), text);
    console.log(`${file}: ${text.split('\n').length} lines, ${text.length} bytes`);
  }
  // Read after the tables have been written.
  const { builtInTypes } = await import('../../lib/meta/types/built-in-types.ts');
  const kinds = new KindsWriter({
    table: builtInTypes(),
    versions: builtInVersions(),
    enums: readTypeEnums(values.modules),
    source: `k8s.io/api ${moduleVersion(NEWEST_MINOR)}`,
  });
  const kindsFolder = resolve(import.meta.dirname, '../../lib/types/built-in');
  for (const { file, text } of kinds.files()) {
    writeFileSync(join(kindsFolder, file), text);
    console.log(`${file}: ${text.split('\n').length} lines, ${text.length} bytes`);
  }
}
