/**
 * Reads what a real kube-apiserver serves by default, and writes it as data of its minor version, beside that of the others:
 * `npm run generate -- tables-server`.
 */
import { parseArgs } from 'node:util';
import { Target, targetOfKubeconfig } from '../compare/target/target.ts';
import { recordOpenApi } from './record-open-api.ts';
import { recordPolicy } from './record-policy.ts';
import { recordSurface } from './record-resources.ts';
import { writeOpenApi } from './write-open-api.ts';
import { writePolicy } from './write-policy.ts';
import { writeTables } from './write-resources.ts';

const USAGE = `npm run generate -- tables-server --kubeconfig FILE

  --kubeconfig FILE  a new kube-apiserver that serves its default kinds and nothing else, and the credentials: the current context.
                     Its version has to be one of lib/meta/releases/kubernetes-releases.ts
  --help             shows this`;

const { values } = parseArgs({
  options: { kubeconfig: { type: 'string' }, help: { type: 'boolean', default: false } },
});
if (values.help || values.kubeconfig === undefined) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  const target = new Target(await targetOfKubeconfig(values.kubeconfig));
  try {
    const surface = await recordSurface(target);
    await writeTables(surface);
    const resources = surface.versions.flatMap((version) => version.resources);
    console.log(`kube-apiserver ${surface.serverVersion}: ${resources.length} resources`);
    const policy = await recordPolicy(target);
    await writePolicy(surface.serverVersion, policy);
    console.log(`${Object.values(policy).flat().length} lines of roles and bindings`);
    const openApi = await recordOpenApi(target);
    const sizes = await writeOpenApi(openApi);
    console.log(`${openApi.documents.size} OpenAPI documents; bytes by version: ${sizes}`);
  } finally {
    target.close();
  }
}
