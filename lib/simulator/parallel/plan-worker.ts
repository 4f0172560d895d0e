import { errorMessage } from '../../kernel/failure/errors.ts';
import { parentProcess } from '../../kernel/time/real-process.ts';
import type { SimulationPlan } from '../contract/fault.ts';
import type { IsolationSettings } from '../isolation/isolation-settings.ts';
import { setUpIsolation } from '../isolation/set-up-isolation.ts';
import { loadOptions } from '../isolation/load-options.ts';
import { Simulation } from '../run/simulation.ts';
import { simulationParts } from '../run/simulation-parts.ts';
import { localRunner, type PlanResult, type PlanRunner } from '../search/plan-runner.ts';

// The program of a process that runs the plans it is sent, with the options that a module exports.

/** The argument of the worker, as JSON. */
export interface WorkerArgument {
  readonly module: string;
  /** With them, it runs the controllers in isolation. */
  readonly settings?: IsolationSettings | undefined;
}

export interface WorkerRequest {
  readonly plan: SimulationPlan;
}

export interface WorkerAnswer {
  readonly result?: PlanResult | undefined;
  readonly error?: string | undefined;
}

async function newRunner({ module, settings }: WorkerArgument): Promise<PlanRunner> {
  const options =
    settings === undefined ? await loadOptions(module) : (await setUpIsolation(settings)).options;
  return localRunner(await Simulation.of(simulationParts(options)));
}

const runner = newRunner(JSON.parse(parentProcess.argument) as WorkerArgument);
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
