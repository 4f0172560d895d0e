/**
 * Records the OpenAPI documents of a real server as data of `lib`: `npm run generate -- tables-openapi --kubeconfig FILE`.
 */
import { parseArgs } from 'node:util';
import { Target, targetOfKubeconfig } from '../compare/target/target.ts';
import { recordOpenApi } from './record-open-api.ts';
import { OPEN_API_FILE, writeOpenApi } from './write-open-api.ts';

const { values } = parseArgs({
  options: { kubeconfig: { type: 'string' } },
  allowPositionals: true,
});
if (values.kubeconfig === undefined) throw new Error('--kubeconfig FILE names the real server');
const target = new Target(await targetOfKubeconfig(values.kubeconfig));
try {
  const recorded = await recordOpenApi(target);
  await writeOpenApi(recorded);
  const names = [...recorded.documents.keys()];
  console.log(`${names.length} documents of ${recorded.serverVersion} in ${OPEN_API_FILE}`);
} finally {
  target.close();
}
