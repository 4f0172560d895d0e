import type { SimulationOptions } from '../../../../lib/simulator/contract/simulation-options.ts';
import { defineSimulation } from '../../../../lib/simulator/define-simulation.ts';

/** Uses the random numbers of the machine. */
const options: SimulationOptions = defineSimulation({
  controllers: [
    {
      name: 'own-clock',
      async run({ signal, logger }) {
        logger.info(`begins with ${Math.random()}`);
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve());
        });
      },
    },
  ],
  seeds: 1,
});

export default options;
