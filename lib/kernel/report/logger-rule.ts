import { invalidOption, OptionRule } from '../options/option-rules.ts';
import { is } from '../options/options-schema.ts';
import { guardedLogger } from './guarded-logger.ts';
import type { Logger } from './logger.ts';

const { expected, accepts } = is.methods(
  'a logger with debug, info, warn and error',
  'debug',
  'info',
  'warn',
  'error',
);

/** The rule of an option `logger`. What is read cannot throw, see `guardedLogger`. */
export const LOGGER: OptionRule<Logger, undefined> = new OptionRule<Logger, undefined>(
  expected,
  accepts,
  undefined,
  { as: guardedLogger, within: refuseFieldsFirst },
);

/** A logger that takes the fields first would take the text for them, and lose the fields. */
function refuseFieldsFirst(given: object, owner: string, path: string): void {
  const has = (method: string): boolean => typeof Reflect.get(given, method) === 'function';
  if (!has('child') || !(has('bindings') || has('addSerializers'))) return;
  const option = `option "${path.slice(0, -1)}"`;
  const problem = 'is a logger of pino or bunyan, whose methods take the fields before the text';
  throw invalidOption(owner, `${option} ${problem}; give pinoLogger(logger) of listwatch/kernel`);
}
