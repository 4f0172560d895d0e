import { guardedCall } from '../failure/guarded-call.ts';
import type { LogFields, Logger } from './logger.ts';

/** Calls a hook of the user. An error that it throws, or a rejection of its promise, is logged: `hook` names it. */
export function runHook(
  logger: Pick<Logger, 'error'>,
  hook: string,
  call: () => unknown,
  fields?: LogFields,
): void {
  guardedCall(call, (error) => {
    logger.error('hook threw', { hook, ...fields, error });
  });
}
