import { expect } from 'chai';
import { ItemExponentialRateLimiter } from '../../../lib/controller/workqueue/limits/item-exponential-rate-limiter.ts';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';
import { Manager, controller } from '../../../lib/index.ts';
import type { PlannedFault, RequestPoint } from '../../../lib/simulator/contract/fault.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import { SIMULATOR_VERSION } from '../../../lib/simulator/contract/simulator-version.ts';
import { Simulation, type Verdict } from '../../../lib/simulator/run/simulation.ts';
import { simulationParts } from '../../../lib/simulator/run/simulation-parts.ts';
import { copies, copySteps } from '../support/copies.ts';

const FIRST_WRITE: RequestPoint = {
  verb: 'patch',
  resource: 'secrets',
  object: 'default/page',
  occurrence: 1,
};
const page = { resource: 'configmaps', object: 'default/page' } as const;
const created = { ...page, change: 'created', occurrence: 1 } as const;
const changed = { ...page, change: 'changed', occurrence: 1 } as const;
const process = 'copies';
const at = FIRST_WRITE;

/** A fault, and what the trace of its run has. */
const CASES: Readonly<Record<string, readonly [PlannedFault, readonly RegExp[]]>> = {
  'a crash before a request': [
    { kind: 'crash', process, at, moment: 'before' },
    [
      /copies crash before patch secrets default\/page\n(?:(?!commit secrets).)*copies start as copies-2/s,
    ],
  ],
  'a crash after a write': [
    { kind: 'crash', process, at, moment: 'handled' },
    [/copies commit secrets default\/page created .*\n.*copies crash after the server has handled/],
  ],
  'a crash at an answer': [
    { kind: 'crash', process, at, moment: 'answered' },
    [/copies answer #\d+ 201\n.*copies crash at the answer to patch secrets/],
  ],
  'a crash some wake-ups after an answer': [
    { kind: 'crash', process, at, moment: 'later', wakeUp: 1 },
    [
      /copies answer #\d+ 201\n(?:(?!answer|crash).)*copies crash after the answer to patch secrets/s,
    ],
  ],
  'a webhook that is down': [
    {
      kind: 'webhook',
      process,
      at: { ...at, object: undefined },
      resource: 'secrets',
      forMs: 30_000,
    },
    [
      /request #(\d+) patch secrets default\/page\n(?:(?!commit secrets).)*answer #\1 500/s,
      /copies answer #\d+ 201/,
    ],
  ],
  'an error in place of an answer': [
    { kind: 'error', process, at, status: 500, handled: false },
    [/request #(\d+) patch secrets default\/page\n(?:(?!commit secrets).)*answer #\1 500/s],
  ],
  'an error although the request was handled': [
    { kind: 'error', process, at, status: 504, handled: true },
    [
      /request #(\d+) patch secrets default\/page\n.*commit secrets default\/page created .*answer #\1 504/s,
    ],
  ],
  'a lost request': [
    { kind: 'lost', process, at, handled: false },
    [/request #(\d+) patch secrets default\/page\n(?:(?!commit secrets).)*answer #\1 none/s],
  ],
  'a lost answer': [
    { kind: 'lost', process, at, handled: true },
    [
      /request #(\d+) patch secrets default\/page\n.*commit secrets default\/page created .*answer #\1 none/s,
    ],
  ],
  'a request that arrives twice': [
    { kind: 'repeat', process, at: { ...at, verb: 'patch' } },
    [
      /request #(\d+) patch secrets default\/page\n.*commit secrets default\/page created .*answer #\1 200/s,
    ],
  ],
  'broken watches with a compacted history': [
    { kind: 'cut', process, at: created, compacted: true },
    [/copies answer #\d+ 410/],
  ],
  'a change that is never seen': [
    { kind: 'hide', process, at: created, until: changed, mode: 'missed' },
    [
      /copies fault sees configmaps again/,
      /commit configmaps default\/page changed (?:(?!changed).)*copies answer #\d+ 410/s,
    ],
  ],
  'a restart with old caches': [
    { kind: 'stale', process, at: changed, view: created, side: 'before', forMs: 20_000 },
    [/copies crash to start again with the caches of revision \d+/, /copies answer #\d+ 422/],
  ],
  'a restart with lists in reverse order': [
    { kind: 'reorder', process, at: changed },
    [/copies crash to start again with lists in reverse order/, /copies answer #\d+ 422/],
  ],
};

async function verdictOf(fault: PlannedFault): Promise<Verdict> {
  const parts = simulationParts({
    controllers: [copies],
    // The secret may be there before the second step: with a hidden change, it is not.
    workload: copySteps.map((step) => ({ ...step, until: undefined })),
  });
  const simulation = await Simulation.of(parts);
  const plan = { version: SIMULATOR_VERSION, seed: 2, faults: [fault], origin: 'a spec' };
  return await simulation.evaluate(plan);
}

describe('a run with a fault', () => {
  for (const [name, [fault, expected]] of Object.entries(CASES)) {
    it(`has ${name}, and ends as one without`, async () => {
      const { record, findings } = await verdictOf(fault);
      expect(record.struck).to.deep.equal([fault]);
      const trace = record.journal.text();
      for (const one of expected) expect(trace).to.match(one);
      expect(findings).to.deep.equal([]);
    });
  }

  it('delays an answer, a process and a network by their times', async () => {
    const durations: Readonly<Record<string, PlannedFault>> = {
      slow: { kind: 'slow', process, at, delayMs: 7000 },
      pause: { kind: 'pause', process, at, forMs: 7000 },
      partition: { kind: 'partition', process, at, forMs: 7000 },
    };
    for (const [name, fault] of Object.entries(durations)) {
      const { record, findings } = await verdictOf(fault);
      const { entries } = record.journal;
      const sent = entries.find(
        ({ type, text }) => type === 'request' && text.includes('secrets default/page'),
      );
      const answered = entries.find(
        ({ atMs, actor, type, text }) =>
          actor === process &&
          type === 'answer' &&
          text.startsWith('20') &&
          atMs > (sent?.atMs ?? 0),
      );
      expect((answered?.atMs ?? 0) - (sent?.atMs ?? 0), name).to.be.at.least(6900);
      expect(findings, name).to.deep.equal([]);
    }
  });

  it('ends after the retries of keys that have failed, however late they are', async () => {
    const retried: SimulatedController = {
      name: 'copies',
      async run({ client, runtime, signal, logger }) {
        const rateLimiter = new ItemExponentialRateLimiter({ baseMs: 687_000, runtime });
        await using copier = controller(client, 'v1', 'configmaps', {
          runtime,
          logger,
          rateLimiter,
        }).reconcile(async ({ metadata: { name } }, { resource }) => {
          if (name === 'page')
            await resource('v1', 'secrets').apply({
              apiVersion: 'v1',
              kind: 'Secret',
              metadata: { name },
            });
        });
        await copier.run({ signal });
      },
    };
    const workload = copySteps.slice(0, 1).map((step) => ({ ...step, until: undefined }));
    const simulation = await Simulation.of(simulationParts({ controllers: [retried], workload }));
    const faults = [{ kind: 'lost', process, at, handled: false }] as const;
    const plan = { version: SIMULATOR_VERSION, seed: 2, faults, origin: 'a spec' };
    const { record, findings } = await simulation.evaluate(plan);
    expect(findings).to.deep.equal([]);
    expect(record.virtualMs).to.be.within(687_000, 900_000);
  });

  it('sets the clock of a process, and no other', async () => {
    const clocks: number[] = [];
    const watching: SimulatedController = {
      name: 'copies',
      run: async (incarnation) => {
        incarnation.runtime.setTimer(60_000, () => clocks.push(incarnation.runtime.wallMs()));
        await copies.run(incarnation);
      },
    };
    const simulation = await Simulation.of(
      simulationParts({ controllers: [watching], workload: copySteps }),
    );
    const plan = { version: SIMULATOR_VERSION, seed: 2, faults: [], origin: 'a spec' };
    await simulation.evaluate(plan);
    const usual = clocks.at(-1) ?? 0;
    await simulation.evaluate({ ...plan, faults: [{ kind: 'clock', process, at, byMs: 90_000 }] });
    expect((clocks.at(-1) ?? 0) - usual).to.equal(90_000);
  });
});

describe('replicas with a lease', () => {
  const elected: SimulatedController = {
    name: 'elected',
    replicas: 2,
    async run({ client, runtime, signal, logger, identity }) {
      const greeter = controller(client, 'v1', 'configmaps', {
        runtime,
        logger,
        labelSelector: 'copy',
      }).reconcile(async ({ metadata: { name }, data }, { resource }) => {
        if (data?.['by'] === undefined)
          await resource('v1', 'configmaps').patch(name, { data: { by: 'us' } });
      });
      const leaderElection = { name: 'elected', namespace: 'default', identity };
      const manager = new Manager(client, {
        leaderElection,
        signals: false,
        runtime,
        logger,
      }).add(greeter);
      await manager.run({ signal });
    },
  };

  it('are idle in the end, though leases are renewed while objects have owners', async () => {
    const owning: SimulatedController = {
      ...elected,
      async run({ client, runtime, signal, logger, identity }) {
        const copier = controller(client, 'v1', 'configmaps', {
          runtime,
          logger,
          labelSelector: 'copy',
        }).reconcile(async ({ metadata: { name } }, { resource, own }) => {
          const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name } } as const;
          await resource('v1', 'secrets').apply(own(secret));
        });
        const leaderElection = { name: 'elected', namespace: 'default', identity };
        const manager = new Manager(client, { leaderElection, signals: false, runtime, logger });
        await manager.add(copier).run({ signal });
      },
    };
    const simulation = await Simulation.of(
      simulationParts({ controllers: [owning], workload: copySteps.slice(0, 2) }),
    );
    expect((await simulation.baseline()).findings).to.deep.equal([]);
  });

  it('take over when the leader stands still, or dies, and end as without faults', async () => {
    const simulation = await Simulation.of(
      simulationParts({
        controllers: [elected],
        workload: copySteps.slice(0, 1).map((step) => ({ ...step, until: undefined })),
      }),
    );
    const { findings } = await simulation.baseline();
    expect(findings).to.deep.equal([]);
    const write: RequestPoint = { verb: 'write', occurrence: 1 };
    for (const name of ['elected#0', 'elected#1']) {
      for (const fault of [
        { kind: 'pause', process: name, at: write, forMs: 60_000 },
        { kind: 'crash', process: name, at: write, moment: 'before' },
      ] as const) {
        const plan = { version: SIMULATOR_VERSION, seed: 3, faults: [fault], origin: 'a spec' };
        const verdict = await simulation.evaluate(plan);
        expect(verdict.findings).to.deep.equal([]);
        expect(
          verdict.record.history.get('v1', 'configmaps', 'page', 'default'),
        ).to.have.nested.property('data.by', 'us');
      }
    }
  });
});

describe('a controller with a clock of its own', () => {
  it('is found before the search, with the line at which two runs differ', async () => {
    let count = 0;
    const ambient: SimulatedController = {
      name: 'ambient',
      async run({ client, signal }) {
        count += 1;
        const name = `from-${count}`;
        await client
          .resource('v1', 'configmaps', { namespace: 'default' })
          .create({ metadata: { name } });
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve());
        });
      },
    };
    const simulation = await Simulation.of(simulationParts({ controllers: [ambient] }));
    const [finding] = (await simulation.baseline()).findings;
    expect(finding?.class).to.equal('not-repeatable');
    expect(finding?.message).to.match(
      /request #\d+ create configmaps default\/from-\d+" and then ".*default\/from-\d+"/,
    );
  });

  it('is found before the search if it waits for timers of the machine, for which virtual time does not wait', async () => {
    const ends: (() => void)[] = [];
    const untilStopped = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve());
      });
    const waits: SimulatedController = {
      name: 'waits',
      async run({ signal }) {
        const timer = setTimeout(() => {}, 3_600_000);
        ends.push(() => clearTimeout(timer));
        await untilStopped(signal);
      },
    };
    const ownQueue: SimulatedController = {
      name: 'own-queue',
      async run({ signal }) {
        const queue = new RateLimitingQueue();
        ends.push(() => void queue.close());
        queue.addAfter('key', 3_600_000);
        await untilStopped(signal);
      },
    };
    for (const controller of [waits, ownQueue]) {
      const simulation = await Simulation.of(simulationParts({ controllers: [controller] }));
      const [finding] = (await simulation.baseline()).findings;
      expect(finding?.class).to.equal('escape');
      expect(finding?.subject).to.match(/a timer at spec\/simulator\/run\/seed-run\.spec\.ts:\d+/);
      expect(finding?.message).to.include(
        `${controller.name} starts a timer of the machine, at spec`,
      );
      expect(finding?.message).to.include('Use incarnation.runtime');
    }
    for (const end of ends) end();
    const right: SimulatedController = {
      name: 'right',
      async run({ runtime, signal }) {
        const queue = new RateLimitingQueue({ runtime });
        queue.addAfter('key', 3_600_000);
        await untilStopped(signal);
      },
    };
    const simulation = await Simulation.of(simulationParts({ controllers: [right] }));
    expect((await simulation.baseline()).findings).to.deep.equal([]);
  });
});
