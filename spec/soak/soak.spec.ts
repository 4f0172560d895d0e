import { expect } from 'chai';
import { HandlerQueue } from '../../lib/cache/informer/handlers/handler-queue.ts';
import { isWhole } from '../support/share.ts';
import { HANG_MS } from '../support/until.ts';
import { applies } from './mutant-run.ts';
import { MUTANTS } from './mutants.ts';
import { drawScenario, type Scenario } from './scenario.ts';
import { printPlaces, readOptions } from './soak-options.ts';
import { replayCommand, withSteps } from './soak-seed.ts';
import { runScenario } from './soak-run.ts';
import { shrink } from './shrink.ts';

const SEEDS = isWhole ? 12 : 4;
const FROM = Number(process.env['LISTWATCH_SEED'] ?? 1);

/** A small run without any fault. */
function calmScenario(): Scenario {
  for (let seed = 1; ; seed += 1) {
    const scenario = drawScenario(seed);
    if (scenario.source !== 'model' || scenario.order !== 'arrival') continue;
    if (scenario.faults.length > 0 || scenario.closesEarly) continue;
    if (scenario.steps.filter(({ type }) => type === 'write').length < 50) continue;
    return withSteps(
      scenario,
      Array.from({ length: 100 }, (_, place) => place),
    );
  }
}

/** Runs the scenario with `push` in the place of the method that hands events to handlers. */
async function withPush(
  push: (queue: HandlerQueue<never>, batch: never, original: (batch: never) => void) => void,
  run: () => Promise<void>,
): Promise<void> {
  const { prototype } = HandlerQueue;
  const original = Reflect.get(prototype, 'push') as (
    this: HandlerQueue<never>,
    batch: never,
  ) => void;
  prototype.push = function pushed(this: HandlerQueue<never>, batch: never): void {
    push(this, batch, original.bind(this));
  };
  try {
    await run();
  } finally {
    prototype.push = original;
  }
}

describe('a whole client pipeline under random operations, faults and handlers', () => {
  it(`gives every handler all changes and no others, on each of ${SEEDS} seeds`, async () => {
    for (let seed = FROM; seed < FROM + SEEDS; seed += 1) {
      const { failures, events } = await runScenario(drawScenario(seed));
      expect(failures, `${replayCommand(seed)}\n${failures.join('\n')}`).to.deep.equal([]);
      expect(events, `events of seed ${seed}`).to.be.greaterThan(0);
    }
  });

  it('goes the same way on the same seed, line by line', async () => {
    const play = async (): Promise<readonly string[]> =>
      (await runScenario(drawScenario(FROM + 5), { traced: true })).trace;
    expect((await play()).join('\n')).to.equal((await play()).join('\n'));
  });

  it('notices one event that reaches no handler', async () => {
    let seen = 0;
    await withPush(
      (_queue, batch, original) => {
        seen += 1;
        if (seen !== 20) original(batch);
      },
      async () => {
        const { failures } = await runScenario(calmScenario());
        expect(failures).to.not.deep.equal([]);
      },
    );
  });

  it('shrinks a run in which deletions are delivered twice to a few steps', async () => {
    await withPush(
      (
        _queue,
        batch: { readonly notifications: readonly { readonly type: string }[] },
        original,
      ) => {
        original(batch as never);
        if (batch.notifications.some(({ type }) => type === 'delete')) original(batch as never);
      },
      async () => {
        const scenario = calmScenario();
        const report = await runScenario(scenario);
        expect(report.failures[0]).to.include('a deletion of');
        const { places, report: least } = await shrink(scenario, report, HANG_MS);
        expect(places.length).to.be.at.most(5);
        expect(least.failures).to.not.deep.equal([]);
      },
    );
  });
});

describe('the mutants of the soak', () => {
  for (const mutant of MUTANTS) {
    it(`can be planted: ${mutant.bug}`, () => {
      expect(applies(mutant)).to.equal(true);
    });
  }
});

describe('the options of the soak', () => {
  it('takes steps as places and ranges, and prints them so', () => {
    const { steps } = readOptions(['--seed', '7', '--steps', '0,4-6,9']);
    expect(steps).to.deep.equal([0, 4, 5, 6, 9]);
    expect(printPlaces(steps ?? [])).to.equal('0,4-6,9');
  });

  it('refuses a kind of fault that does not exist, and values that are not numbers', () => {
    expect(() => readOptions(['--without', 'stale,rain'])).to.throw('--without rain');
    expect(() => readOptions(['--seeds', 'many'])).to.throw('--seeds must be a whole number');
  });
});
