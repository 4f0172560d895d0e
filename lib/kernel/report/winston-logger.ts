import { errorMessage, isError, ListwatchError } from '../failure/errors.ts';
import type { LogFields, Logger } from './logger.ts';

/** A logger of winston, with any levels. */
export interface WinstonLike {
  log(entry: { level: string; message: string }): unknown;
  /** Names and numbers of the levels. */
  readonly levels: object;
}

/** An error as plain data, because formats of winston show an error in a field as an empty object. */
interface ErrorFields {
  readonly name: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack?: string | undefined;
  readonly cause?: ErrorFields | string;
}

/** A chain of causes can be a circle. */
const DEEPEST_CAUSE = 8;

/**
 * A logger of winston for the option `logger`: `connect({ logger: winstonLogger(winston.createLogger(…)) })`. The fields are part of the entry; an error is an
 * object with name, message, code, stack and cause. With the levels of syslog, warnings have level `warning`.
 * @throws {ListwatchError} code INVALID_OPTION.
 */
export function winstonLogger(logger: WinstonLike): Logger {
  if (typeof logger?.log !== 'function' || typeof logger.levels !== 'object') {
    const problem = 'give the logger that winston.createLogger(…) returns';
    throw new ListwatchError('INVALID_OPTION', `winstonLogger: ${problem}`);
  }
  const writer =
    (level: string) =>
    (message: string, fields: LogFields = {}): void => {
      logger.log({ ...fieldsOf(fields), level, message });
    };
  const warn = !('warn' in logger.levels) && 'warning' in logger.levels ? 'warning' : 'warn';
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer(warn),
    error: writer('error'),
  };
}

function fieldsOf(fields: LogFields): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    shown[name] = isError(value) ? errorFields(value, 0) : value;
  }
  return shown;
}

function errorFields(error: Error, depth: number): ErrorFields {
  const { name, stack, cause } = error;
  const { code } = error as { readonly code?: unknown };
  return {
    name,
    message: errorMessage(error),
    ...(code === undefined ? {} : { code }),
    stack,
    ...(cause === undefined || depth === DEEPEST_CAUSE ? {} : { cause: causeOf(cause, depth) }),
  };
}

function causeOf(cause: unknown, depth: number): ErrorFields | string {
  return isError(cause) ? errorFields(cause, depth + 1) : errorMessage(cause);
}
