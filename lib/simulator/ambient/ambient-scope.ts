import { AsyncLocalStorage } from 'node:async_hooks';
import type { Runtime } from '../../kernel/time/runtime.ts';

/** Whose code runs: an incarnation of a process. What it takes from `Date`, timers and the like is that of its runtime. */
export interface AmbientScope extends Runtime {
  /** Names the process in reports. */
  readonly name: string;
  /** The runtime of the run that it belongs to. */
  readonly world?: Runtime | undefined;
  /** It has ended because it was asked to. */
  readonly isStopped?: boolean | undefined;
  /** Ends the process by itself. */
  readonly exit?: ((reason: string) => void) | undefined;
}

let storage: AsyncLocalStorage<AmbientScope> | undefined;
/** The number of runs that need scopes. */
let users = 0;

/** From now on scopes are known. Before that, and in programs that replace nothing, they cost nothing. */
export function trackScopes(): void {
  storage ??= new AsyncLocalStorage();
}

/** The same for a time, in a program that goes on without scopes. */
export function trackScopesFor(): Disposable {
  const isLasting = users === 0 && storage !== undefined;
  if (isLasting) return { [Symbol.dispose]: () => {} };
  users += 1;
  storage ??= new AsyncLocalStorage();
  return {
    [Symbol.dispose]: () => {
      users -= 1;
      if (users > 0) return;
      storage?.disable();
      storage = undefined;
    },
  };
}

/** Runs something as code of a scope: what it awaits continues in that scope. */
export function inScope<T>(scope: AmbientScope, work: () => T): T {
  return storage === undefined ? work() : storage.run(scope, work);
}

/** The scope of the code that runs. */
export function currentScope(): AmbientScope | undefined {
  return storage?.getStore();
}
