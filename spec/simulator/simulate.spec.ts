import { expect } from 'chai';
import type { Client } from '../../lib/client/rest/client.ts';
import { simulate, SimulationError, type SimulationOptions } from '../../lib/simulator/index.ts';
import type { SimulatedController } from '../../lib/simulator/contract/simulated-controller.ts';
import type { WorkloadStep } from '../../lib/simulator/contract/world.ts';
import { copies, copySteps } from './support/copies.ts';
import {
  createOnce,
  deletesByName,
  deleteSlowly,
  missesDeletion,
  recreate,
  twoWrites,
} from './support/toys.ts';

interface Toy {
  readonly name: string;
  readonly make: (options: { readonly fixed: boolean }) => SimulatedController;
  readonly workload: readonly WorkloadStep[];
  readonly found: string;
  readonly fault: string;
}

const TOYS: readonly Toy[] = [
  {
    name: 'a crash between two writes',
    make: twoWrites,
    workload: createOnce,
    found: 'end-state secrets default/app-data',
    fault: 'crash',
  },
  {
    name: 'a deletion by name from an old view',
    make: deletesByName,
    workload: recreate,
    found: 'summary secrets default/app-data',
    fault: 'stale',
  },
  {
    name: 'a deletion that was not seen',
    make: missesDeletion,
    workload: deleteSlowly,
    found: 'end-state secrets default/app-data',
    fault: 'hide',
  },
];

async function failureOf(options: SimulationOptions) {
  const report = await simulate({ ...options, onFailure: 'return', seeds: 0 });
  const [failure] = report.failures;
  if (failure === undefined) throw new Error(`nothing was found: ${report.summary}`);
  return failure;
}

