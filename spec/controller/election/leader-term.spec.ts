import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import {
  LeaderElector,
  type LeaderContext,
} from '../../../lib/controller/election/leader-elector.ts';
import type { LeaderElectorOptions } from '../../../lib/controller/election/leader-election-options.ts';
import { PREEMPTION_ANNOTATION } from '../../../lib/controller/election/preemption.ts';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { onAbort } from '../../../lib/kernel/time/abort.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { ApiHandler } from '../../../lib/server/http/api-request.ts';
import type { LeaseSpec } from '../../../lib/types/index.ts';
import { RecordedMetrics } from '../../client/support/recorded-metrics.ts';
import { ReplicaRuntime } from '../../election/replica-runtime.ts';
import { lineLogger } from '../../support/line-logger.ts';

/** Ends with its signal. */
const untilStopped = ({ signal }: LeaderContext): Promise<void> =>
  new Promise((resolve) => {
    onAbort(signal, resolve);
  });

/** One elector whose requests take no time, unless the spec delays them. */
describe('The term of a leader', () => {
  let world: VirtualRuntime;
  let runtime: ReplicaRuntime;
  let server: ApiServer;
  let handler: ApiHandler;
  let metrics: RecordedMetrics;
  let log: string[];
  let stop: AbortController;
  let context: LeaderContext | undefined;
  let outcome: unknown;

  beforeEach(() => {
    world = new VirtualRuntime();
    runtime = new ReplicaRuntime(world, { skewMs: 0, speed: 1 });
    server = new ApiServer({ runtime: world });
    handler = server.handler;
    metrics = new RecordedMetrics();
    log = [];
    stop = new AbortController();
    context = undefined;
    outcome = 'runs';
  });

  afterEach(async () => {
    stop.abort();
    await world.advance(60_000);
    expect(outcome).not.to.equal('runs');
    await world.run(server.close());
    expect(world.pending).to.equal(0);
  });

  /** An elector that runs with this work; its end is the `outcome`. */
  async function run(
    lead: (context: LeaderContext) => Promise<void>,
    options: Partial<LeaderElectorOptions> = {},
  ): Promise<LeaderElector> {
    const transport = inProcessTransport(async (request) => await handler(request));
    const elector = new LeaderElector(new Client({ transport, runtime }), {
      name: 'program',
      identity: 'a',
      runtime,
      metrics,
      logger: lineLogger((line) => log.push(line)),
      ...options,
    });
    expect(elector.inspect()).to.deep.equal({
      phase: 'new',
      identity: 'a',
      leader: undefined,
      epoch: undefined,
      leftMs: undefined,
      failure: undefined,
    });
    expect(elector.leads).to.equal(false);
    elector.check();
    const work = elector.run({
      lead: (given) => {
        context = given;
        return lead(given);
      },
      signal: stop.signal,
    });
    void work.then(
      () => {
        outcome = 'resolved';
      },
      (error: unknown) => {
        outcome = error;
      },
    );
    await world.settle();
    return elector;
  }

  const isPut = (method: string): boolean => method === 'PUT';

  /** Answers writes of the Lease as this function says; undefined: as the server does. */
  function interceptPuts(answer: (spec: LeaseSpec) => ReturnType<ApiHandler> | undefined): void {
    handler = async (request) => {
      if (!isPut(request.method)) return await server.handler(request);
      const { spec } = JSON.parse(Buffer.from(request.body).toString()) as { spec: LeaseSpec };
      return await (answer(spec) ?? server.handler(request));
    };
  }

  const silence = (): Promise<never> => new Promise(() => {});

  async function holder(): Promise<string | undefined> {
    const client = new Client({ transport: inProcessTransport(server.handler), runtime: world });
    const leases = client.resource('coordination.k8s.io/v1', 'leases', { namespace: 'default' });
    return (await world.run(leases.get('program'))).spec?.holderIdentity;
  }

  const released = (result: string): number =>
    metrics.sum('listwatch_election_requests_total', { operation: 'release', result });

  it('ends with its work: the lease is given back, and no write passes, without an abort of its signal', async () => {
    const elector = await run(async () => await sleep(runtime, 1000));
    expect(elector.inspect()).to.include({
      phase: 'leading',
      leader: 'a',
      epoch: 0,
      leftMs: 10_000,
    });
    await world.advance(1001);
    expect(outcome).to.equal('resolved');
    expect(await holder()).to.equal(undefined);
    expect([released('ok'), released('error')]).to.deep.equal([1, 0]);
    expect(elector.inspect()).to.include({
      phase: 'stopped',
      leader: undefined,
      leftMs: undefined,
    });
    expect(() => context?.lease.check())
      .to.throw('a has given the lease back')
      .with.property('code', 'NOT_LEADING');
    stop.abort();
    expect(context?.signal.aborted).to.equal(false);
    expect(metrics.values('leader_election_master_status')).to.deep.equal([0, 1, 0]);
  });

  it('has its time by the clock: it leads until nothing is left, and shows no negative rest', async () => {
    const elector = await run(untilStopped);
    runtime.setClock(9999);
    expect([elector.leads, elector.inspect().leftMs]).to.deep.equal([true, 1]);
    runtime.setClock(10_000);
    expect([elector.leads, elector.inspect().leftMs]).to.deep.equal([false, 0]);
    runtime.setClock(10_500);
    expect([elector.leads, elector.inspect().leftMs]).to.deep.equal([false, 0]);
  });

  it('has no time left once it was lost, while its work goes on', async () => {
    interceptPuts(silence);
    const elector = await run(() => sleep(runtime, 20_000));
    await world.advance(11_000);
    expect(elector.inspect()).to.include({ phase: 'draining', leftMs: 0 });
    expect(isListwatchError(context?.signal.reason, 'LEADERSHIP_LOST')).to.equal(true);
    await world.advance(10_000);
    expect(outcome).to.equal(context?.lease.lost.reason);
    expect([released('ok'), released('error')], 'nothing is given back').to.deep.equal([0, 0]);
    expect(await holder()).to.equal('a');
  });

  it('is given back also in its last millisecond', async () => {
    interceptPuts(({ holderIdentity }) => (holderIdentity === undefined ? undefined : silence()));
    runtime = new ReplicaRuntime(world, { skewMs: 0, speed: 1 });
    await run(untilStopped);
    await world.advance(1000);
    runtime.setClock(8999);
    stop.abort();
    await world.settle();
    expect([outcome, released('ok')]).to.deep.equal(['resolved', 1]);
    expect(await holder()).to.equal(undefined);
  });

  it('never begins when it was stopped while the lease was taken, which is given back', async () => {
    handler = async (request) => {
      if (request.method === 'POST') await sleep(world, 100);
      return await server.handler(request);
    };
    await run(untilStopped);
    stop.abort();
    await world.advance(200);
    expect([outcome, context, released('ok')]).to.deep.equal(['resolved', undefined, 1]);
    expect(await holder()).to.equal(undefined);
  });

  it('never begins when it was stopped before', async () => {
    stop.abort();
    const elector = await run(untilStopped);
    expect([outcome, context]).to.deep.equal(['resolved', undefined]);
    expect(elector.inspect().phase).to.equal('stopped');
  });

  it('never begins with fencing: strict on a server that does not compare epochs', async () => {
    handler = async ({ headers, ...request }) => {
      const { 'listwatch-fence': _, ...others } = headers;
      return await server.handler({ ...request, headers: others });
    };
    await run(untilStopped, { fencing: 'strict' });
    expect(isListwatchError(outcome, 'FENCING_UNSUPPORTED'), String(outcome)).to.equal(true);
    expect(String(outcome)).to.include("default/program, as fencing: 'strict' asks for");
    expect([context, await holder()]).to.deep.equal([undefined, undefined]);
  });

  it('carries the epoch in its writes with fencing: strict, and none without', async () => {
    await run(untilStopped, { fencing: 'strict' });
    expect(context?.lease.headers['listwatch-fence']).to.match(/^default\/program; .*epoch=0$/);
    stop.abort();
    await world.settle();
    stop = new AbortController();
    await run(untilStopped);
    expect(context?.lease.headers).to.deep.equal({});
    expect(context?.lease.epoch).to.equal(1);
  });

  it('ends without a failure when its work rejects with the reason of the stop', async () => {
    await run(async ({ signal }) => {
      await sleep(runtime, 60_000, { signal });
    });
    stop.abort(new Error('enough'));
    await world.settle();
    expect([outcome, await holder()]).to.deep.equal(['resolved', undefined]);
  });

  it('ends with another failure of its work behind a stop', async () => {
    const failure = new Error('not saved');
    await run(async (given) => {
      await untilStopped(given);
      throw failure;
    });
    stop.abort();
    await world.settle();
    expect([outcome, await holder()]).to.deep.equal([failure, undefined]);
  });

  it('ends with what its work throws at once', async () => {
    const failure = new Error('no reports');
    await run(() => {
      throw failure;
    });
    expect([outcome, await holder()]).to.deep.equal([failure, undefined]);
  });

  it('ends with the loss of the lease, and not with a failure of its work behind it', async () => {
    interceptPuts(silence);
    await run(async (given) => {
      await untilStopped(given);
      throw new Error('cut off');
    });
    await world.advance(10_001);
    expect(isListwatchError(outcome, 'LEADERSHIP_LOST'), String(outcome)).to.equal(true);
  });

  /** Another replica asks for the lease. */
  async function ask(): Promise<void> {
    const client = new Client({ transport: inProcessTransport(server.handler), runtime: world });
    const leases = client.resource('coordination.k8s.io/v1', 'leases', { namespace: 'default' });
    const annotations = { [PREEMPTION_ANNOTATION]: '2024 laptop' };
    await world.run(leases.patch('program', { metadata: { annotations } }));
    await world.advance(2001);
  }

  it('ends for a replica that asks for the lease, which is given back', async () => {
    await run(untilStopped);
    await ask();
    expect(isListwatchError(outcome, 'LEADERSHIP_PREEMPTED'), String(outcome)).to.equal(true);
    expect(context?.signal.reason).to.equal(outcome);
    expect(await holder()).to.equal(undefined);
  });

  it('ends with a failure of its work, also when another replica has asked for the lease', async () => {
    const failure = new Error('not saved');
    await run(async (given) => {
      await untilStopped(given);
      throw failure;
    });
    await ask();
    expect(outcome).to.equal(failure);
  });

  it('ends without a failure when it was asked for the lease and then stopped', async () => {
    const elector = await run(() => sleep(runtime, 5000));
    await ask();
    expect(elector.inspect().phase).to.equal('draining');
    stop.abort();
    await world.advance(5000);
    expect(outcome).to.equal('resolved');
  });

  it('waits for its work for drainTimeoutMs after a stop, and keeps the lease then', async () => {
    await run(() => sleep(runtime, 20_000), { drainTimeoutMs: 3000 });
    await world.advance(5000);
    stop.abort();
    await world.advance(2999);
    expect(outcome).to.equal('runs');
    await world.advance(2);
    expect(isListwatchError(outcome, 'TIMEOUT'), String(outcome)).to.equal(true);
    expect(String(outcome)).to.include(
      'the work of the leader of default/program to end; pass its signal on to what it waits for, or raise drainTimeoutMs',
    );
    expect([await holder(), released('ok'), released('error')]).to.deep.equal(['a', 0, 0]);
    expect(() => context?.lease.check())
      .to.throw()
      .with.property('code', 'NOT_LEADING');
  });

  it('ends also when the lease cannot be given back, which is logged and counted', async () => {
    interceptPuts(({ holderIdentity }) => (holderIdentity === undefined ? silence() : undefined));
    await run(() => sleep(runtime, 1000));
    await world.advance(1001 + 4999);
    expect(outcome).to.equal('runs');
    await world.advance(1);
    expect(outcome).to.equal('resolved');
    expect([released('ok'), released('error')]).to.deep.equal([0, 1]);
    expect(log).to.deep.equal([
      'lease was not given back; another replica takes it when it has expired: no answer about the lease default/program within 5000 ms; check that the API server answers (identity=a leaseDurationMs=15000)',
    ]);
  });

  it('is the only one of an elector', async () => {
    const elector = await run(untilStopped);
    const failure = await world.run(
      elector.run({ lead: untilStopped }).catch((error: unknown) => error),
    );
    expect(isListwatchError(failure, 'ALREADY_STARTED')).to.equal(true);
    expect(elector.inspect().phase).to.equal('leading');
  });
});
