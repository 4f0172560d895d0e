import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { LeaseLock } from '../../../lib/controller/election/lease-lock.ts';
import { PREEMPTION_ANNOTATION } from '../../../lib/controller/election/preemption.ts';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { deriveAbort } from '../../../lib/kernel/time/abort.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { ApiHandler } from '../../../lib/server/http/api-request.ts';
import type { Lease } from '../../../lib/types/index.ts';

const INSTANCE = 'election.listwatch.dev/instance';
const START = '2024-01-01T00:00:00.000000Z';
const CALL = { timeoutMs: 5000 };
const FORBIDDEN = JSON.stringify({
  kind: 'Status',
  status: 'Failure',
  reason: 'Forbidden',
  code: 403,
});

describe('LeaseLock', () => {
  let runtime: VirtualRuntime;
  let server: ApiServer;
  let handler: ApiHandler;
  /** Method and path of each request. */
  let requests: string[];

  beforeEach(() => {
    runtime = new VirtualRuntime();
    server = new ApiServer({ runtime });
    handler = server.handler;
    requests = [];
  });

  afterEach(async () => {
    await runtime.run(server.close());
    expect(runtime.pending).to.equal(0);
  });

  function lockOf(identity: string, labels?: Readonly<Record<string, string>>): LeaseLock {
    const transport = inProcessTransport(async (request) => {
      requests.push(`${request.method} ${request.url}`);
      return await handler(request);
    });
    return new LeaseLock({
      client: new Client({ transport, runtime }),
      namespace: 'default',
      name: 'program',
      identity,
      instance: `${identity}-1`,
      leaseDurationMs: 15_000,
      labels,
      runtime,
    });
  }

  const refuse = (): void => {
    handler = () =>
      Promise.resolve({
        status: 403,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(FORBIDDEN),
      });
  };

  const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
    await runtime.run(
      work.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );

  async function created(lock: LeaseLock): Promise<Stored<Lease>> {
    const lease = await runtime.run(lock.create(CALL));
    if (lease === undefined) throw new Error('it is there');
    return lease;
  }

  it('creates the Lease with its holder, its run and its labels, in the first epoch', async () => {
    const lock = lockOf('a', { team: 'red' });
    expect([lock.name, lock.what]).to.deep.equal(['program', 'default/program']);
    expect(await runtime.run(lock.read(CALL))).to.equal(undefined);
    const { metadata, spec } = await created(lock);
    expect(metadata).to.deep.include({
      name: 'program',
      namespace: 'default',
      labels: { team: 'red' },
      annotations: { [INSTANCE]: 'a-1' },
    });
    expect(spec).to.deep.equal({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: START,
      renewTime: START,
      leaseTransitions: 0,
    });
    expect((await runtime.run(lock.read(CALL)))?.metadata.uid).to.equal(metadata.uid);
    expect(await runtime.run(lockOf('b').create(CALL)), 'another one was first').to.equal(
      undefined,
    );
  });

  it('takes the Lease with the epoch, and removes the request of a replica that asks for it', async () => {
    const lease = await created(lockOf('a'));
    const asked = await runtime.run(lockOf('c').askFor(lease, CALL));
    expect(asked?.metadata.annotations).to.deep.equal({
      [INSTANCE]: 'a-1',
      [PREEMPTION_ANNOTATION]: `${START} c`,
    });
    expect(asked?.spec, 'its holder goes on').to.deep.equal(lease.spec);
    await runtime.advance(3000);
    const taken = await runtime.run(lockOf('b').take(asked!, 4, CALL));
    expect(taken?.metadata.annotations).to.deep.equal({ [INSTANCE]: 'b-1' });
    expect(taken?.spec).to.deep.equal({
      holderIdentity: 'b',
      leaseDurationSeconds: 15,
      acquireTime: '2024-01-01T00:00:03.000000Z',
      renewTime: '2024-01-01T00:00:03.000000Z',
      leaseTransitions: 4,
    });
  });

  it('renews no more than the time of the renewal', async () => {
    const lock = lockOf('a', { team: 'red' });
    const lease = await created(lock);
    await runtime.advance(2000);
    const renewed = await runtime.run(lock.renew(lease, CALL));
    expect(renewed?.spec).to.deep.equal({
      ...lease.spec,
      renewTime: '2024-01-01T00:00:02.000000Z',
    });
    expect(renewed?.metadata).to.deep.include({
      labels: { team: 'red' },
      annotations: { [INSTANCE]: 'a-1' },
    });
  });

  it('gives the Lease back without a holder, for others after one second', async () => {
    const lock = lockOf('a');
    const lease = await created(lock);
    await runtime.advance(2000);
    const free = await runtime.run(lock.release(lease, CALL));
    const { holderIdentity: _, ...spec } = lease.spec ?? {};
    expect(free?.spec).to.deep.equal({
      ...spec,
      leaseDurationSeconds: 1,
      renewTime: '2024-01-01T00:00:02.000000Z',
    });
  });

  it('writes nothing over a Lease that has changed or is gone', async () => {
    const lock = lockOf('a');
    const old = await created(lock);
    await runtime.advance(1000);
    await runtime.run(lock.renew(old, CALL));
    const writes = (): Promise<(Stored<Lease> | undefined)[]> =>
      Promise.all([
        lock.take(old, 2, CALL),
        lock.renew(old, CALL),
        lock.release(old, CALL),
        lock.askFor(old, CALL),
      ]);
    const nothing = [undefined, undefined, undefined, undefined];
    expect(await runtime.run(writes())).to.deep.equal(nothing);
    await runtime.run(lock.leases.delete('program'));
    expect(await runtime.run(writes())).to.deep.equal(nothing);
  });

  it('passes other failures on', async () => {
    const lock = lockOf('a');
    const lease = await created(lock);
    refuse();
    for (const work of [
      () => lock.read(CALL),
      () => lock.create(CALL),
      () => lock.renew(lease, CALL),
      () => lock.isFenced(lease, CALL),
    ]) {
      expect(await failureOf(work()), String(work)).to.have.property('code', 'FORBIDDEN');
    }
  });

  it('gives up when the limit of the request is over, and not a millisecond before', async () => {
    handler = () => new Promise(() => {});
    const lock = lockOf('a');
    let failure: unknown;
    const reading = lock.read({ timeoutMs: 1999.6 }).catch((error: unknown) => {
      failure = error;
    });
    await runtime.advance(1999);
    expect(failure).to.equal(undefined);
    await runtime.advance(1);
    await reading;
    expect(isListwatchError(failure, 'TIMEOUT')).to.equal(true);
    expect(String(failure)).to.include(
      'no answer about the lease default/program within 2000 ms; check that the API server answers',
    );
  });

  it('ends a request with the signal of the caller, and leaves no listener at it', async () => {
    handler = () => new Promise(() => {});
    const lock = lockOf('a');
    const stop = deriveAbort();
    const reason = new Error('stopped');
    const reading = failureOf(lock.read({ ...CALL, signal: stop.signal }));
    stop.abort(reason);
    expect(await reading).to.equal(reason);
    handler = server.handler;
    const listeners: string[] = [];
    const { signal } = new AbortController();
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>): void => {
      listeners.push('added');
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>): void => {
      listeners.pop();
      remove(...given);
    };
    await runtime.run(lock.read({ ...CALL, signal }));
    expect(listeners).to.deep.equal([]);
  });

  it('finds out by a dry run whether the server compares the epoch of a write', async () => {
    const lock = lockOf('a');
    const first = await created(lock);
    const later = await runtime.run(lock.take(first, 5, CALL));
    requests.splice(0);
    expect(await runtime.run(lock.isFenced(later!, CALL))).to.equal(true);
    expect(requests).to.have.length(1);
    expect(requests[0]).to.match(/^PATCH .*\/leases\/program\?.*dryRun=All/);
    const now = await runtime.run(lock.read(CALL));
    expect(now?.metadata.resourceVersion).to.equal(later?.metadata.resourceVersion);
    handler = async ({ headers, ...request }) => {
      const { 'listwatch-fence': _, ...others } = headers;
      return await server.handler({ ...request, headers: others });
    };
    expect(await runtime.run(lock.isFenced(later!, CALL))).to.equal(false);
  });

  it('probes the fence of a Lease in its first epoch with the next one', async () => {
    const lock = lockOf('a');
    const first = await created(lock);
    let fence: string | undefined;
    handler = async (request) => {
      fence = request.headers['listwatch-fence'];
      return await server.handler(request);
    };
    expect(await runtime.run(lock.isFenced(first, CALL))).to.equal(true);
    expect(fence).to.equal(`default/program; uid=${first.metadata.uid}; epoch=1`);
    const second = await runtime.run(lock.take(first, 5, CALL));
    expect(await runtime.run(lock.isFenced(second!, CALL))).to.equal(true);
    expect(fence).to.equal(`default/program; uid=${first.metadata.uid}; epoch=4`);
  });
});
