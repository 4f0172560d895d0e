import type { SimulationOptions } from '../../../../lib/simulator/contract/simulation-options.ts';
import type { SimulatedController } from '../../../../lib/simulator/contract/simulated-controller.ts';
import { defineSimulation } from '../../../../lib/simulator/define-simulation.ts';
import { REPORTED } from './reported-tricks.ts';
import { CLOCKS, DRAWS, WAITS } from './simulated-tricks.ts';

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve());
  });

/** Logs what each trick has read, or how long it took. */
const simulated: SimulatedController = {
  name: 'simulated',
  async run({ runtime, signal, logger }) {
    for (const [name, trick] of Object.entries(WAITS)) {
      const startMs = runtime.monotonicMs();
      await trick(runtime);
      logger.info(`${name}: ${(runtime.monotonicMs() - startMs).toFixed(3)}`);
    }
    for (const [name, trick] of Object.entries({ ...CLOCKS, ...DRAWS })) {
      logger.info(`${name}: ${String(await trick(runtime))}`);
    }
    await ended(signal);
  },
};

const reported: SimulatedController = {
  name: 'reported',
  async run({ signal }) {
    for (const trick of Object.values(REPORTED)) {
      try {
        await trick();
      } catch {
        // The trick is refused.
      }
    }
    await ended(signal);
  },
};

const { searchParams } = new URL(import.meta.url);

const options: SimulationOptions = defineSimulation({
  controllers: [searchParams.has('reported') ? reported : simulated],
  // Its failure brings the trace.
  invariants: [{ name: 'notified', eventually: () => false, withinMs: 1 }],
});

export default options;
