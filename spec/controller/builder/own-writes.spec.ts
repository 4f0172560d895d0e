import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import { deriveAbort } from '../../../lib/kernel/time/abort.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { ApiHandler } from '../../../lib/server/http/api-request.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';

const SEEDS = 3;
const EPISODES = 12;
const LONGEST_WATCH_MS = 100;
const OWNERS = ['a', 'b', 'c'];

interface World {
  readonly runtime: VirtualRuntime;
  readonly server: ApiServer;
}

/** Watches end after a random time, answers come late, and now and then the history is gone, so that the reader has to list again. */
function shaky({ runtime, server }: World): ApiHandler {
  return async (request) => {
    if (!request.url.includes('watch=')) {
      const response = await server.handler(request);
      await sleep(runtime, runtime.random() * 20);
      return response;
    }
    await sleep(runtime, runtime.random() * 60);
    if (runtime.random() < 0.5) await server.compact();
    const life = deriveAbort(request.signal);
    runtime.setTimer(runtime.random() * LONGEST_WATCH_MS, () => life.abort());
    return await server.handler({ ...request, signal: life.signal });
  };
}

/**
 * Episodes in which runs of the controller and a change of another meet; the result is the number of own writes left out. `dataOf` is what
 * a run writes, by its number.
 */
async function play(
  seed: number,
  dataOf: (run: number) => Readonly<Record<string, string>>,
): Promise<number> {
  const runtime = new VirtualRuntime({ seed });
  return await runtime.run(
    async () => {
      await using server = new ApiServer({ runtime });
      await using user = new Client({ transport: inProcessTransport(server.handler), runtime });
      const transport = inProcessTransport(shaky({ runtime, server }));
      await using client = new Client({ transport, runtime });
      const maps = user.resource('v1', 'configmaps', { namespace: 'default' });
      for (const name of OWNERS) {
        const { apiVersion, kind, metadata } = await user
          .resource('v1', 'secrets', { namespace: 'default' })
          .create({ metadata: { name } });
        const owner = { apiVersion, kind, name, uid: metadata.uid, controller: true };
        await maps.create({ metadata: { name, ownerReferences: [owner] }, data: { version: '0' } });
      }
      const seen: Record<string, string | undefined> = {};
      let runs = 0;
      const options = { runtime, logger: silentLogger, concurrency: 2 };
      const one = controller(client, 'v1', 'secrets', options)
        .owns('v1', 'configmaps')
        .reconcile(async ({ metadata: { name } }, { owned, resource, signal }) => {
          const [map] = owned('v1', 'configmaps');
          const version = map?.data?.['version'];
          seen[name] = version;
          runs += 1;
          await resource('v1', 'configmaps').patch(name, { data: dataOf(runs) }, { signal });
          // A list that ends before the run may have found this write and one of another as one change.
          await sleep(runtime, runtime.random() * 4_000);
        });
      const stop = new AbortController();
      const running = one.run({ signal: stop.signal });
      await one.whenReady();
      for (let episode = 1; episode <= EPISODES; episode += 1) {
        const version = `${seed}/${episode}`;
        for (const name of OWNERS) one.enqueue({ namespace: 'default', name });
        for (const name of OWNERS) {
          await sleep(runtime, runtime.random() * 15);
          await maps.patch(name, { data: { version } });
        }
        await sleep(runtime, 120_000);
        expect(seen).to.deep.equal({ a: version, b: version, c: version });
      }
      const suppressed = one.inspect().sources.reduce((sum, { ownWrites }) => sum + ownWrites, 0);
      stop.abort();
      await running;
      return suppressed;
    },
    { limitMs: 100 * EPISODES * 120_000 },
  );
}

describe('own writes of a controller', () => {
  it(`never hide a change of another that meets them, in ${SEEDS * EPISODES} episodes`, async () => {
    let suppressed = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      suppressed += await play(seed, (run) => ({ run: String(run) }));
    }
    expect(suppressed).to.be.at.least(SEEDS * EPISODES);
  });

  it(`never hide a change of another when they change nothing, in ${SEEDS * EPISODES} episodes`, async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) await play(seed, () => ({ run: 'done' }));
  });
});
