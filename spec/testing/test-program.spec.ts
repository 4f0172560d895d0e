import { expect } from 'chai';
import { Client } from '../../lib/client/rest/client.ts';
import { isListwatchError } from '../../lib/kernel/failure/errors.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../lib/kernel/time/wait.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import type { ApiRequest } from '../../lib/server/http/api-request.ts';
import { TestProgram, type ProgramRun } from '../../lib/testing/test-program.ts';

const MAPS = ['v1', 'configmaps', { namespace: 'default' }] as const;

/** A server, a user, and a program that writes config maps `map-1`, `map-2` …, one a second. */
class World {
  readonly runtime: VirtualRuntime = new VirtualRuntime({ seed: 3 });
  readonly server: ApiServer = new ApiServer({ runtime: this.runtime });
  readonly user: Client = this.client();
  /** The observations of the code of the program. */
  readonly noticed: string[] = [];
  readonly program: TestProgram;
  /** The requests of the program. */
  readonly requests: ApiRequest[] = [];
  #next = 0;

  constructor(main: (world: World, run: ProgramRun) => Promise<void> = writesMaps) {
    this.program = new TestProgram({
      handler: async (request) => {
        this.requests.push(request);
        return await this.server.handler(request);
      },
      runtime: this.runtime,
      main: (run) => main(this, run),
    });
  }

  client(transport = inProcessTransport(this.server.handler)): Client {
    return new Client({ transport, runtime: this.runtime });
  }

  nextName(): string {
    this.#next += 1;
    return `map-${this.#next}`;
  }

  async stored(): Promise<readonly string[]> {
    return (await this.user.resource(...MAPS).list()).items.map(({ metadata }) => metadata.name);
  }

  async run(story: () => Promise<void>): Promise<void> {
    await this.runtime.run(async () => {
      try {
        await story();
      } finally {
        await this.program.close().catch(() => {});
        await this.user.close();
        await this.server.close();
      }
    });
    expect(this.runtime.pending).to.equal(0);
  }
}

async function writesMaps(world: World, { transport, signal }: ProgramRun): Promise<void> {
  await using client = world.client(transport);
  while (!signal.aborted) {
    const name = world.nextName();
    try {
      await client.resource(...MAPS).create({ metadata: { name } });
      world.noticed.push(name);
    } catch (error) {
      world.noticed.push(`${name}: ${(error as { code?: string }).code}`);
    }
    await sleep(world.runtime, 1000, { signal }).catch(() => {});
  }
}

async function codeOf(work: () => unknown): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return isListwatchError(error) ? error.code : String(error);
  }
}

