import type { SimulationOptions } from '../../../../lib/simulator/contract/simulation-options.ts';
import { defineSimulation } from '../../../../lib/simulator/define-simulation.ts';
import { createOnce, twoWrites } from '../../../simulator/support/toys.ts';

const options: SimulationOptions = defineSimulation({
  controllers: [twoWrites({ fixed: false })],
  workload: createOnce,
  seeds: 4,
});

export default options;
