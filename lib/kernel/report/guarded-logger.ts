import { errorMessage } from '../failure/errors.ts';
import { isPromiseLike, whenSettled } from '../failure/guarded-call.ts';
import { consoleLogger } from './console-logger.ts';
import type { LogFields, Logger } from './logger.ts';

type Write = (message: string, fields?: LogFields) => void;

type GuardedLogger = Readonly<Record<keyof Logger, Write>>;

/** Loggers with their guards, and guards with themselves: a logger passes through many parts, and is guarded once. */
const GUARDED = new WeakMap<Logger, GuardedLogger>();

/**
 * The same logger, but its methods never throw: if a write fails, only that line is lost. The first failure of a logger is reported to
 * `fallback`. The methods need no `this`.
 */
export function guardedLogger(
  logger: Logger,
  fallback: Pick<Logger, 'warn'> = consoleLogger,
): GuardedLogger {
  const known = GUARDED.get(logger);
  if (known !== undefined) return known;
  let isReported = false;
  const failed = (error: unknown, level: keyof Logger): void => {
    if (isReported) return;
    isReported = true;
    const problem = `${errorMessage(error)}; correct what is given as option "logger": lines that it does not take are lost`;
    try {
      fallback.warn('the logger failed', { problem, level });
    } catch {
      // Nothing is left to report to.
    }
  };
  const guarded =
    (level: keyof Logger): Write =>
    (message, fields) => {
      try {
        const result: unknown = logger[level](message, fields);
        // An async function is accepted by TypeScript.
        if (isPromiseLike(result)) whenSettled(result, undefined, (error) => failed(error, level));
      } catch (error) {
        failed(error, level);
      }
    };
  const made: GuardedLogger = {
    debug: guarded('debug'),
    info: guarded('info'),
    warn: guarded('warn'),
    error: guarded('error'),
  };
  GUARDED.set(logger, made);
  GUARDED.set(made, made);
  return made;
}
