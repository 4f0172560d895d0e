import type { Runtime, Timer } from '../../kernel/runtime.ts';

/** The same runtime, none of whose timers keeps the process alive: for work that goes on for as long as there is a process. */
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
