import type { SimulationOptions } from '../../../../lib/simulator/contract/simulation-options.ts';
import type { Incarnation } from '../../../../lib/simulator/contract/simulated-controller.ts';
import { defineSimulation } from '../../../../lib/simulator/define-simulation.ts';
import { copies, copySteps } from '../../support/copies.ts';
import { spin } from './endless.ts';
import { starts } from './module-level.ts';

const name = new URL(import.meta.url).searchParams.get('case') ?? '';

const pause = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1000);
  });

const nothing = (): void => {};

/** The action of the controller besides its work. */
const CASES: Readonly<Record<string, (incarnation: Incarnation) => Promise<void> | void>> = {
  endless: async () => {
    await pause();
    spin();
  },
  'leaves-interval': () => {
    setInterval(nothing, 1000);
  },
  'leaves-runtime-timer': ({ runtime }) => {
    const again = (): void => void runtime.setTimer(1000, again);
    again();
  },
  'leaves-nothing': ({ runtime, signal }) => {
    const timer = setInterval(nothing, 1000);
    const other = runtime.setTimer(1e9, nothing);
    setInterval(nothing, 1000).unref();
    signal.addEventListener('abort', () => {
      clearInterval(timer);
      other.cancel();
    });
  },
  grows: async () => {
    const all: number[][] = [];
    for (let count = 0; count < 1e9; count += 1) {
      all.push(Array.from({ length: 10_000 }, () => count));
      await pause();
    }
  },
  'grows-at-once': () => {
    const all: object[] = [];
    for (let count = 0; count < 1e9; count += 1) all.push({ count, text: String(count) });
  },
  exits: async () => {
    await pause();
    process.exit(3);
  },
  'throws-in-timer': () => {
    setTimeout(() => {
      throw new Error('too late');
    }, 10);
  },
  'throws-in-tick': () => {
    process.nextTick(() => {
      throw new Error('nowhere');
    });
  },
  // Does what is wrong when a fault has reached it: that brings the trace.
  ticks: ({ identity, logger, client }) => {
    const startMs = Date.now();
    let last = performance.now();
    const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
    const spoil = (): void => void maps.create({ metadata: { name: 'spoilt' } }).catch(nothing);
    setInterval(() => {
      logger.info(`tick of ${identity} after ${Date.now() - startMs}`);
      const wasStill = performance.now() - last > 10_000;
      last = performance.now();
      if (wasStill || identity !== 'copies-1' || Date.now() - startMs > 3_600_000) spoil();
    }, 500);
  },
  counts: ({ logger }) => {
    starts.count += 1;
    logger.info(`start ${starts.count}`);
  },
};

if (name === 'throws-at-import') throw new Error('no such setting');
if (name === 'endless-at-import') spin();
if (name === 'timer-at-import') setInterval(nothing, 1000);
if (name === 'waits-at-import') await pause();

const act = CASES[name] ?? nothing;

const options: SimulationOptions = defineSimulation({
  controllers: [
    {
      name: 'copies',
      run: async (incarnation) => {
        await act(incarnation);
        await copies.run(incarnation);
      },
    },
  ],
  workload: copySteps,
  seeds: 2,
  invariants: invariants(),
});

function invariants(): NonNullable<SimulationOptions['invariants']> {
  if (name !== 'broken-invariant') return [];
  const always = (): string => {
    throw new Error('oh');
  };
  return [{ name: 'broken', always }];
}

export default options;
