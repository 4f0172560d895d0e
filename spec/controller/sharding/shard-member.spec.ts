import { expect } from 'chai';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { ShardMember } from '../../../lib/controller/sharding/shard-member.ts';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { ApiHandler } from '../../../lib/server/http/api-request.ts';
import {
  decodeTable,
  encodeTable,
  TABLE_ANNOTATION,
} from '../../../lib/controller/sharding/slot-table.ts';
import { runSharding } from '../../election/sharding-run.ts';
import { ReplicaLink } from '../../election/replica-link.ts';
import { ReplicaRuntime } from '../../election/replica-runtime.ts';
import { lineLogger } from '../../support/line-logger.ts';

const KEYS = Array.from({ length: 300 }, (_, index) => `shop/item-${index}`);

interface Replica {
  readonly runtime: ReplicaRuntime;
  readonly share: ShardMember;
  readonly log: string[];
  failure: unknown;
  /** How long its runs go on after they were stopped, milliseconds. */
  drainMs: number;
}

describe('ShardMember', () => {
  let world: VirtualRuntime;
  let server: ApiServer;
  let user: Client;
  let replicas: Replica[];
  /** The link between the replicas and the server. */
  let handler: ApiHandler;

  beforeEach(() => {
    world = new VirtualRuntime();
    server = new ApiServer({ runtime: world });
    user = new Client({ transport: inProcessTransport(server.handler), runtime: world });
    replicas = [];
    handler = server.handler;
  });

  afterEach(async () => {
    for (const { runtime, share } of replicas) if (!runtime.isDead) await world.run(share.close());
    await world.run(server.close());
  });

  const leases = () => user.resource('coordination.k8s.io/v1', 'leases', { namespace: 'default' });

  function start(): Replica {
    const runtime = new ReplicaRuntime(world, { skewMs: 0, speed: 1 });
    const plan = {
      latencyMs: () => 5,
      partition: () => 'none' as const,
      arrivesLate: () => false,
      healed: () => Promise.resolve(),
      pauseBeforeCheckMs: () => 0,
      pauseBeforeSocketMs: () => 0,
    };
    const report = { sent: () => {}, answered: () => {}, received: () => {} };
    const transport = new ReplicaLink({
      handler: (request) => handler(request),
      replica: runtime,
      world,
      plan,
      report,
    });
    const log: string[] = [];
    const logger = lineLogger((line) => log.push(line));
    const client = new Client({ transport, runtime });
    const share = new ShardMember(client, { name: 'group', namespace: 'default', runtime, logger });
    const replica: Replica = { runtime, share, log, failure: undefined, drainMs: 0 };
    share.join({
      name: 'worker',
      gained: () => {},
      drained: async () => {
        if (replica.drainMs > 0) await sleep(runtime, replica.drainMs);
      },
    });
    share.run().catch((error: unknown) => {
      replica.failure = error;
    });
    replicas.push(replica);
    return replica;
  }

  /** How many of the living replicas have each key, by the number of them. */
  function owners(): number[] {
    const counts = KEYS.map(
      (key) => replicas.filter(({ runtime, share }) => !runtime.isDead && share.has(key)).length,
    );
    return [...new Set(counts)].toSorted((one, other) => one - other);
  }

  async function group(count: number): Promise<Replica[]> {
    for (let index = 0; index < count; index += 1) start();
    await world.advance(8000);
    return replicas;
  }

  it('gives each key to one of the replicas, and a part to each', async () => {
    await group(3);
    expect(owners()).to.deep.equal([1]);
    const slots = replicas.map(({ share }) => share.inspect().slots);
    expect(slots.reduce((sum, one) => sum + one)).to.equal(256);
    for (const one of slots) expect(one).to.be.within(50, 130);
  });

  it('moves keys to a replica that joins within 3 s, and only to it', async () => {
    const [a] = (await group(2)) as [Replica];
    const before = KEYS.filter((key) => a.share.has(key));
    const c = start();
    await world.advance(3000);
    expect(owners()).to.deep.equal([1]);
    for (const key of before) expect(a.share.has(key) || c.share.has(key), key).to.equal(true);
    expect(c.share.inspect().slots).to.be.above(50);
  });

  it('gives its keys away on a clean stop: others have them less than a second later', async () => {
    const [a] = (await group(3)) as [Replica];
    const left = a.share.close();
    await world.advance(950);
    await world.run(left);
    expect(owners()).to.deep.equal([1]);
    expect(a.share.inspect().slots).to.equal(0);
    const { items } = await world.run(leases().list());
    expect(items.map(({ metadata }) => metadata.name)).to.have.length(3);
  });

  it('has its keys taken after a crash when its lease was not seen to change: within 15 s + 4.4 s', async () => {
    const [a] = (await group(3)) as [Replica];
    a.runtime.kill();
    await world.advance(12_000);
    expect(owners(), 'they wait').to.deep.equal([0, 1]);
    await world.advance(7400);
    expect(owners()).to.deep.equal([1]);
  });

  it('keeps a key until its run has ended', async () => {
    const [a, b] = (await group(2)) as [Replica, Replica];
    for (const replica of [a, b]) replica.drainMs = 6000;
    const c = start();
    await world.advance(4000);
    expect(owners(), 'they begin nowhere meanwhile').to.deep.equal([0, 1]);
    expect(c.share.inspect().slots).to.equal(0);
    expect(a.share.inspect().leaving + b.share.inspect().leaving).to.be.above(50);
    await world.advance(6000);
    expect(owners()).to.deep.equal([1]);
    expect(c.share.inspect().slots).to.be.above(50);
  });

  it('has no key as soon as it was stopped for longer than its lease lasts, and comes back as another member', async () => {
    const [a] = (await group(3)) as [Replica];
    const { member } = a.share.inspect();
    a.runtime.stop(20_000);
    await world.advance(10_500);
    expect(KEYS.some((key) => a.share.has(key))).to.equal(false);
    expect(() => a.share.fence.check()).to.throw();
    await world.advance(25_000);
    expect(owners()).to.deep.equal([1]);
    expect(a.share.inspect().slots).to.be.above(30);
    expect(a.share.inspect().member).to.not.equal(member);
  });

  it('has its keys again within a second after it was stopped, when no other has taken them', async () => {
    const [a] = (await group(1)) as [Replica];
    a.runtime.stop(10_500);
    await world.advance(10_500);
    expect(owners()).to.deep.equal([0]);
    await world.advance(1000);
    expect(a.share.inspect().slots).to.equal(256);
  });

  it('whose lease a person deletes is waited for, because it may not know it yet', async () => {
    const [a] = (await group(2)) as [Replica];
    await world.run(leases().delete(a.share.inspect().member ?? ''));
    for (let step = 0; step < 300; step += 1) {
      await world.advance(100);
      expect(Math.max(...owners())).to.be.at.most(1);
    }
    expect(owners()).to.deep.equal([1]);
  });

  it('whose lease a person deletes while it is stopped keeps its keys for as long as it may believe in it', async () => {
    const [a, b] = (await group(2)) as [Replica, Replica];
    a.runtime.stop(60_000);
    await world.run(leases().delete(a.share.inspect().member ?? ''));
    await watchOwners(14_000);
    expect(b.share.inspect().slots).to.be.below(200);
    await watchOwners(5000);
    expect(b.share.inspect().slots).to.equal(256);
  });

  it('stops when the table was deleted, and makes another one when each replica has noticed it', async () => {
    await group(2);
    await world.run(leases().delete('group'));
    await world.advance(5000);
    expect(owners()).to.deep.equal([0]);
    await world.advance(20_000);
    expect(owners()).to.deep.equal([1]);
  });

  /** Writes the table of the group as a person may do it. */
  async function editTable(text: (now: string) => string): Promise<void> {
    const { metadata } = await world.run(leases().get('group'));
    const now = metadata.annotations?.[TABLE_ANNOTATION] ?? '';
    const annotations = { [TABLE_ANNOTATION]: text(now) };
    await world.run(leases().patch('group', { metadata: { annotations } }));
  }

  /** At no moment has a key more than one replica. */
  async function watchOwners(forMs: number): Promise<void> {
    for (let passedMs = 0; passedMs < forMs; passedMs += 100) {
      await world.advance(100);
      expect(Math.max(...owners()), `after ${passedMs} ms`).to.be.at.most(1);
    }
  }

  it('waits when the table goes back in time, and says in one line what to do', async () => {
    start();
    await world.advance(5000);
    const early = (await world.run(leases().get('group'))).metadata.annotations?.[TABLE_ANNOTATION];
    await group(2);
    expect(owners()).to.deep.equal([1]);
    await editTable(() => early ?? '');
    await watchOwners(5000);
    expect(owners(), 'they wait').to.deep.equal([0]);
    await watchOwners(20_000);
    expect(owners()).to.deep.equal([1]);
    for (const { log } of replicas) {
      const notified = log.filter((line) => line.includes('went back'));
      expect(notified, log.join('\n')).to.have.length(1);
      expect(notified[0]).to.match(
        /^sharding failed: the table of slots in the lease default\/group went back to change \d+: its storage was restored, or it was edited; [^\n]*; stop all replicas before such a change/,
      );
    }
  });

  it('waits when another table takes the place of the one that it knows', async () => {
    await group(2);
    const { metadata } = await world.run(leases().get('group'));
    await world.run(leases().delete('group'));
    const { name, labels, annotations } = metadata;
    await world.run(leases().create({ metadata: { name, labels, annotations } }));
    await watchOwners(10_000);
    expect(owners(), 'they wait').to.deep.equal([0]);
    await watchOwners(12_000);
    expect(owners()).to.deep.equal([1]);
  });

  it('cuts its runs off when a person gives its keys away, and says in one line what to do', async () => {
    const [a, b] = (await group(2)) as [Replica, Replica];
    const given = b.share.inspect().member;
    await editTable((now) => {
      const { change, owners: all } = decodeTable(now, 'x');
      return encodeTable({ change: change + 1, owners: all.map(() => given) });
    });
    await world.advance(500);
    expect(a.log.join('\n')).to.match(
      /^sharding failed: the lease default\/group gives \d+ slots of group-\w+ to others, which this replica has not given away: [^\n]*; do not edit them while replicas run(?: \([^\n]*\))?$/,
    );
    await world.advance(10_000);
    expect(owners()).to.deep.equal([1]);
    expect(a.share.inspect())
      .to.include({ failure: undefined })
      .and.have.property('slots')
      .above(50);
  });

  it('whose Lease another process renews joins again, and says in one line that two have one identity', async () => {
    const [a] = (await group(2)) as [Replica];
    const { member = '' } = a.share.inspect();
    const annotations = { 'election.listwatch.dev/instance': 'another' };
    await world.run(leases().patch(member, { metadata: { annotations } }));
    await world.advance(3000);
    expect(a.log.join('\n')).to.match(
      /^sharding failed: [^\n]* has lost the lease default\/group-\w+: another process has the same identity; give each replica one of its own; this replica joins again as another member(?: \([^\n]*\))?$/,
    );
    expect(a.share.inspect().member).to.not.equal(member);
    await watchOwners(25_000);
    expect(owners()).to.deep.equal([1]);
  });

  it('does not give its keys away while runs go on: others have them when its lease has ended', async () => {
    const [a, b] = (await group(2)) as [Replica, Replica];
    a.drainMs = 60_000;
    const ended = a.share.close({ timeoutMs: 2000 });
    await world.advance(2100);
    await world.run(ended);
    expect(b.share.inspect().slots, 'they wait').to.be.below(200);
    expect(a.log.join('\n')).to.match(/keys were not given away: runs go on; .*member=group-\w+/);
    await world.advance(12_000);
    expect(b.share.inspect().slots, 'they still wait').to.be.below(200);
    await world.advance(7000);
    expect(b.share.inspect().slots).to.equal(256);
  });

  it('gives a key away by no write that arrives late, after it was to keep it again', async () => {
    const [a] = (await group(1)) as [Replica];
    let late: (() => void) | undefined;
    handler = async (request) => {
      if (late === undefined && request.method === 'PUT' && request.url.endsWith('/leases/group')) {
        await new Promise<void>((resolve) => {
          late = resolve;
        });
      }
      return await server.handler(request);
    };
    const c = start();
    await world.advance(2000);
    expect(late, 'a write that gives keys away is under way').to.not.equal(undefined);
    await world.run(c.share.close());
    await world.advance(8000);
    expect(a.share.inspect().slots).to.equal(256);
    late?.();
    await world.advance(5000);
    expect(a.share.inspect().slots).to.equal(256);
    expect(a.log.filter((line) => !line.includes('no answer'))).to.deep.equal([]);
  });

  it('refuses options of leader election that have no effect, and names that are no labels', () => {
    const make = (options: object) => () => new ShardMember(user, { name: 'group', ...options });
    expect(make({ fencing: 'strict' })).to.throw(/unknown option "fencing"/);
    expect(make({ name: 'x'.repeat(64) })).to.throw(/"name" must have at most 63 characters/);
  });

  it('fails its health check while runs go on long after their right has ended', async () => {
    const [a] = (await group(2)) as [Replica];
    a.drainMs = 80_000;
    a.runtime.stop(16_000);
    await world.advance(40_000);
    expect(() => a.share.check()).to.not.throw();
    expect(a.log.join('\n')).to.not.include('pass their signal on');
    await world.advance(15_000);
    expect(() => a.share.check()).to.throw(/runs still go on; pass their signal on/);
    expect(a.log.join('\n')).to.include('pass their signal on to what they wait for');
    expect(a.share.inspect().slots).to.equal(0);
    await world.advance(60_000);
    expect(() => a.share.check()).to.not.throw();
    expect(a.share.inspect().slots).to.be.above(50);
  });

  it('says so once when keys cannot move because their runs go on', async () => {
    const [a] = (await group(1)) as [Replica];
    a.drainMs = 80_000;
    start();
    await world.advance(35_000);
    expect(a.log).to.deep.equal([]);
    await world.advance(20_000);
    expect(a.log).to.have.length(1);
    expect(a.log[0]).to.match(
      /^sharding failed: runs go on 30 s after their signals have aborted because their keys are to move[^\n]*; pass the signal of runs on to what they wait for(?: \([^\n]*\))?$/,
    );
    expect(a.share.inspect().failure).to.be.a('string');
    await world.advance(40_000);
    expect(a.share.inspect()).to.include({ failure: undefined, leaving: 0 });
    expect(owners()).to.deep.equal([1]);
  });

  for (const [whose, spec] of [
    ['x holds it', { holderIdentity: 'x' }],
    ['it has no holder', {}],
  ] as const) {
    it(`is refused a Lease that is not of sharding, in one line: ${whose}`, async () => {
      await world.run(leases().create({ metadata: { name: 'group' }, spec }));
      const a = start();
      await world.advance(3000);
      expect(isListwatchError(a.failure, 'LEASE_INVALID'), String(a.failure)).to.equal(true);
      expect(String(a.failure)).to.match(
        new RegExp(
          `^[^\\n]*lacks the label sharding.listwatch.dev/group, and ${whose}; use another name for the group, or delete the lease when its program does not run$`,
        ),
      );
    });
  }

  it('makes no table at once when others have known one that was deleted, also when it has just started', async () => {
    await group(2);
    await world.run(leases().delete('group'));
    start();
    await watchOwners(12_000);
    expect(owners(), 'they wait').to.deep.equal([0]);
    await watchOwners(10_000);
    expect(owners()).to.deep.equal([1]);
  });

  it('is refused a Lease of another program, in one line that names the remedy', async () => {
    const labels = { 'sharding.listwatch.dev/group': 'group' };
    await world.run(
      leases().create({ metadata: { name: 'group', labels }, spec: { holderIdentity: 'x' } }),
    );
    const a = start();
    await world.advance(3000);
    expect(isListwatchError(a.failure, 'LEASE_INVALID'), String(a.failure)).to.equal(true);
    expect(String(a.failure)).to.include('use another name, or delete it when no replica runs');
  });

  for (const faults of ['joins and leaves', 'crashes', 'all', 'deletions'] as const) {
    it(`runs no key twice with ${faults}, for 2 seeds; npm run check -- sharding has more`, async () => {
      for (let seed = 1; seed <= 2; seed += 1) {
        const { twice, complete, errors, runs } = await runSharding({
          seed,
          faults,
          server: 'model',
        });
        expect({ seed, twice, complete, errors }).to.deep.equal({
          seed,
          twice: 0,
          complete: true,
          errors: [],
        });
        expect(runs).to.be.above(5000);
      }
    });
  }
});