describe('simulate', () => {
  for (const { name, make, workload, found, fault } of TOYS) {
    it(`finds ${name}, with one fault, and nothing in the right controller`, async () => {
      const controllers = [make({ fixed: false })];
      const failure = await failureOf({ controllers, workload });
      const findings = failure.findings.map((one) => `${one.class} ${one.subject}`);
      expect(findings).to.include(found);
      expect(failure.plan.faults.map(({ kind }) => kind)).to.deep.equal([fault]);
      const right = await simulate({ controllers: [make({ fixed: true })], workload, seeds: 20 });
      expect(right.ok).to.equal(true);
      expect(right.complete).to.equal(true);
      expect(right.plans['random seeds']?.run).to.equal(20);
    });
  }

  it('finds nothing in a controller that is right, with seeds of all kinds of faults', async () => {
    const report = await simulate({ controllers: [copies], workload: copySteps, seeds: 30 });
    expect(report.ok).to.equal(true);
  });

  it('throws the story, with a plan that replays it to the same trace', async () => {
    const options = { controllers: [twoWrites({ fixed: false })], workload: createOnce };
    let error: unknown;
    await simulate(options).catch((reason: unknown) => {
      error = reason;
    });
    if (!(error instanceof SimulationError)) throw new Error('no SimulationError');
    expect(error.code).to.equal('SIMULATION_FAILED');
    expect(error.message).to.include(
      'crash when the server has handled the 1st patch of configmaps default/app',
    );
    const [failure] = error.report.failures;
    const replay = JSON.stringify(failure?.plan);
    expect(error.message).to.include(replay);
    const again = await simulate({ ...options, replay, onFailure: 'return' });
    expect(again.failures[0]?.trace).to.equal(failure?.trace);
    expect(again.failures[0]?.trace).to.include(
      'two-writes crash after the server has handled patch configmaps default/app',
    );
    expect(again.failures[0]?.html).to.include('<table>');
  });

  it('reports failures of one cause once, with their number and an example', async () => {
    const titles = ['one', 'two'];
    const workload = titles.map((name) => ({
      title: name,
      act: async (user: Client) => {
        const metadata = { name, labels: { toy: 'app' } };
        await user.resource('v1', 'configmaps', { namespace: 'default' }).create({ metadata });
      },
    }));
    const controllers = [twoWrites({ fixed: false })];
    const { failures, plans, summary } = await simulate({
      controllers,
      workload,
      seeds: 0,
      maxFailures: 10,
      shrink: false,
      onFailure: 'return',
    });
    const cause = 'end-state: secrets: missing';
    expect(failures.map((one) => one.cause)).to.deep.equal([cause]);
    const failed = Object.values(plans).reduce((sum, one) => sum + one.failed, 0);
    expect(failed).to.be.above(1);
    expect(failures[0]?.runs).to.equal(failed);
    expect(failures[0]?.story).to.include(`An example of ${failed} runs with ${cause}`);
    expect(summary).to.include(`1 found (${failed} runs with ${cause})`);
  });

  it('refuses a plan of another version, and says so', async () => {
    const controllers = [twoWrites({ fixed: true })];
    const replay = { version: '0', seed: 1, faults: [], origin: 'an old one' };
    await expectRefusal(
      simulate({ controllers, replay }),
      'the plan is of version 0 of the simulator',
    );
    await expectRefusal(simulate({ controllers, replay: '{' }), 'option "replay" is no JSON');
    await expectRefusal(simulate({ controllers: [] }), 'option "controllers" is empty');
  });

  it('reports first what fails without faults', async () => {
    const endless: SimulatedController = {
      name: 'endless',
      async run({ client, runtime, signal }) {
        const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
        await maps.apply(
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'count' } },
          { fieldManager: 'endless' },
        );
        for (let count = 0; !signal.aborted; count += 1) {
          await maps.patch('count', { data: { count: String(count) } });
          await new Promise<void>((resolve) => void runtime.setTimer(100, resolve));
        }
      },
    };
    const failure = await failureOf({ controllers: [endless], virtualLimitMs: 120_000 });
    expect(failure.findings[0]?.class).to.equal('never-idle');
    expect(failure.findings[0]?.message).to.include('configmaps default/count');
    expect(failure.plan.faults).to.deep.equal([]);
  });

  it('names a controller that throws again and again, with its error', async () => {
    const broken: SimulatedController = {
      name: 'broken',
      run: () => Promise.reject(new Error('no such file')),
    };
    const failure = await failureOf({ controllers: [broken] });
    expect(failure.findings[0]).to.include({ class: 'crash-loop', subject: 'broken' });
    expect(failure.findings[0]?.message).to.include('no such file');
  });

  it('checks the invariants of the user in each state and at the end; one that throws is a finding', async () => {
    const common = { controllers: [copies], workload: copySteps };
    const noSecret = await failureOf({
      ...common,
      invariants: [
        {
          name: 'no secrets',
          always: (state) => (state.list('v1', 'secrets').length > 0 ? 'there is one' : undefined),
        },
      ],
    });
    expect(noSecret.findings[0]).to.include({
      class: 'invariant',
      subject: 'no secrets',
      message: 'there is one',
    });
    const never = await failureOf({
      ...common,
      invariants: [
        {
          name: 'a secret',
          eventually: (state) => state.list('v1', 'secrets').length > 0,
          withinMs: 1000,
        },
      ],
    });
    expect(never.findings[0]).to.include({ class: 'invariant', subject: 'a secret' });
    const broken = await failureOf({
      ...common,
      invariants: [
        {
          name: 'broken',
          always: () => {
            throw new Error('oh');
          },
        },
      ],
    });
    expect(broken.findings[0]?.message).to.match(
      /^the invariant threw: oh, at spec\/simulator\/simulate\.spec\.ts:\d+$/,
    );
  });

  it('names a step that throws, waits for something that throws, or does not end', async () => {
    const controllers = [copies];
    const oh = (): never => {
      throw new Error('oh');
    };
    const messageOf = async (step: Omit<WorkloadStep, 'title'>): Promise<string> => {
      const workload = [{ title: 'go', ...step }];
      const failure = await failureOf({ controllers, workload, virtualLimitMs: 120_000 });
      expect(failure.findings.map((one) => one.class)).to.deep.equal(['stuck']);
      return failure.findings[0]?.message ?? '';
    };
    const place = 'at spec/simulator/simulate.spec.ts:';
    expect(await messageOf({ act: async () => oh() })).to.include(
      `the step "go" failed: oh, ${place}`,
    );
    expect(await messageOf({ act: async () => {}, until: oh })).to.include(
      `until of the step "go" threw: oh, ${place}`,
    );
    expect(await messageOf({ act: () => new Promise(() => {}) })).to.include(
      'the step "go" has not ended after 2 virtual minutes',
    );
  });

  it('says where a controller throws, and that run() has to go on until it is asked to stop', async () => {
    const throws: SimulatedController = {
      name: 'throws',
      run: async () => {
        throw new Error('no such file');
      },
    };
    const thrown = await failureOf({ controllers: [throws] });
    expect(thrown.findings[0]?.message).to.match(
      /no such file, at spec\/simulator\/simulate\.spec/,
    );
    const ends: SimulatedController = { name: 'ends', run: async () => {} };
    const ended = await failureOf({ controllers: [ends] });
    expect(ended.findings[0]?.message).to.include('resolved before its signal was aborted');
  });

  const run = async (): Promise<void> => {};
  const one = { name: 'one', run };
  const step = { title: 'go', act: run };
  const REFUSED: readonly [given: object, text: string][] = [
    [{ controllers: one }, '"controllers" must be an array, not object'],
    [{ controllers: [] }, '"controllers" is empty'],
    [{ controllers: [undefined] }, '"controllers" has undefined at 0'],
    [{ controllers: [{ run }] }, '"controllers" has no "name" at 0'],
    [{ controllers: [{ name: 'one' }] }, 'one has no function "run"'],
    [{ controllers: [one, one] }, 'two controllers with the name "one"'],
    [{ controllers: [{ ...one, replicas: 0 }] }, 'replicas of one'],
    [{ workload: step }, '"workload" must be an array'],
    [{ workload: [{ act: run }] }, '"workload" has no "title" at 0'],
    [{ workload: [{ title: 'go' }] }, 'the step "go" has no function "act"'],
    [{ workload: [{ ...step, untill: () => true }] }, 'did you mean "until"?'],
    [{ workload: [{ ...step, until: 5 }] }, '"until" of the step "go" must be a function'],
    [{ invariants: [{ name: 'right' }] }, '"right" has neither a function "always"'],
    [{ invariants: [{ always: run }] }, '"invariants" has no "name" at 0'],
    [{ world: [] }, '"world" must be an object'],
    [{ world: { object: [] } }, 'did you mean "objects"?'],
    [{ world: { objects: {} } }, '"world.objects" must be an array'],
    [{ world: { environment: [{}] } }, '"world.environment" has no "name" at 0'],
    [{ seeds: '5' }, '"seeds" must be an array, not "5"'],
    [{ seeds: [5, 1] }, 'the first and the last, not [5,1]'],
    [{ seeds: 0.5 }, '"seeds" must be a whole number'],
    [{ faults: ['crsh'] }, 'option "faults" has "crsh": use crash'],
    [{ replay: { seed: 1 } }, 'is no plan: it needs version, seed and faults'],
    [{ replay: 'plan.json' }, 'option "replay" is no JSON'],
  ];
  for (const [given, text] of REFUSED) {
    it(`refuses ${JSON.stringify(given)}: ${text}`, async () => {
      const options = { controllers: [one], ...given } as unknown as SimulationOptions;
      await expectRefusal(simulate(options), text);
    });
  }
});

async function expectRefusal(work: Promise<unknown>, text: string): Promise<void> {
  let message = 'no error';
  await work.catch((error: unknown) => {
    message = String(error);
  });
  expect(message).to.include(text);
}
