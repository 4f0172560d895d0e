import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import { startCluster } from '../../../lib/cluster/cluster.ts';
import { execKnown } from '../../../lib/cluster/life/containers/exec-known.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { PodOutput } from '../../../lib/server/api/pods/container-streams.ts';
import { caught } from '../support/virtual-cluster-world.ts';
import { LifeWorld } from './life-world.ts';

const HOOK = { annotations: { 'helm.sh/hook': 'test' } };

describe('a command in a container of a node', () => {
  it('does as it says without a function', async () => {
    const runtime = new VirtualRuntime();
    const command = ['sh', '-c', 'echo one two; sleep 5; exit 3'];
    const end = await runtime.run(() => executed(command, runtime));
    expect(end).to.deep.equal([3, 'one two\n', '']);
    expect(runtime.monotonicMs()).to.equal(5000);
  });

  it('ends when its client goes', async () => {
    const runtime = new VirtualRuntime();
    const gone = new AbortController();
    runtime.setTimer(1000, () => gone.abort(new Error('gone')));
    const running = runtime.run(() => executed(['sleep', 'infinity'], runtime, gone.signal));
    expect(await caught(running)).to.include({ message: 'gone' });
  });

  it('is answered with the option that it wants when it is not known', async () => {
    const [code, , stderr] = await executed(['ls', '/'], new VirtualRuntime());
    expect(code).to.equal(126);
    expect(stderr).to.include('in the container main: give "exec" in option containers');
  });

  it('arrives there from a client', async () => {
    await using cluster = await startCluster({ controllers: 'workloads' });
    await cluster.server.listen();
    await using client = await connect(cluster.server.clientConfig());
    const pods = client.resource('v1', 'pods', { namespace: 'default' });
    const containers = [{ name: 'main', image: 'nginx' }];
    await pods.create({ metadata: { name: 'web' }, spec: { containers } });
    await pods.wait('web', (pod) => pod?.status?.phase === 'Running');
    expect(await pods.exec('web', ['echo', 'hi'])).to.include({ exitCode: 0, stdout: 'hi\n' });
  });
});

async function executed(
  command: readonly string[],
  runtime: Runtime,
  signal: AbortSignal = new AbortController().signal,
): Promise<[number, string, string]> {
  let [out, err] = ['', ''];
  const stdout: PodOutput = {
    write: async (data) => void (out += String(data)),
  };
  const stderr: PodOutput = {
    write: async (data) => void (err += String(data)),
  };
  const code = await execKnown({ command, container: 'main', stdout, stderr, signal }, runtime);
  return [code, out, err];
}

describe('a pod that is a hook of Helm', () => {
  it('ends well, and its log says that nothing was run', async () => {
    await LifeWorld.run({}, async (world) => {
      await world.create('test', { restartPolicy: 'Never' }, HOOK);
      await world.untilPhase('test', 'Succeeded');
      expect(await world.pods.logs('test')).to.include('was not run');
    });
  });

  it('does what its command says, and a rule comes before', async () => {
    const containers = [{ match: { image: 'ruled' }, exitCode: 4, runsForMs: 0 }];
    await LifeWorld.run({ containers }, async (world) => {
      const once = 'Never' as const;
      const spec = (image: string, command: string[]) => ({
        restartPolicy: once,
        containers: [{ name: 'main', image, command }],
      });
      await world.create('known', spec('busybox', ['sh', '-c', 'exit 1']), HOOK);
      await world.create('ruled', spec('ruled', ['wget', 'web']), HOOK);
      await world.untilPhase('known', 'Failed');
      await world.untilPhase('ruled', 'Failed');
    });
  });

  it('runs on when it is to be started again', async () => {
    await LifeWorld.run({}, async (world) => {
      await world.create('web', {}, HOOK);
      await world.untilReady('web');
      await world.world.sleep(60_000);
      expect((await world.pod('web')).status?.containerStatuses?.[0]?.restartCount).to.equal(0);
    });
  });
});
