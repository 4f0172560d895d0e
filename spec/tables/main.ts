/**
 * Makes the tables of the built-in types again, from the Go modules of a Kubernetes version: `npm run tables`.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { generateTypeFiles, missingPackage, TYPES_VERSION } from './type-files.ts';

const USAGE = `npm run tables -- [options]

  --modules DIR      a Go module cache with k8s.io/api, apimachinery, apiextensions-apiserver and kube-aggregator
                     (go mod download k8s.io/api@VERSION fills one); $HOME/go/pkg/mod unless given
  --version VERSION  of these modules; ${TYPES_VERSION} unless given
  --help             shows this`;

const { values } = parseArgs({
  options: {
    modules: { type: 'string', default: join(process.env['HOME'] ?? '', 'go/pkg/mod') },
    version: { type: 'string', default: TYPES_VERSION },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
} else {
  const missing = missingPackage(values.modules, values.version);
  if (missing !== undefined) throw new Error(`there is no ${missing}: see --help`);
  const folder = resolve(import.meta.dirname, '../../lib/meta/types/tables');
  for (const { file, text } of generateTypeFiles(values.modules, values.version)) {
    writeFileSync(join(folder, file), text);
    console.log(`${file}: ${text.split('\n').length} lines, ${text.length} bytes`);
  }
}
