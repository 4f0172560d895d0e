/** `npm run check -- cluster`: what the controllers of a real cluster do, and those of the embedded one, side by side. */
import { connect } from '../../lib/client/rest/connect.ts';
import { startCluster } from '../../lib/cluster/cluster.ts';
import { sideBySide } from '../compare/side-by-side.ts';
import { RECORD_FILE } from './scenarios/recorded-outcomes.ts';
import { CONTROLLERS, ScenarioRunner, SCENARIOS } from './scenarios/run-scenarios.ts';

const QUIET = { onWarning: () => {} };

await sideBySide({
  command: 'cluster',
  realServer:
    'the real cluster: kube-apiserver, kube-controller-manager and kube-scheduler; spec/cluster/README.md says with what',
  cases: SCENARIOS,
  recordFile: RECORD_FILE,
  // Most of each scenario is waiting.
  atATime: 10,
  withServers: async ({ kubeconfig, run }, compare) => {
    await using cluster = await startCluster({ controllers: CONTROLLERS });
    await cluster.server.listen();
    const client = await connect({ ...cluster.server.clientConfig(), ...QUIET });
    await using ours = await ScenarioRunner.start({ client, run });
    await using real = await ScenarioRunner.start({
      client: await connect({ kubeconfig, ...QUIET }),
      run,
    });
    await real.whenFollowed();
    await ours.whenFollowed();
    await compare({ ours, real });
  },
});
