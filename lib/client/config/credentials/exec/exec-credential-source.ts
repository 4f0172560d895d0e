import { ListwatchError } from '../../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import { Credential, type CredentialSource } from '../../../transport/contract/credential.ts';
import { ExecPlugin } from './exec-plugin.ts';
import { InstallHint } from './install-hint.ts';
import type { PluginOutput } from './plugin-output.ts';
import type { ProgramRun } from './program-run.ts';
import { runPlugin } from './run-plugin.ts';
import { abortable } from '../../../../kernel/time/abort.ts';
import type { ExecPluginOptions } from './exec-plugin-options.ts';

/** A credential is replaced this long before it expires, so that none expires on the way. */
const LEEWAY_MS = 10_000;
/** One that lives only shortly is used for this part of its life. */
const USED_PART = 0.9;
/** The plug-in is not run again for a credential that is younger, however short it lives. */
const YOUNGEST_MS = 1_000;
/** A credential that had expired on arrival is used for this time: the clock of this machine may be wrong, not the credential. */
const EXPIRED_MS = 5_000;
/** A failed run is not repeated within this time. */
const FAILURE_MS = 1_000;
/** After a 401 the plug-in is run at most once in this time: a server may answer 401 to everything. */
const REFRESH_MS = 5_000;

interface Kept {
  readonly credential: Credential;
  /** Before this time of the monotonic clock it is fresh in any case. */
  readonly surelyFreshUntilMs: number;
  /** From this time of the monotonic clock on it is stale. */
  readonly staleAtMonotonicMs: number;
  /** From this time of the wall clock on it is stale. */
  readonly staleAtWallMs: number;
}

/** The credentials of an exec plug-in, kept until they expire. See `execCredentials`. */
export class ExecCredentialSource implements CredentialSource {
  readonly source: string;
  readonly #plugin: ExecPlugin;
  readonly #runtime: Runtime;
  readonly #hint: InstallHint;
  #kept: Kept | undefined;
  #failure: { readonly error: unknown; readonly untilMs: number } | undefined;
  #work: SharedWork<Credential> | undefined;
  /** The end of the process that was started last. */
  #ended: Promise<void> = Promise.resolve();
  #refreshedAtMs = -Infinity;

  constructor(plugin: ExecPlugin) {
    this.source = plugin.label;
    this.#plugin = plugin;
    this.#runtime = plugin.runtime;
    this.#hint = new InstallHint(plugin.installHint, plugin.runtime);
  }

  current(signal?: AbortSignal): Credential | Promise<Credential> {
    const kept = this.#kept;
    if (kept !== undefined && this.#isFresh(kept)) return kept.credential;
    return this.#obtain(signal);
  }

  async refresh(rejected: Credential, signal?: AbortSignal): Promise<Credential | undefined> {
    const kept = this.#kept?.credential;
    if (kept !== undefined && kept.equals(rejected)) {
      const nowMs = this.#runtime.monotonicMs();
      if (this.#work === undefined) {
        if (nowMs - this.#refreshedAtMs < REFRESH_MS) return undefined;
        this.#refreshedAtMs = nowMs;
      }
      const next = await this.#obtain(signal);
      return next.equals(rejected) ? undefined : next;
    }
    const next = await this.current(signal);
    return next.equals(rejected) ? undefined : next;
  }

  async #obtain(signal: AbortSignal | undefined): Promise<Credential> {
    signal?.throwIfAborted();
    const failure = this.#failure;
    if (failure !== undefined && this.#runtime.monotonicMs() < failure.untilMs) {
      throw failure.error;
    }
    this.#work ??= this.#start();
    return await this.#work.wait(signal);
  }

  #start(): SharedWork<Credential> {
    const stop = new AbortController();
    let run: ProgramRun | undefined;
    const done = this.#run(stop.signal, (started) => {
      run = started;
      this.#ended = started.ended;
    });
    const work: SharedWork<Credential> = new SharedWork(
      done.then(
        (output) => this.#keep(output, work),
        (error: unknown) => this.#fail(error, work),
      ),
      () => {
        // A caller that comes now gets a new run, which starts when this one has ended.
        this.#work = undefined;
        // It did not come to an end, so it does not count.
        this.#refreshedAtMs = -Infinity;
        stop.abort(new ListwatchError('ABORTED', 'no request waits for the plug-in any more'));
        run?.stop();
      },
    );
    return work;
  }

  async #run(signal: AbortSignal, onStart: (run: ProgramRun) => void): Promise<PluginOutput> {
    // Two runs at a time would both ask in the terminal.
    await this.#ended;
    signal.throwIfAborted();
    return await runPlugin(this.#plugin, { hint: this.#hint, signal, onStart });
  }

  /** Synchronous: no caller can come between the end of the work and its result. */
  #keep(output: PluginOutput, work: SharedWork<Credential>): Credential {
    if (this.#work === work) this.#work = undefined;
    const { expiresAtMs = Infinity, token, cert, key } = output;
    const nowMs = this.#runtime.monotonicMs();
    const lifeMs = expiresAtMs - this.#runtime.wallMs();
    const isExpired = lifeMs <= 0;
    if (isExpired) this.#warnExpired(expiresAtMs);
    const leewayMs = expiresAtMs === Infinity ? 0 : Math.min(LEEWAY_MS, lifeMs * (1 - USED_PART));
    const made = new Credential({
      authorization: token === undefined ? undefined : `Bearer ${token}`,
      cert,
      key,
      source: `the credential of ${this.source}${isExpired ? `, which had expired at ${timeOf(expiresAtMs)} when it was printed,` : ''}`,
    });
    const before = this.#kept?.credential;
    // The same object, because connections are kept by it.
    const isSame = before?.equals(made) === true && before.source === made.source;
    const credential = isSame ? before : made;
    this.#kept = {
      credential,
      surelyFreshUntilMs: nowMs + (isExpired ? EXPIRED_MS : YOUNGEST_MS),
      staleAtMonotonicMs: nowMs + (isExpired ? 0 : lifeMs - leewayMs),
      staleAtWallMs: expiresAtMs - leewayMs,
    };
    return credential;
  }

  #fail(error: unknown, work: SharedWork<Credential>): never {
    if (this.#work === work) {
      this.#work = undefined;
      this.#failure = { error, untilMs: this.#runtime.monotonicMs() + FAILURE_MS };
    }
    throw error;
  }

  /** Both clocks decide: the wall clock may be set back, the monotonic one stands still while a laptop sleeps. */
  #isFresh({ surelyFreshUntilMs, staleAtMonotonicMs, staleAtWallMs }: Kept): boolean {
    const nowMs = this.#runtime.monotonicMs();
    if (nowMs < surelyFreshUntilMs) return true;
    return nowMs < staleAtMonotonicMs && this.#runtime.wallMs() < staleAtWallMs;
  }

  #warnExpired(expiresAtMs: number): void {
    this.#plugin.logger.warn(
      'an exec plug-in printed a credential that has expired; check the clock of this machine, or log in again',
      { plugin: this.source, expiredAt: timeOf(expiresAtMs) },
    );
  }
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString();
}

