import { logLine } from '../../lib/kernel/report/log-line.ts';
import type { LogFields, Logger } from '../../lib/kernel/report/logger.ts';

/** A logger that passes each line of these levels as one text, its fields in brackets. */
export function lineLogger(
  push: (line: string, level: keyof Logger) => unknown,
  levels: readonly (keyof Logger)[] = ['warn', 'error'],
): Logger {
  const write =
    (level: keyof Logger) =>
    (message: string, fields?: LogFields): void => {
      if (levels.includes(level)) push(logLine(message, fields).line, level);
    };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}
