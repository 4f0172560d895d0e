import { guardedCall } from '../failure/guarded-call.ts';
import type { LogFields, Logger } from './logger.ts';

type Write = (message: string, fields?: LogFields) => void;

const ignoreFailure = (): void => {};

/** The same logger, but its methods never throw: if a write fails, only that line is lost. The methods need no `this`. */
export function guardedLogger(logger: Logger): Readonly<Record<keyof Logger, Write>> {
  const guarded =
    (level: keyof Logger): Write =>
    (message, fields) => {
      guardedCall(() => logger[level](message, fields), ignoreFailure);
    };
  return {
    debug: guarded('debug'),
    info: guarded('info'),
    warn: guarded('warn'),
    error: guarded('error'),
  };
}
