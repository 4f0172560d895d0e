import { deriveAbort, type DerivedAbort } from '../../../kernel/time/abort.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Metrics } from '../../../kernel/report/metrics.ts';
import type { IdleLimit } from '../../../kernel/time/idle-watchdog.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { nextTask, sleep, withDeadline } from '../../../kernel/time/wait.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf } from '../../../meta/object-view.ts';
import { isResourceVersion } from '../../../meta/versions/resource-version.ts';
import { listPage } from '../list/list-page.ts';
import {
  type ServerGate,
  type ListerWatcher,
  type ListRequest,
  PROBE_ITEMS,
  PROBE_SECONDS,
} from '../contract/lister-watcher.ts';
import { isNewer, isOlder } from '../../../meta/versions/version-order.ts';
import { classifyFailure, type FailureKind } from '../failure/watch-error.ts';
import { WatchReader } from './watch-reader.ts';

/** The longest wait for an answer, milliseconds; a server takes 3 s to answer that it does not have a version yet. */
const ANSWER_MS = 4500;
/** The additional wait for a turn, milliseconds, so that a failure of the other readers is noticed before the timeout. */
const HEARING_MS = 250;
/**
 * The silent watch may bring the events of the probing watch up to 2 s later. The wait has steps: after the event loop was
 * blocked, timers run before data that has already arrived is read.
 */
const GRACE_NAPS = 4;
const NAP_MS = 500;
/** The wait before a request is sent again, if it has no answer or has failed, milliseconds. */
const AGAIN_MS = 2000;
/** The number of failed requests in a row after which the network counts as dead. */
const MOST_UNANSWERED = 2;

export interface SilenceProbeOptions<V extends HasMetadata> {
  readonly runtime: Runtime;
  readonly listerWatcher: ListerWatcher<V>;
  readonly metrics: Metrics;
  /** Names the collection in messages and metrics. */
  readonly name: string;
  /** The silence after which a request is sent, milliseconds. */
  readonly silenceProbeMs: number;
  /** The watch that is checked. */
  readonly reader: Pick<WatchReader<V>, 'idle' | 'interrupt'>;
  /** The resource version of the watch; empty while there is nothing to probe, or it is not known. */
  readonly resourceVersion: () => string;
  /**
   * Probes a watch of an unknown version too: whether the server answers, and with the version of that answer whether the watch
   * brings later changes. @defaultValue false
   */
  readonly probesUnknown?: boolean | undefined;
}

/** The result of a probe; its error ends the watch. */
type Finding =
  | { readonly verdict: 'quiet' | 'inconclusive' | 'unanswered' }
  | { readonly verdict: 'dead' | 'went-back'; readonly error: unknown };

const QUIET: Finding = { verdict: 'quiet' };

/**
 * Checks a silent watch with separate requests. Over HTTP/1.1 there is no other way to distinguish a quiet collection from a
 * connection that died without an error, or from a server that was restored from a backup and is older than the watch.
 *
 * It requests a list of one item that is not older than the watch. If the server is at a newer version, it opens a second watch
 * for one second, from the version of the silent watch: an event of this watch should also have arrived on the silent one.
 *
 * Guarantees:
 * - A watch is ended only in three cases: it did not bring an event within 2 s after the probing watch did; the most recent
 *   state of the server is older than the watch; or two requests in a row got no answer, including requests of other readers at
 *   the gate of the server. A quiet, healthy watch stays open.
 * - With a silence of 30 s this takes at most 35 s from the last data, also when nothing answers at all.
 * - There is one request at a time, and a second one if the first has no answer after 2 s. They end with `close`, and no timer
 *   is left.
 *
 * Cost: a list with limit 1 for each silence, and mostly a watch of one second. With bookmarks every minute and a silence of
 * 30 s these are about two small requests a minute for a quiet watch, and none for a busy one.
 */
export class SilenceProbe<V extends HasMetadata> {
  readonly #options: SilenceProbeOptions<V>;
  readonly #abort: DerivedAbort = deriveAbort();
  #limit: IdleLimit | undefined;
  #unanswered = 0;
  /** The requests of the present round. */
  #asked = 0;
  /** The version of an answer, for a watch whose version is not known. */
  #answered = '';

