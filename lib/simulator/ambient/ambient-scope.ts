import { AsyncLocalStorage } from 'node:async_hooks';
import type { Runtime } from '../../kernel/time/runtime.ts';

/** Whose code runs: an incarnation of a process. What it takes from `Date`, timers and the like is that of its runtime. */
export interface AmbientScope extends Runtime {
  /** Names the process in reports. */
  readonly name: string;
  /** It has ended because it was asked to. */
  readonly isStopped?: boolean | undefined;
  /** Ends the process by itself. */
  readonly exit?: ((reason: string) => void) | undefined;
}

let storage: AsyncLocalStorage<AmbientScope> | undefined;

/** From now on scopes are known. Before that, and in programs that replace nothing, they cost nothing. */
export function trackScopes(): void {
  storage ??= new AsyncLocalStorage();
}

/** Runs something as code of a scope: what it awaits continues in that scope. */
export function inScope<T>(scope: AmbientScope, work: () => T): T {
  return storage === undefined ? work() : storage.run(scope, work);
}

/** The scope of the code that runs. */
export function currentScope(): AmbientScope | undefined {
  return storage?.getStore();
}