describe('TestProgram', () => {
  it('dies after the server has stored the write of a crash point, and does not get the answer', async () => {
    const world = new World();
    await world.run(async () => {
      const point = world.program.crashAt({ match: { verb: 'create' }, skip: 1 });
      world.program.start();
      await sleep(world.runtime, 1500);
      expect(await world.stored()).to.deep.equal(['map-1', 'map-2']);
      expect(world.noticed).to.deep.equal(['map-1', 'map-2: CLOSED']);
      expect(world.program).to.include({ running: false, crashes: 1, starts: 1 });
      expect(point).to.include({ matched: 2, applied: 1, fired: 1 });
    });
  });

  it('dies before it sends the request of a crash point that is not handled', async () => {
    const world = new World();
    await world.run(async () => {
      world.program.crashAt({ match: { verb: 'create' }, skip: 1, handled: false });
      world.program.start();
      await sleep(world.runtime, 1500);
      expect(await world.stored()).to.deep.equal(['map-1']);
      expect(world.noticed).to.deep.equal(['map-1', 'map-2: CLOSED']);
    });
  });

  it('is started again after a pause, by default of a second, with nothing of the run before', async () => {
    const world = new World();
    await world.run(async () => {
      world.program.crashAt({ match: { verb: 'create' } });
      world.program.start();
      await sleep(world.runtime, 999);
      expect(world.program.running).to.equal(false);
      await sleep(world.runtime, 2);
      expect(world.program).to.include({ running: true, crashes: 1, starts: 2 });
      expect(await world.stored()).to.deep.equal(['map-1', 'map-2']);
    });
  });

  it('crashes as often as the point says, and not when the point has ended', async () => {
    const world = new World();
    await world.run(async () => {
      const twice = world.program.crashAt({ match: { verb: 'create' }, times: 2 });
      world.program.crashAt({ match: { verb: 'create' }, times: 9 }).remove();
      world.program.start();
      await sleep(world.runtime, 10_000);
      expect(twice.fired).to.equal(2);
      expect(world.program.starts).to.equal(3);
    });
  });

  it('is not started twice by a start of the test before the pause is over', async () => {
    const world = new World();
    await world.run(async () => {
      world.program.crashAt({ match: { verb: 'create' } });
      world.program.start();
      await sleep(world.runtime, 500);
      world.program.start();
      await sleep(world.runtime, 5000);
      expect(world.program).to.include({ running: true, crashes: 1, starts: 2 });
    });
  });

  it('does not crash for a request of a run that has crashed before its answer', async () => {
    const world = new World();
    await world.run(async () => {
      const slow = { match: { verb: 'create' }, delayMs: 2000, times: 1 } as const;
      world.server.faults.add(slow);
      const point = world.program.crashAt({ match: { verb: 'create' } });
      world.program.start();
      await sleep(world.runtime, 500);
      world.program.crash();
      world.program.start();
      await sleep(world.runtime, 5000);
      expect(point).to.include({ applied: 1, fired: 0 });
      expect(world.program).to.include({ running: true, crashes: 1, starts: 2 });
    });
  });

  it('ignores the requests of other programs', async () => {
    const world = new World();
    await world.run(async () => {
      const point = world.program.crashAt({ match: { verb: 'create' } });
      await world.user.resource(...MAPS).create({ metadata: { name: 'of-the-user' } });
      expect(point.matched).to.equal(0);
    });
  });

  it('stays down after crash(), also when it waits for its next start', async () => {
    const world = new World();
    await world.run(async () => {
      world.program.crashAt({ match: { verb: 'create' } });
      world.program.start();
      await sleep(world.runtime, 500);
      world.program.crash();
      await sleep(world.runtime, 60_000);
      expect(world.program).to.include({ running: false, crashes: 1, starts: 1 });
      world.program.start();
      world.program.crash();
      expect(world.program).to.include({ running: false, crashes: 2, starts: 2 });
      await sleep(world.runtime, 60_000);
      expect(world.program.running).to.equal(false);
    });
  });

  it('sends nothing more after a crash, although its code goes on', async () => {
    const deaf = async (world: World, { transport }: ProgramRun): Promise<void> => {
      await using client = world.client(transport);
      for (let left = 5; left > 0; left -= 1) {
        const name = world.nextName();
        const made = await Promise.allSettled([
          client.resource(...MAPS).create({ metadata: { name } }),
        ]);
        world.noticed.push(`${name} ${made[0].status}`);
        await sleep(world.runtime, 1000);
      }
    };
    const world = new World(deaf);
    await world.run(async () => {
      world.program.start();
      await sleep(world.runtime, 1500);
      world.program.crash();
      await sleep(world.runtime, 10_000);
      expect(world.noticed).to.have.length(5);
      expect(world.noticed.slice(1, 3)).to.deep.equal(['map-2 fulfilled', 'map-3 rejected']);
      expect(await world.stored()).to.deep.equal(['map-1', 'map-2']);
    });
  });

  it('ends the watches of a crashed run, at the program and on the server', async () => {
    let watches = 0;
    const watcher = async (world: World, { transport, signal }: ProgramRun): Promise<void> => {
      await using client = world.client(transport);
      try {
        for await (const _ of client.resource(...MAPS).watch({ signal })) watches += 1;
      } finally {
        world.noticed.push('the watch has ended');
      }
    };
    const world = new World(watcher);
    await world.run(async () => {
      world.program.start();
      await sleep(world.runtime, 100);
      await world.user.resource(...MAPS).create({ metadata: { name: 'one' } });
      await sleep(world.runtime, 100);
      world.program.crash();
      await world.user.resource(...MAPS).create({ metadata: { name: 'two' } });
      await sleep(world.runtime, 100);
      expect(watches).to.equal(1);
      expect(world.noticed).to.deep.equal(['the watch has ended']);
      expect(world.requests.map(({ signal }) => signal.aborted)).to.deep.equal([true]);
    });
  });

  it('can crash at the start of a watch, which the server ends', async () => {
    const watcher = async (world: World, { transport, signal }: ProgramRun): Promise<void> => {
      await using client = world.client(transport);
      for await (const _ of client.resource(...MAPS).watch({ signal })) world.noticed.push('event');
    };
    const world = new World(watcher);
    await world.run(async () => {
      world.program.crashAt({ match: { verb: 'watch' } });
      world.program.start();
      await sleep(world.runtime, 500);
      await world.user.resource(...MAPS).create({ metadata: { name: 'one' } });
      expect(world.program.crashes).to.equal(1);
      expect(world.noticed).to.deep.equal([]);
    });
  });

  it('talks to the server that a start names, and to it after the next crash', async () => {
    const world = new World();
    await world.run(async () => {
      await using other = new ApiServer({ runtime: world.runtime });
      world.program.start();
      await sleep(world.runtime, 100);
      world.program.crash();
      world.program.crashAt({ match: { verb: 'create' } });
      world.program.start(other.handler);
      await sleep(world.runtime, 1500);
      expect(await world.stored()).to.deep.equal(['map-1']);
      await using second = world.client(inProcessTransport(other.handler));
      const { items } = await second.resource(...MAPS).list();
      expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['map-2', 'map-3']);
    });
  });

  it('is closed with the error of a run that failed by itself, and not with those of crashes', async () => {
    const failing = async (world: World, { signal }: ProgramRun): Promise<void> => {
      await sleep(world.runtime, 1000, { signal });
      throw new Error('a mistake in the program');
    };
    const world = new World(failing);
    await world.run(async () => {
      world.program.start();
      await sleep(world.runtime, 500);
      world.program.crash();
      world.program.start();
      await sleep(world.runtime, 2000);
      expect(world.program.running).to.equal(false);
      expect(await codeOf(() => world.program.close())).to.include('a mistake in the program');
      expect(await codeOf(() => world.program.close())).to.equal(undefined);
    });
  });

  it('closes the transport of a run that has ended by itself', async () => {
    const world = new World(async (_, { transport }) => {
      kept = world.client(transport);
    });
    let kept: Client | undefined;
    await world.run(async () => {
      world.program.start();
      await sleep(world.runtime, 10);
      expect(world.program).to.include({ running: false, crashes: 0, starts: 1 });
      expect(await codeOf(() => kept?.resource(...MAPS).list())).to.equal('CLOSED');
      await kept?.close();
    });
  });

  it('cannot be started while it runs, nor after its end, and takes only crash points that say when', async () => {
    const world = new World();
    await world.run(async () => {
      const { program } = world;
      program.start();
      expect(await codeOf(() => program.start())).to.equal('ALREADY_STARTED');
      await program.close();
      expect(program.running).to.equal(false);
      expect(await codeOf(() => program.start())).to.equal('CLOSED');
      const wrong = { match: { verb: 'create' }, afterEvents: 1 } as const;
      expect(await codeOf(() => program.crashAt(wrong))).to.equal('INVALID_OPTION');
      expect(await codeOf(() => program.crashAt({ times: 0 }))).to.equal('INVALID_OPTION');
      const options = { handler: world.server.handler } as never;
      expect(await codeOf(() => new TestProgram(options))).to.equal('INVALID_OPTION');
    });
  });
});
