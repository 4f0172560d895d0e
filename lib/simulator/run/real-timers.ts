import { createHook } from 'node:async_hooks';
import { currentScope, trackScopesFor } from '../ambient/ambient-scope.ts';
import { callPlace, stackHere } from '../ambient/user-place.ts';
import type { Finding } from '../contract/finding.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

/** This bounds what a run can report. */
const MOST_FINDINGS = 20;

/**
 * Timers of the machine that controllers start in a process where they are not replaced. Virtual time passes without them, so such a
 * controller stands still in every run, and every run looks right. It slows down a run, so it watches one run of many.
 */
export class RealTimers implements Disposable {
  readonly #world: Runtime;
  readonly #scopes: Disposable;
  readonly #hook = createHook({ init: (_, type) => this.#begun(type) });
  readonly #found = new Map<string, Finding>();
  #isLooking = false;

  /** Begins. `world`: the runtime of the run whose processes are watched. */
  constructor(world: Runtime) {
    this.#world = world;
    this.#scopes = trackScopesFor();
    this.#hook.enable();
  }

  get findings(): readonly Finding[] {
    return [...this.#found.values()];
  }

  [Symbol.dispose](): void {
    this.#hook.disable();
    this.#scopes[Symbol.dispose]();
  }

  #begun(type: string): void {
    if (type !== 'Timeout' || this.#isLooking) return;
    const scope = currentScope();
    if (scope?.world !== this.#world) return;
    this.#isLooking = true;
    try {
      this.#report(scope.name);
    } finally {
      this.#isLooking = false;
    }
  }

  #report(process: string): void {
    const { place, trail } = callPlace(stackHere());
    const subject = place === '' ? 'a timer' : `a timer at ${place}`;
    if (this.#found.size >= MOST_FINDINGS || this.#found.has(subject)) return;
    const where = trail.length === 0 ? '' : `, at ${trail.join(', called from ')}`;
    const message =
      `${process} starts a timer of the machine${where}: virtual time does not wait for it. Use incarnation.runtime, and give it to ` +
      'informers, queues and loops as "runtime"; or use simulateModule, where setTimeout and Date are simulated';
    this.#found.set(subject, { class: 'escape', subject, message });
  }
}
