/**
 * Reads the resources and table columns of a real kube-apiserver, and writes them as data: `npm run generate -- tables-resources`.
 */
import { parseArgs } from 'node:util';
import { Target, targetOfKubeconfig } from '../compare/target/target.ts';
import { recordSurface } from './record-resources.ts';
import { COLUMN_FILE, RESOURCE_FILE, writeTables } from './write-resources.ts';

const USAGE = `npm run generate -- tables-resources [options]

  --server URL       a kube-apiserver that serves its default kinds and nothing else; its certificate is not checked.
                     The token is in the variable TABLES_TOKEN
  --kubeconfig FILE  the server and the credentials: the current context
  --help             shows this`;

const { values } = parseArgs({
  options: {
    server: { type: 'string' },
    kubeconfig: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const { server, kubeconfig, help } = values;
if (help || (server === undefined && kubeconfig === undefined)) {
  console.log(USAGE);
  process.exitCode = help ? 0 : 2;
} else {
  const options =
    kubeconfig === undefined
      ? { server: server as string, token: process.env['TABLES_TOKEN'] }
      : await targetOfKubeconfig(kubeconfig);
  const target = new Target(options);
  try {
    const surface = await recordSurface(target);
    await writeTables(surface);
    const resources = surface.versions.flatMap((version) => version.resources);
    console.log(`kube-apiserver ${surface.serverVersion}: ${resources.length} resources`);
    console.log(`written: ${RESOURCE_FILE}, ${COLUMN_FILE}`);
  } finally {
    target.close();
  }
}
