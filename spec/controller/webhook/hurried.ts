import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';

/** Looks at files and registrations, and waits for API servers, in a hundredth of the time; calls have theirs. */
export const hurried: Runtime = {
  ...realRuntime,
  setTimer: (delayMs, callback, options) =>
    realRuntime.setTimer(options?.background === true ? delayMs / 100 : delayMs, callback, options),
};
