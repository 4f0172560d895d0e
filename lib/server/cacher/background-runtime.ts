import type { Runtime, Timer } from '../../kernel/time/runtime.ts';

/** The same runtime, but its timers do not keep the process alive. For work that runs as long as the process. */
export function backgroundRuntime(runtime: Runtime): Runtime {
  return {
    wallMs: () => runtime.wallMs(),
    monotonicMs: () => runtime.monotonicMs(),
    random: () => runtime.random(),
    setTimer: (delayMs: number, callback: () => void): Timer =>
      runtime.setTimer(delayMs, callback, { background: true }),
    queueTask: (task: () => void) => {
      runtime.queueTask(task);
    },
  };
}
