import { errorMessage } from '../../kernel/failure/errors.ts';
import { parentProcess } from '../../kernel/time/real-process.ts';
import type { SimulationPlan } from '../contract/fault.ts';
import type { SimulationOptions } from '../contract/simulation-options.ts';
import { Simulation } from '../run/simulation.ts';
import { simulationParts } from '../run/simulation-parts.ts';
import { localRunner, type PlanResult, type PlanRunner } from '../search/plan-runner.ts';

// The program of a process that runs the plans it is sent, with the options that a module exports.

export interface WorkerRequest {
  readonly plan: SimulationPlan;
}

export interface WorkerAnswer {
  readonly result?: PlanResult | undefined;
  readonly error?: string | undefined;
}

async function newRunner(module: string): Promise<PlanRunner> {
  const { default: options } = (await import(module)) as { readonly default: SimulationOptions };
  return localRunner(await Simulation.of(simulationParts(options)));
}

const runner = newRunner(parentProcess.argument);
// Its failure is the answer to the first plan.
runner.catch(() => {});

async function answerTo({ plan }: WorkerRequest): Promise<WorkerAnswer> {
  try {
    const ready = await runner;
    return { result: await ready.run(plan) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

parentProcess.listen((message) => {
  void answerTo(message as WorkerRequest).then((answer) => parentProcess.send(answer));
});
