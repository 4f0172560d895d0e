import { Latch } from '../../kernel/time/latch.ts';
import { onAbort } from '../../kernel/time/abort.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import type { ManagedRun } from './managed-run.ts';

/** The parts of the whole time after which work in progress is asked to end, and after which its group is no longer waited for. */
const CONTROLLERS = { drain: 0.6, end: 0.8 };
const OTHERS = { drain: 0.9, end: 1 };

/** The stop of the parts of a manager, group by group, within one deadline. */
export class Shutdown {
  readonly #runtime: Runtime;
  readonly #startedAtMs: number;
  readonly #timeoutMs: number;
  readonly #hurry: AbortSignal;

  /** @param hurry ends all waits. */
  constructor(runtime: Runtime, timeoutMs: number, hurry: AbortSignal) {
    this.#runtime = runtime;
    this.#startedAtMs = runtime.monotonicMs();
    this.#timeoutMs = timeoutMs;
    this.#hurry = hurry;
  }

  /** The rest of the whole time, milliseconds. */
  get leftMs(): number {
    return this.#hurry.aborted ? 0 : this.#leftOf(1);
  }

  /**
   * Stops a group, and resolves when it has ended or its time is up.
   * @param undisturbed whether work in progress may end first
   */
  async stop(group: readonly ManagedRun[], undisturbed: boolean = true): Promise<void> {
    const shares = group.some(({ kind }) => kind === 'controller') ? CONTROLLERS : OTHERS;
    await Promise.all(group.map((run) => this.#stopOne(run, shares, undisturbed)));
  }

  async #stopOne(run: ManagedRun, shares: typeof OTHERS, undisturbed: boolean): Promise<void> {
    if (undisturbed) await run.drain(this.#leftOf(shares.drain), this.#hurry);
    run.stop();
    await this.#ended(run, this.#leftOf(shares.end));
  }

  async #ended(run: ManagedRun, timeoutMs: number): Promise<void> {
    const hurried = new Latch('a second signal');
    const release = onAbort(this.#hurry, () => {
      hurried.open();
    });
    const describe = (): string => `${run.name} to stop`;
    // Parts that have not ended are named at the end.
    await untilOpen(this.#runtime, [run.ended, hurried], { timeoutMs, describe }).catch(() => {});
    release();
  }

  /** The rest of this share of the whole time, milliseconds. */
  #leftOf(share: number): number {
    const passedMs = this.#runtime.monotonicMs() - this.#startedAtMs;
    return Math.max(0, this.#timeoutMs * share - passedMs);
  }
}
