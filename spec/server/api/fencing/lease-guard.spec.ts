import { expect } from 'chai';
import { inProcessTransport } from '../../../../lib/client/transport/in-process/in-process-transport.ts';
import { Client } from '../../../../lib/client/rest/client.ts';
import type { WriteFence } from '../../../../lib/client/transport/contract/write-fence.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { FENCE_HEADER, fenceHeader } from '../../../../lib/meta/fence-token.ts';
import type { Stored } from '../../../../lib/meta/stored.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import type { Lease } from '../../../../lib/types/index.ts';

const REFUSED = new Error('refused by the server');

describe('A write that carries the epoch of a lease', () => {
  let runtime: VirtualRuntime;
  let server: ApiServer;
  let client: Client;
  let lease: Stored<Lease>;

  beforeEach(async () => {
    runtime = new VirtualRuntime();
    server = new ApiServer({ runtime });
    client = new Client({ transport: inProcessTransport(server.handler), runtime });
    lease = await runtime.run(
      leases().create({
        metadata: { name: 'program' },
        spec: { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 3 },
      }),
    );
  });

  afterEach(async () => {
    await runtime.run(server.close());
  });

  function leases() {
    return client.resource('coordination.k8s.io/v1', 'leases', { namespace: 'default' });
  }

  /** Writes with an epoch; no check on this side. */
  function fenced(
    epoch: number,
    uid: string = lease.metadata.uid,
    name: string = 'program',
  ): Client {
    const header = fenceHeader({ namespace: 'default', name, uid, epoch });
    const fence: WriteFence = {
      check: () => {},
      validUntilMs: Infinity,
      lost: new AbortController().signal,
      headers: { [FENCE_HEADER]: header },
      refused: () => REFUSED,
    };
    return client.fencedBy(fence);
  }

  const maps = (of: Client) => of.resource('v1', 'configmaps', { namespace: 'default' });

  async function failureOf(work: Promise<unknown>): Promise<unknown> {
    return await runtime.run(
      work.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
  }

  it('is carried out at the epoch of the lease: each verb', async () => {
    const own = maps(fenced(3));
    await runtime.run(own.create({ metadata: { name: 'one' } }));
    const stored = await runtime.run(own.patch('one', { data: { a: '1' } }));
    await runtime.run(own.update({ ...stored, data: { a: '2' } }));
    await runtime.run(
      own.apply(
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { b: '1' } },
        { fieldManager: 'spec' },
      ),
    );
    await runtime.run(own.delete('one'));
    await runtime.run(own.deleteCollection());
  });

  it('is refused at another epoch, and changes nothing: each verb, also a dry run', async () => {
    const stored = await runtime.run(maps(client).create({ metadata: { name: 'one' } }));
    for (const epoch of [2, 4]) {
      const other = maps(fenced(epoch));
      const writes = (): Promise<unknown>[] => [
        other.create({ metadata: { name: 'two' } }),
        other.patch('one', { data: { a: '1' } }),
        other.update({ ...stored, data: { a: '2' } }),
        other.apply(
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { b: '1' } },
          { fieldManager: 'spec' },
        ),
        other.delete('one'),
        other.deleteCollection(),
        other.patch('one', { data: { a: '1' } }, { dryRun: true }),
      ];
      const failures = writes().map(failureOf);
      for (const failure of failures) expect(await failure).to.equal(REFUSED);
    }
    const { items } = await runtime.run(maps(client).list());
    const found = items.find(({ metadata }) => metadata.name === 'one');
    expect(found?.metadata.resourceVersion).to.equal(stored.metadata.resourceVersion);
    expect(items.map(({ metadata }) => metadata.name)).to.not.include('two');
  });

  it('is refused when the lease is another one of its name, is held by no process, or is gone', async () => {
    const create = (one: Client) => failureOf(maps(one).create({ metadata: { name: 'x' } }));
    expect(await create(fenced(3, 'another-uid'))).to.equal(REFUSED);
    expect(await create(fenced(3, lease.metadata.uid, 'missing'))).to.equal(REFUSED);
    const { holderIdentity: _, ...spec } = lease.spec ?? {};
    await runtime.run(leases().update({ ...lease, spec }));
    expect(await create(fenced(3))).to.equal(REFUSED);
    await runtime.run(leases().delete('program'));
    expect(await create(fenced(3))).to.equal(REFUSED);
  });

  it('says in a Status and a header which epoch counts', async () => {
    const response = await runtime.run(
      server.handler({
        method: 'POST',
        url: '/api/v1/namespaces/default/configmaps',
        headers: {
          'content-type': 'application/json',
          [FENCE_HEADER]: fenceHeader({
            namespace: 'default',
            name: 'program',
            uid: lease.metadata.uid,
            epoch: 2,
          }),
        },
        body: Buffer.from('{"metadata":{"name":"x"}}'),
        signal: new AbortController().signal,
      }),
    );
    expect(response.status).to.equal(409);
    expect(response.headers[FENCE_HEADER]).to.equal('refused');
    expect(Buffer.from(response.body as Uint8Array).toString()).to.include(
      'the write carries epoch 2 of the lease default/program, and it is at epoch 3',
    );
  });

  it('with a header of another form is a 400 that names the form', async () => {
    const fence = { ...fenceOf('nonsense') };
    const error = await failureOf(maps(client.fencedBy(fence)).create({ metadata: { name: 'x' } }));
    expect(String(error)).to.include('is not of the form NAMESPACE/NAME; uid=UID; epoch=NUMBER');
  });

  function fenceOf(header: string): WriteFence {
    return {
      check: () => {},
      validUntilMs: Infinity,
      lost: new AbortController().signal,
      headers: { [FENCE_HEADER]: header },
      refused: () => REFUSED,
    };
  }

  it('loses to a new epoch that is stored between its check and its transaction, and not to a renewal', async () => {
    const stored = await runtime.run(
      maps(client).create({ metadata: { name: 'one' }, data: { n: '0' } }),
    );
    void stored;
    // Many at a time, so that the transactions of the lease fall between all steps of the writes.
    const outcomes: unknown[] = [];
    const writes = Array.from({ length: 80 }, async (_unused, index) => {
      for (let hop = 0; hop < index; hop += 1) await Promise.resolve();
      try {
        const { metadata } = await maps(fenced(3)).patch('one', { data: { n: String(index) } });
        outcomes.push(BigInt(metadata.resourceVersion ?? '0'));
      } catch (error) {
        outcomes.push(error);
      }
    });
    const change = async (): Promise<bigint> => {
      for (let hop = 0; hop < 30; hop += 1) await Promise.resolve();
      const renewed = await leases().update({
        ...lease,
        spec: { ...lease.spec, renewTime: '2024-01-01T00:00:00.000000Z' },
      });
      for (let hop = 0; hop < 30; hop += 1) await Promise.resolve();
      const next = await leases().update({
        ...renewed,
        spec: { ...renewed.spec, holderIdentity: 'b', leaseTransitions: 4 },
      });
      return BigInt(next.metadata.resourceVersion);
    };
    const [taken] = await runtime.run(Promise.all([change(), ...writes]));
    const accepted = outcomes.filter((outcome) => typeof outcome === 'bigint');
    expect(
      outcomes.filter((outcome) => outcome !== REFUSED && typeof outcome !== 'bigint'),
    ).to.deep.equal([]);
    expect(accepted.length, 'some came before').to.be.above(0);
    expect(accepted.length, 'some came after').to.be.below(80);
    for (const version of accepted)
      expect(version < taken, `${version} after ${taken}`).to.equal(true);
  });
});
