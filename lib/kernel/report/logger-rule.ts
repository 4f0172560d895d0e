import { is, type OptionRule } from '../options/options-schema.ts';
import { guardedLogger } from './guarded-logger.ts';
import type { Logger } from './logger.ts';

/** The rule of an option `logger`. What is read cannot throw, see `guardedLogger`. */
export const LOGGER: OptionRule<Logger, undefined> = is
  .methods('a logger with debug, info, warn and error', 'debug', 'info', 'warn', 'error')
  .as(guardedLogger);
