/** `npm run check -- admission`: admission by webhooks and plug-ins on a real server and on the embedded one, side by side. */
import { ApiServer } from '../../lib/cluster/server/index.ts';
import { sideBySide } from '../compare/side-by-side.ts';
import { RECORD_FILE } from './recorded-answers.ts';
import { ADMISSION_CASES, CaseRunner } from './run-cases.ts';

await sideBySide({
  command: 'admission',
  realServer: 'the real server',
  cases: ADMISSION_CASES,
  recordFile: RECORD_FILE,
  withServers: async ({ kubeconfig, run }, compare) => {
    await using server = new ApiServer();
    await server.listen();
    await using ours = await CaseRunner.start(server.clientConfig(), `admission-${run}`);
    await using real = await CaseRunner.start({ kubeconfig }, `admission-${run}`);
    await compare({ ours, real });
  },
});
