import { errorMessage } from '../../lib/kernel/failure/errors.ts';
import type { FaultKind } from './faults.ts';
import { playSeed } from './soak-seed.ts';

export interface Assignment {
  readonly seeds: readonly number[];
  readonly without: readonly FaultKind[];
}

let unhandled: unknown;
process.on('unhandledRejection', (reason) => {
  unhandled = reason;
});

process.on('message', (assignment: Assignment) => {
  void work(assignment);
});

async function work({ seeds, without }: Assignment): Promise<void> {
  for (const seed of seeds) {
    unhandled = undefined;
    let report = await playSeed(seed, new Set(without));
    // Rejections are noticed a turn later.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    if (unhandled !== undefined) {
      const what = `an unhandled rejection: ${errorMessage(unhandled)}`;
      report = { ...report, failures: [...report.failures, what] };
    }
    process.send?.({ report });
  }
  process.send?.({ done: true });
}
