import { deriveAbort, type DerivedAbort } from '../../../../kernel/time/abort.ts';
import { isListwatchError } from '../../../../kernel/failure/errors.ts';
import { IdleWatchdog, type IdleLimit } from '../../../../kernel/time/idle-watchdog.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import { sleep, withDeadline } from '../../../../kernel/time/wait.ts';
import { instant, timedLine } from './seen-lines.ts';

/** After this silence the last line of the log is asked for, milliseconds. */
const SILENCE_MS = 30_000;
/** The longest wait for that line, milliseconds. */
const ANSWER_MS = 3000;
/**
 * The followed log may bring that line up to 1.5 s later. The wait has steps: after the event loop was blocked, timers run before
 * data that has already arrived is read.
 */
const GRACE_NAPS = 3;
const NAP_MS = 500;

/** Failures in which no server answers. */
const UNANSWERED: ReadonlySet<string> = new Set([
  'TIMEOUT',
  'CONNECTION_FAILED',
  'CONNECTION_REFUSED',
  'REQUEST_TIMEOUT',
]);

export interface LogProbeOptions {
  readonly runtime: Runtime;
  readonly signal: AbortSignal | undefined;
  /** The time of the newest line that came; undefined for none. */
  readonly newest: () => string | undefined;
  /** The last line of the log with its time in front, by a request of its own. */
  readonly lastLine: (signal: AbortSignal) => Promise<string>;
  readonly dead: (problem: string) => Error;
}

/**
 * Checks a followed log that is silent: over HTTP/1.1, a connection that died without a word looks like a container that writes
 * nothing. It asks for the last line of the log.
 *
 * Guarantees: within 35 s of the last data, a read fails if nothing answers, or if the log has a newer line that does not come. A
 * refusal counts as nothing found. Cost: one small request for each 30 s of silence.
 */
export class LogProbe {
  readonly #options: LogProbeOptions;
  readonly #idle: IdleWatchdog;
  readonly #abort: DerivedAbort;
  #limit: IdleLimit | undefined;
  /** The last line when it was first asked for: the followed log may begin after it. */
  #known: string | undefined;
  #fail: ((error: Error) => void) | undefined;

  constructor(options: LogProbeOptions) {
    this.#options = options;
    this.#idle = new IdleWatchdog(options.runtime);
    this.#abort = deriveAbort(options.signal);
    this.#arm();
  }

  /** Settles as the next piece does. @throws what `dead` makes, when the connection is dead. */
  async read<R>(next: Promise<R>): Promise<R> {
    this.#idle.expect();
    try {
      return await new Promise<R>((resolve, reject) => {
        this.#fail = reject;
        next.then(resolve, reject);
      });
    } finally {
      this.#idle.pause();
    }
  }

  close(): void {
    this.#limit?.cancel();
    this.#idle.stop();
    this.#abort.abort();
  }

  #arm(): void {
    if (this.#abort.signal.aborted) return;
    const onIdle = (): void => void this.#look();
    this.#limit = this.#idle.limit({ limitMs: SILENCE_MS, onIdle, background: true });
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const sinceMs = this.#idle.waitingSinceMs;
    const problem = await this.#find(sinceMs);
    if (this.#abort.signal.aborted) return;
    if (problem === undefined || this.#idle.waitingSinceMs !== sinceMs) this.#arm();
    else this.#fail?.(this.#options.dead(`the followed log was silent for 30 s, and ${problem}`));
  }

  /** Whether a line of this time should have come. */
  #isNews(time: string): boolean {
    const known = this.#options.newest() ?? this.#known;
    this.#known ??= time;
    if (known === undefined || time === '') return false;
    return known === '' || instant(time) > instant(known);
  }

  async #find(sinceMs: number | undefined): Promise<string | undefined> {
    const { runtime, lastLine } = this.#options;
    const asking = deriveAbort(this.#abort.signal);
    const { signal } = asking;
    const describe = (): string => 'the last line of the log';
    try {
      const asked = lastLine(signal);
      const text = await withDeadline(runtime, asked, { timeoutMs: ANSWER_MS, describe });
      if (!this.#isNews(timedLine(text.trimEnd().split('\n').at(-1) ?? '').time)) return undefined;
      for (let nap = 0; nap < GRACE_NAPS; nap += 1) {
        await sleep(runtime, NAP_MS, { signal, background: true });
        if (this.#idle.waitingSinceMs !== sinceMs) return undefined;
      }
      return 'the log has a newer line: the connection counts as dead';
    } catch (error) {
      const unanswered = isListwatchError(error) && UNANSWERED.has(error.code);
      return unanswered ? 'the server did not answer either: it counts as gone' : undefined;
    } finally {
      asking.abort();
    }
  }
}
