import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { ClusterMember } from '../../../lib/controller/clusters/cluster-member.ts';
import type { AnyController } from '../../../lib/controller/manager/managed-parts.ts';
import { deferred, type Deferred } from '../../../lib/kernel/time/latch.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { lineLogger } from '../../support/line-logger.ts';

describe('ClusterMember', () => {
  let runtime: VirtualRuntime;
  let server: ApiServer;
  let client: Client;
  let log: string[];
  /** The end of the present controller. */
  let run: Deferred<void>;
  let made: number;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    server = new ApiServer({ runtime });
    client = new Client({ transport: inProcessTransport(server.handler), runtime });
    log = [];
    made = 0;
  });

  afterEach(async () => {
    await client.close();
    await runtime.run(server.close());
    expect(runtime.pending).to.equal(0);
  });

  /** A controller whose end the spec decides. */
  function fakeController(): AnyController {
    made += 1;
    run = deferred<void>();
    const ended = run.promise;
    const fake: Partial<AnyController> = {
      name: 'fake',
      run: () => ended,
      whenReady: () => Promise.resolve(),
      drain: async () => ({ dropped: [], running: [] }) as never,
      inspect: () => ({ name: 'fake', phase: 'running' }) as never,
    };
    return fake as AnyController;
  }

  async function started(): Promise<ClusterMember> {
    const member = new ClusterMember({
      name: 'west',
      client,
      make: () => [fakeController()],
      metrics: () => undefined,
      runtime,
      logger: lineLogger((line) => log.push(line)),
    });
    member.start(undefined);
    await runtime.settle();
    return member;
  }

  async function drain(member: ClusterMember): Promise<void> {
    await member.drain({ timeoutMs: 1_000, signal: new AbortController().signal });
    await runtime.settle();
  }

  it('announces no new controllers for a failure while it is drained, and makes none', async () => {
    const member = await started();
    await drain(member);
    run.reject(new Error('broken'));
    await runtime.settle();
    expect(member.inspect()).to.include({ state: 'ended', failures: 1, lastError: 'broken' });
    expect(log).to.have.length(1);
    expect(log[0]).to.match(/^a cluster failed while it was drained/);
    await runtime.run(member.stop());
    expect(made).to.equal(1);
  });

  it('does not wait for its next controllers when it is drained', async () => {
    const member = await started();
    run.reject(new Error('broken'));
    await runtime.settle();
    expect(member.inspect().state).to.equal('waiting');
    await drain(member);
    expect(member.inspect().state).to.equal('ended');
    expect(member.ended.isOpen).to.equal(true);
    await runtime.run(member.stop());
    expect(made).to.equal(1);
  });
});