/**
 * Work that several callers wait for. A caller that aborts leaves the others waiting; when the last one has left before the work
 * has settled, `onDeserted` is called once.
 */
export class SharedWork<R> {
  readonly #work: Promise<R>;
  readonly #onDeserted: () => void;
  #waiting = 0;
  #isOver = false;

  constructor(work: Promise<R>, onDeserted: () => void) {
    this.#work = work;
    this.#onDeserted = onDeserted;
    const over = (): void => {
      this.#isOver = true;
    };
    // It also handles the rejection of work that all callers have left.
    work.then(over, over);
  }

  /** Settles as the work does, or rejects with the signal's reason. A caller without a signal waits to the end. */
  async wait(signal: AbortSignal | undefined): Promise<R> {
    this.#waiting += 1;
    try {
      return await abortable(this.#work, signal);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0 && !this.#isOver) {
        this.#isOver = true;
        this.#onDeserted();
      }
    }
  }
}

/**
 * The credentials that a program prints: an exec credential plug-in as `aws eks get-token`, `gke-gcloud-auth-plugin` or
 * `kubelogin`. The program is first run when a request needs a credential.
 *
 * Guarantees:
 * - One run serves all requests that wait for it. It is stopped when all of them were aborted, after `timeoutMs`, and when it
 *   has written more than 1 MiB: with SIGTERM, and with SIGKILL two seconds later. Between runs there is no process and no timer.
 * - A credential is kept until ten seconds before it expires (a short-lived one for nine tenths of its life). A certificate also
 *   expires at its own end. One without an expiry is kept until the server rejects it.
 * - After a 401 the plug-in runs again, at most every five seconds. A failed run is repeated after a second at the earliest;
 *   requests before that get the same error.
 * - A credential that has already expired when it is printed is used for five seconds, with a warning: the clock of this machine
 *   may be wrong, and the server decides.
 * - Standard error goes to the logger, line by line, without the variables and the values of flags of the configuration. An
 *   interactive plug-in has the standard error of this process, because a question is no line.
 * - Nothing is shared between two sources of the same configuration: each one runs the plug-in. Use one client.
 *
 * @throws {ListwatchError} code CONFIG_INVALID naming source and field; CONFIG_UNSUPPORTED for the version v1alpha1;
 * INVALID_OPTION. `current` and `refresh` reject with code CREDENTIAL_PLUGIN.
 */
export function execCredentials(options: ExecPluginOptions): CredentialSource {
  return new ExecCredentialSource(new ExecPlugin(options));
}
