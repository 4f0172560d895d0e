import { ListwatchError } from '../kernel/failure/errors.ts';
import type { SimulationReport } from './contract/simulation-report.ts';

/** A simulation that has found something. Its message is the story of the first failure, with the line that replays it. */
export class SimulationError extends ListwatchError {
  readonly report: SimulationReport;

  constructor(report: SimulationReport) {
    const [first] = report.failures;
    const more = report.failures.length - 1;
    const others = more > 0 ? `\n\n${more} more in report.failures` : '';
    super(
      'SIMULATION_FAILED',
      `the simulation has found a failure\n\n${first?.story ?? ''}\n\nReplay it: simulate({ …, replay: '${JSON.stringify(first?.plan)}' })${others}`,
    );
    this.report = report;
  }
}
