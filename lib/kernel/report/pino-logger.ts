import { errorMessage, isError, ListwatchError } from '../failure/errors.ts';
import type { LogFields, Logger } from './logger.ts';

/** A logger of pino or bunyan: its methods take the fields before the message. */
export interface FieldsFirstLogger {
  debug(fields: object, message: string): unknown;
  info(fields: object, message: string): unknown;
  warn(fields: object, message: string): unknown;
  error(fields: object, message: string): unknown;
}

/**
 * A logger of pino, or of bunyan, for the option `logger`: `connect({ logger: pinoLogger(pino()) })`. Errors are in the field `err`, for which both
 * have a serializer, with type, message, stack and code. Option `errorKey` names another field, as that of pino.
 * @throws {ListwatchError} code INVALID_OPTION.
 */
export function pinoLogger(
  logger: FieldsFirstLogger,
  { errorKey = 'err' }: { readonly errorKey?: string | undefined } = {},
): Logger {
  if (typeof logger?.error !== 'function') {
    throw new ListwatchError('INVALID_OPTION', 'pinoLogger: give the logger that pino() returns');
  }
  const writer =
    (level: keyof Logger) =>
    (message: string, fields: LogFields = {}): void => {
      logger[level](fieldsOf(fields, errorKey), message);
    };
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
  };
}

/** An error in another field has no serializer, and JSON would show it as an empty object. */
function fieldsOf(fields: LogFields, errorKey: string): LogFields {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'error') shown[errorKey] = value;
    else shown[name] = isError(value) ? errorMessage(value) : value;
  }
  return shown;
}
