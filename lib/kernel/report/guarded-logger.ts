import { errorMessage } from '../failure/errors.ts';
import { isPromiseLike, whenSettled } from '../failure/guarded-call.ts';
import { consoleLogger } from './console-logger.ts';
import type { LogFields, Logger } from './logger.ts';

type Write = (message: string, fields?: LogFields) => void;

class GuardedLogger implements Logger {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  readonly #logger: Logger;
  readonly #fallback: Pick<Logger, 'warn'>;
  #isReported = false;

  constructor(logger: Logger, fallback: Pick<Logger, 'warn'>) {
    this.#logger = logger;
    this.#fallback = fallback;
    this.debug = this.#guarded('debug');
    this.info = this.#guarded('info');
    this.warn = this.#guarded('warn');
    this.error = this.#guarded('error');
  }

  /** The logger behind a guard. */
  static behind(logger: Logger): Logger {
    return logger instanceof GuardedLogger ? logger.#logger : logger;
  }

  #guarded(level: keyof Logger): Write {
    return (message, fields) => {
      try {
        const result: unknown = this.#logger[level](message, fields);
        // An async function is accepted by TypeScript.
        if (!isPromiseLike(result)) return;
        whenSettled(result, undefined, (error) => this.#failed(error, level));
      } catch (error) {
        this.#failed(error, level);
      }
    };
  }

  #failed(error: unknown, level: keyof Logger): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const problem = `${errorMessage(error)}; correct what is given as option "logger": lines that it does not take are lost`;
    try {
      this.#fallback.warn('the logger failed', { problem, level });
    } catch {
      // Nothing is left to report to.
    }
  }
}

/**
 * The same logger, but its methods never throw: if a write fails, only that line is lost. The first failure is reported to `fallback`. The
 * methods need no `this`. A logger that is guarded already is returned unchanged.
 */
export function guardedLogger(
  logger: Logger,
  fallback: Pick<Logger, 'warn'> = consoleLogger,
): GuardedLogger {
  return logger instanceof GuardedLogger ? logger : new GuardedLogger(logger, fallback);
}

/** Whether both write to the same logger: each part of the package may have a guard of its own. */
export function isSameLogger(one: Logger, other: Logger): boolean {
  return GuardedLogger.behind(one) === GuardedLogger.behind(other);
}
