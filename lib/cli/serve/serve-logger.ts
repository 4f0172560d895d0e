import { ConsoleLogger } from '../../kernel/report/console-logger.ts';
import { logLine } from '../../kernel/report/log-line.ts';
import type { LogFields, Logger } from '../../kernel/report/logger.ts';
import { plainText } from '../../kernel/text/plain-text.ts';
import type { CommandHost } from '../contract/command.ts';

const LONGEST_LINE = 2000;

/** The log of the server on standard error: warnings and errors, and with `verbose` also what is done. */
export function serveLogger(
  { stderr, runtime }: Pick<CommandHost, 'stderr' | 'runtime'>,
  verbose: boolean,
): Logger {
  const failures = new ConsoleLogger({
    runtime,
    write: (line) => {
      stderr.write(`${line}\n`);
    },
  });
  const info = (message: string, fields?: LogFields): void => {
    if (!verbose) return;
    const { line } = logLine(message, fields);
    stderr.write(`${plainText(`listwatch: ${line}`, LONGEST_LINE)}\n`);
  };
  return {
    // One line for each state of each watch cache.
    debug: () => {},
    info,
    warn: (message, fields) => {
      failures.warn(message, fields);
    },
    error: (message, fields) => {
      failures.error(message, fields);
    },
  };
}
