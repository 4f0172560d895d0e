/** `npm run check -- verbs`: every verb, subresource and helper of the client on a real server and on the embedded one, side by side. */
import { ApiServer } from '../../../lib/cluster/server/index.ts';
import { sideBySide } from '../../compare/side-by-side.ts';
import { RECORD_FILE } from './recorded-answers.ts';
import { CaseRunner, VERB_CASES } from './run-cases.ts';

await sideBySide({
  command: 'verbs',
  realServer: 'the real server',
  cases: VERB_CASES,
  recordFile: RECORD_FILE,
  withServers: async ({ kubeconfig, run }, compare) => {
    await using server = new ApiServer();
    await server.listen();
    await using ours = await CaseRunner.start(server.clientConfig(), `verbs-${run}`);
    await using real = await CaseRunner.start({ kubeconfig }, `verbs-${run}`);
    await compare({ ours, real });
  },
});