  constructor(options: SilenceProbeOptions<V>) {
    this.#options = options;
    this.#arm(options.silenceProbeMs);
  }

  /** Ends the probe. */
  close(): void {
    this.#limit?.cancel();
    this.#abort.abort(new ListwatchError('CLOSED', 'the watch was closed'));
  }

  #arm(limitMs: number): void {
    if (this.#abort.signal.aborted) return;
    const { idle } = this.#options.reader;
    this.#limit = idle.limit({ limitMs, onIdle: () => this.#look(), background: true });
  }

  #look(): void {
    const { reader, silenceProbeMs, probesUnknown = false } = this.#options;
    const seen = this.#seen();
    const sinceMs = reader.idle.waitingSinceMs;
    if (sinceMs === undefined || (seen === '' && !probesUnknown)) this.#arm(silenceProbeMs);
    else void this.#probe(seen, sinceMs);
  }

  /** The version of the watch, or that of an answer; empty without one. */
  #seen(): string {
    const seen = this.#options.resourceVersion();
    return seen !== '0' && isResourceVersion(seen) ? seen : this.#answered;
  }

  /** Never rejects. */
  async #probe(seen: string, sinceMs: number): Promise<void> {
    const { metrics, name, reader, silenceProbeMs } = this.#options;
    const finding = await this.#find(seen, sinceMs);
    if (this.#abort.signal.aborted) return;
    metrics.count('listwatch_reflector_silence_probes_total', 1, {
      name,
      result: finding.verdict,
    });
    this.#unanswered = finding.verdict === 'unanswered' ? this.#unanswered + this.#asked : 0;
    if (reader.idle.waitingSinceMs !== sinceMs) {
      this.#unanswered = 0;
      this.#arm(silenceProbeMs);
    } else if ('error' in finding) {
      reader.interrupt(finding.error);
    } else if (this.#unanswered >= MOST_UNANSWERED || this.#othersUnanswered) {
      const why = 'the server did not answer questions either: the network counts as dead';
      reader.interrupt(this.#silent(sinceMs, why));
    } else {
      this.#arm(this.#unanswered > 0 ? AGAIN_MS : silenceProbeMs);
    }
  }

  get #gate(): ServerGate | undefined {
    return this.#options.listerWatcher.supports?.gate;
  }

  /** The other readers of the server get no answer either. */
  get #othersUnanswered(): boolean {
    return this.#unanswered > 0 && this.#gate?.waitingFor !== undefined;
  }

  async #find(seen: string, sinceMs: number): Promise<Finding> {
    this.#asked = 1;
    try {
      if (seen === '') {
        this.#answered = await this.#askTwice({ limit: PROBE_ITEMS });
        return QUIET;
      }
      const newest = await this.#newestVersion(seen);
      if (typeof newest !== 'string') return newest;
      if (newest === seen || !(await this.#bringsChange(seen))) return QUIET;
      if (!(await this.#staysSilent(sinceMs))) return QUIET;
      const why = `though there are changes after resource version ${seen}: the connection counts as dead`;
      return { verdict: 'dead', error: this.#silent(sinceMs, why) };
    } catch (error) {
      const unanswered = UNANSWERED.has(classifyFailure(error).kind);
      // The requests of other readers have failed by then, too.
      await nextTask(this.#options.runtime);
      return { verdict: unanswered ? 'unanswered' : 'inconclusive' };
    }
  }

  /** The version of the server, or the finding that it went back. */
  async #newestVersion(seen: string): Promise<string | Finding> {
    let refusal: unknown;
    try {
      const version = await this.#askTwice({
        resourceVersion: seen,
        resourceVersionMatch: 'NotOlderThan',
        limit: PROBE_ITEMS,
      });
      if (!isOlder(version, seen)) return version;
      refusal = this.#wentBack(version, seen);
    } catch (error) {
      if (!REFUSALS.has(classifyFailure(error).kind)) throw error;
      refusal = error;
    }
    // A lagging replica gives the same answer; a request for the most recent state decides.
    const untilMs = this.#options.runtime.monotonicMs() + ANSWER_MS;
    const latest = await this.#list({ limit: PROBE_ITEMS }, untilMs, this.#abort.signal);
    return isOlder(latest, seen) ? { verdict: 'went-back', error: refusal } : latest;
  }

  /** Without an answer for some time it sends the request again: only the connection of the first request may be dead. */
  async #askTwice(request: ListRequest): Promise<string> {
    const { runtime } = this.#options;
    const asking = deriveAbort(this.#abort.signal);
    const { signal } = asking;
    const untilMs = runtime.monotonicMs() + ANSWER_MS;
    try {
      this.#gate?.doubt();
      await this.#turn(untilMs, signal);
      const first = this.#list(request, untilMs, signal);
      const nap = sleep(runtime, AGAIN_MS, { signal, background: true });
      const early = await Promise.race([first, nap]);
      if (early !== undefined) return early;
      const second = this.#askBeside(request, untilMs, signal);
      return await Promise.any([first, second]).catch(async () => await first);
    } finally {
      asking.abort();
    }
  }

  async #askBeside(request: ListRequest, untilMs: number, signal: AbortSignal): Promise<string> {
    await this.#turn(untilMs, signal);
    this.#asked = 2;
    return await this.#list(request, untilMs, signal);
  }

  /** Rejects when the other readers of the server get no answer, or use all turns. */
  async #turn(untilMs: number, signal: AbortSignal): Promise<void> {
    const { runtime, name } = this.#options;
    const gate = this.#gate;
    if (gate?.waitingFor !== undefined) throw new ListwatchError('TIMEOUT', gate.waitingFor);
    const turn = gate?.turn(signal);
    if (turn === undefined) return;
    const describe = (): string => `the turn to ask about ${name}`;
    const timeoutMs = untilMs - runtime.monotonicMs() + HEARING_MS;
    await withDeadline(runtime, turn, { timeoutMs, describe });
  }

  async #list(request: ListRequest, untilMs: number, signal: AbortSignal): Promise<string> {
    const listTimeoutMs = Math.max(1, untilMs - this.#options.runtime.monotonicMs());
    const options = { ...this.#options, listTimeoutMs };
    return (await listPage(options, request, signal)).resourceVersion;
  }

  /** Whether a watch from `seen` brings a newer event within one second. */
  async #bringsChange(seen: string): Promise<boolean> {
    const { runtime, listerWatcher, name } = this.#options;
    const { signal } = this.#abort;
    const request = {
      resourceVersion: seen,
      allowWatchBookmarks: true,
      timeoutSeconds: PROBE_SECONDS,
    };
    const side = new WatchReader({ runtime, listerWatcher, request, signal });
    const timer = runtime.setTimer(ANSWER_MS, () => {
      const text = `gave up after ${ANSWER_MS} ms waiting for a short watch of ${name}`;
      side.interrupt(new ListwatchError('TIMEOUT', text));
    });
    try {
      await side.open();
      for (;;) {
        const batch = await side.read();
        if (batch === undefined) return false;
        for (const event of batch) {
          if (event.type === 'BOOKMARK') continue;
          const version = identityOf(event.object).resourceVersion ?? '';
          if (isResourceVersion(version) && isNewer(version, seen)) return true;
        }
      }
    } finally {
      timer.cancel();
      side.close();
    }
  }

  async #staysSilent(sinceMs: number): Promise<boolean> {
    const { runtime, reader } = this.#options;
    for (let nap = 0; nap < GRACE_NAPS; nap += 1) {
      await sleep(runtime, NAP_MS, { signal: this.#abort.signal, background: true });
      if (reader.idle.waitingSinceMs !== sinceMs) return false;
    }
    return true;
  }

  #silent(sinceMs: number, why: string): ListwatchError {
    const { runtime, name } = this.#options;
    const seconds = Math.round((runtime.monotonicMs() - sinceMs) / 1000);
    const text = `the watch of ${name} carried nothing for ${seconds} s, ${why}`;
    return new ListwatchError('STREAM_IDLE', text);
  }

  #wentBack(version: string, seen: string): ListwatchError {
    const text = `the server of ${this.#options.name} is at resource version ${version}, behind ${seen} that was seen`;
    return new ListwatchError('RESOURCE_VERSION_WENT_BACK', text);
  }
}

/** Whether the network failed; every other error is an answer of the server. */
const UNANSWERED: ReadonlySet<FailureKind> = new Set(['connection-refused', 'connection-lost']);

const REFUSALS: ReadonlySet<FailureKind> = new Set(['too-large', 'expired', 'gone']);
