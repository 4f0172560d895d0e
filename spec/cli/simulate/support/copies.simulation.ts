import type { SimulationOptions } from '../../../../lib/simulator/contract/simulation-options.ts';
import { defineSimulation } from '../../../../lib/simulator/define-simulation.ts';
import { copies, copySteps } from '../../../simulator/support/copies.ts';

const options: SimulationOptions = defineSimulation({ controllers: [copies], workload: copySteps });

export default options;
