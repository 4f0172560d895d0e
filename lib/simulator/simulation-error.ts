import { ListwatchError } from '../kernel/failure/errors.ts';
import { groupText } from './explain/story.ts';
import type { SimulationReport } from './contract/simulation-report.ts';

/**
 * A simulation that has found something. Its message is the story of the first failure, with the line that replays it.
 *
 * @experimental
 */
export class SimulationError extends ListwatchError {
  readonly report: SimulationReport;

  constructor(report: SimulationReport) {
    const [first, ...more] = report.failures;
    const groups = more.map((failure) => `\n  ${groupText(failure)}`).join('');
    const others = groups === '' ? '' : `\n\n${more.length} more in report.failures:${groups}`;
    super(
      'SIMULATION_FAILED',
      `the simulation has found a failure\n\n${first?.story ?? ''}\n\nReplay it: simulate({ …, replay: '${JSON.stringify(first?.plan)}' })${others}`,
    );
    this.report = report;
  }
}
