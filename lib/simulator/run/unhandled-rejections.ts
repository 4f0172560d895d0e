import { errorMessage } from '../../kernel/failure/errors.ts';
import { takeUnhandledRejections } from '../../kernel/time/real-process.ts';
import type { Finding } from '../contract/finding.ts';

/** Rejections without a handler, while a run lasts: in production they end the process. */
export class UnhandledRejections {
  readonly findings: Finding[] = [];
  readonly close: () => void;

  constructor() {
    this.close = takeUnhandledRejections((reason) => {
      const subject = errorMessage(reason);
      const message = 'this rejection has no handler, and ends a process';
      this.findings.push({ class: 'unhandled-rejection', subject, message });
    });
  }
}
