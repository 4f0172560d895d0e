import { expect } from 'chai';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { LeaderElector } from '../../../lib/controller/election/leader-elector.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { ApiHandler } from '../../../lib/server/http/api-request.ts';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import type { LeaseSpec } from '../../../lib/types/index.ts';
import { ElectionWorld } from './election-world.ts';

/** Leases as other programs write them. */
const WRITERS: Readonly<Record<string, LeaseSpec>> = {
  'client-go': {
    holderIdentity: 'go-1_7d1f',
    leaseDurationSeconds: 15,
    acquireTime: '2020-01-01T00:00:00.123456Z',
    renewTime: '2020-01-01T00:00:00.123456Z',
    leaseTransitions: 3,
  },
  'client-node, with milliseconds': {
    holderIdentity: 'node-1',
    leaseDurationSeconds: 15,
    renewTime: '2030-01-01T00:00:00.123000Z',
  },
  'kopf, with a duration alone': { holderIdentity: 'kopf', leaseDurationSeconds: 15 },
  'a program that writes no more than a name': { holderIdentity: 'bare' },
};

describe('A Lease of another program', () => {
  let world: ElectionWorld;

  beforeEach(() => {
    world = new ElectionWorld();
  });

  afterEach(async () => {
    await world.close();
  });

  async function write(spec: LeaseSpec): Promise<void> {
    const leases = world.user.resource('coordination.k8s.io/v1', 'leases', {
      namespace: 'default',
    });
    const metadata = { name: 'program', namespace: 'default' };
    await world.do(
      leases.createOrUpdate('program', (stored) => ({
        ...stored,
        metadata: { ...stored?.metadata, ...metadata },
        spec,
      })),
    );
  }

  for (const [writer, spec] of Object.entries(WRITERS)) {
    it(`by ${writer} is waited for, and taken 15 s after it was seen last`, async () => {
      await write(spec);
      const a = world.replica('a');
      await world.runtime.advance(14_500);
      expect(a.steps).to.deep.equal([]);
      await world.runtime.advance(5000);
      expect(a.steps).to.have.length(1);
      expect(a.context?.lease.epoch).to.equal((spec.leaseTransitions ?? 0) + 1);
    });
  }

  it('is not taken while its holder renews it, for any of its times', async () => {
    const spec: LeaseSpec = {
      holderIdentity: 'other',
      leaseDurationSeconds: 15,
      renewTime: '2001-01-01T00:00:00.000000Z',
    };
    await write(spec);
    const a = world.replica('a');
    for (let second = 0; second < 60; second += 5) {
      await write({
        ...spec,
        renewTime: `2001-01-01T00:00:${String(second).padStart(2, '0')}.000001Z`,
      });
      await world.runtime.advance(5000);
    }
    expect(a.steps).to.deep.equal([]);
  });

  it('that says a longer duration is waited for as long as it says', async () => {
    await write({ holderIdentity: 'slow', leaseDurationSeconds: 60 });
    const a = world.replica('a');
    await world.runtime.advance(59_000);
    expect(a.steps).to.deep.equal([]);
    await world.runtime.advance(6000);
    expect(a.steps).to.have.length(1);
  });

  it('that kube-controller-manager assigns is refused in one line that names the remedy', async () => {
    await write({ holderIdentity: 'other', leaseDurationSeconds: 15 });
    const { handler } = world.server;
    const strategic: ApiHandler = async (request) => {
      const response = await handler(request);
      if (request.method !== 'GET' || !(response.body instanceof Uint8Array)) return response;
      // The server itself leaves the field out, as kube-apiserver does while its feature is off.
      const text = Buffer.from(response.body).toString();
      const body = text.replace('"spec":{', '"spec":{"strategy":"OldestEmulationVersion",');
      return { ...response, body: Buffer.from(body) };
    };
    const { runtime } = world;
    const client = new Client({ transport: inProcessTransport(strategic), runtime });
    const elector = new LeaderElector(client, {
      name: 'program',
      runtime,
      logger: silentLogger,
    });
    const failure = await world.do(
      elector.run({ lead: () => Promise.resolve() }).catch((error: unknown) => error),
    );
    expect(isListwatchError(failure, 'LEASE_INVALID')).to.equal(true);
    expect(String(failure)).to.match(
      /^[^\n]*strategy OldestEmulationVersion[^\n]*use another name$/,
    );
  });

  it('that is renewed under the own identity is refused in one line that names the remedy', async () => {
    await write({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      renewTime: '2024-01-01T00:00:00.000000Z',
    });
    const a = world.replica('a');
    await world.runtime.advance(1000);
    expect(a.failure, 'a restart finds its own name').to.equal(undefined);
    await write({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      renewTime: '2024-01-01T00:00:02.000000Z',
    });
    await world.runtime.advance(5000);
    expect(isListwatchError(a.failure, 'IDENTITY_TAKEN')).to.equal(true);
    expect(String(a.failure)).to.match(
      /^[^\n]*default\/program under the identity a [^\n]*such as the name of its pod$/,
    );
  });

  it('that goes back in time is reported in one line, and waited for anew', async () => {
    await write({ holderIdentity: 'other', leaseDurationSeconds: 15, leaseTransitions: 7 });
    const a = world.replica('a');
    await world.runtime.advance(10_000);
    await write({ holderIdentity: 'older', leaseDurationSeconds: 15, leaseTransitions: 4 });
    await world.runtime.advance(14_000);
    expect(a.steps).to.deep.equal([]);
    expect(a.log.join('\n')).to.include(
      'lease went back: its storage was restored, or it was edited; no replica takes it until it was unchanged for its duration (lease=default/program from=7 to=4)',
    );
    await world.runtime.advance(6000);
    expect(a.context?.lease.epoch).to.equal(5);
  });

  it('that goes back in time is lost by its holder', async () => {
    const a = world.replica('a');
    await world.runtime.advance(3000);
    const { spec } = await world.lease();
    await write({ ...spec, leaseTransitions: 5 });
    await world.runtime.advance(3000);
    expect(String(a.failure)).to.include('it went from epoch 0 to 5: it was restored or edited');
  });
});
