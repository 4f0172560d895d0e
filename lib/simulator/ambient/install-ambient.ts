import { createRequire, syncBuiltinESMExports } from 'node:module';
import { ambientSource, startAmbient } from './ambient-run.ts';
import { trackScopes } from './ambient-scope.ts';
import { replaceEscapes } from './escape-table.ts';
import type { LoadingClock } from './loading-clock.ts';
import { replaceFunction, replaceProperty } from './replace-property.ts';
import { replaceClocks } from './simulated-clocks.ts';
import { replaceDate } from './simulated-date.ts';
import { replaceRandom } from './simulated-random.ts';
import {
  promisedImmediate,
  promisedInterval,
  promisedTimeout,
  simulatedAbortTimeout,
  simulatedScheduler,
} from './simulated-timer-promises.ts';
import { simulatedTimers } from './simulated-timers.ts';

const builtin = createRequire(import.meta.url) as (name: string) => object;

/** The end of a process that a controller has asked for: nothing that it would do after that matters. */
class ProcessEnd extends Error {}

/**
 * Replaces the sources of time and chance of this process by those of the runs, for good, and lets everything real be reported that
 * cannot be simulated. Modules that are loaded later see nothing else; those of the simulator have taken what they need before.
 * @returns the clock of the modules that are loaded next
 */
export function installAmbient(): LoadingClock {
  const loading = startAmbient();
  trackScopes();
  replaceEscapes();
  const process = builtin('node:process') as NodeJS.Process;
  const timers = builtin('node:timers');
  for (const [name, replacement] of Object.entries(simulatedTimers)) {
    replaceProperty(globalThis, name, replacement);
    replaceProperty(timers, name, replacement);
  }
  const promises = builtin('node:timers/promises') as { readonly scheduler: object };
  replaceProperty(promises, 'setTimeout', promisedTimeout);
  replaceProperty(promises, 'setImmediate', promisedImmediate);
  replaceProperty(promises, 'setInterval', promisedInterval);
  for (const [name, replacement] of Object.entries(simulatedScheduler)) {
    replaceProperty(promises.scheduler, name, replacement);
  }
  replaceProperty(AbortSignal, 'timeout', simulatedAbortTimeout);
  replaceDate();
  replaceClocks(
    (builtin('node:perf_hooks') as { readonly performance: object }).performance,
    process,
  );
  replaceRandom(builtin('node:crypto'));
  replaceEnd(process);
  syncBuiltinESMExports();
  return loading;
}

/** `process.exit` ends the process of the controller. */
function replaceEnd(process: NodeJS.Process): void {
  for (const name of ['exit', 'abort', 'reallyExit']) {
    replaceFunction(process, name, (real) => (code) => {
      const { exit } = ambientSource();
      if (exit === undefined) return real.call(process, code);
      exit(`process.${name}(${typeof code === 'number' ? code : ''})`);
      throw new ProcessEnd('the process has ended');
    });
  }
}
