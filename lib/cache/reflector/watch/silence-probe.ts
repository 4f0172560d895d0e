import { deriveAbort, type DerivedAbort } from '../../../kernel/abort.ts';
import { ListwatchError } from '../../../kernel/errors.ts';
import type { Metrics } from '../../../kernel/metrics.ts';
import type { Runtime, Timer } from '../../../kernel/runtime.ts';
import { sleep } from '../../../kernel/wait.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf } from '../../../meta/object-view.ts';
import { isResourceVersion } from '../../../meta/resource-version.ts';
import { listPage } from '../list/list-page.ts';
import type { ListerWatcher, ListRequest } from '../contract/lister-watcher.ts';
import { isNewer, isOlder } from '../../../meta/version-order.ts';
import { classifyFailure, type FailureKind } from '../failure/watch-error.ts';
import { WatchReader } from './watch-reader.ts';

/** Longest wait for one answer; a server takes 3 s to say that it does not have a version yet. */
const ANSWER_MS = 5000;
/** How long the server may send to the watch on the side. */
const SIDE_WATCH_SECONDS = 1;
/**
 * What the watch on the side has brought, the silent one may bring up to 2 s later. It is waited for in naps: after the event
 * loop was blocked, timers come before the bytes that are there already.
 */
const GRACE_NAPS = 4;
const NAP_MS = 500;
/** After an attempt that did not get through. */
const AGAIN_MS = 2000;
/** Attempts in a row that did not get through, after which the network counts as dead. */
const MOST_UNANSWERED = 2;

export interface SilenceProbeOptions<V extends HasMetadata> {
  readonly runtime: Runtime;
  readonly listerWatcher: ListerWatcher<V>;
  readonly metrics: Metrics;
  /** Names the collection in messages and metrics. */
  readonly name: string;
  /** Silence after which the server is asked, milliseconds. */
  readonly silenceProbeMs: number;
  /** The watch that is looked after. */
  readonly reader: Pick<WatchReader<V>, 'waitingSinceMs' | 'interrupt'>;
  /** Where the watch stands; empty while there is nothing to ask about. */
  readonly resourceVersion: () => string;
}

/** What asking came to; the error is what the watch ends with. */
type Finding =
  | { readonly verdict: 'quiet' | 'inconclusive' | 'unanswered' }
  | { readonly verdict: 'dead' | 'went-back'; readonly error: unknown };

const QUIET: Finding = { verdict: 'quiet' };

/**
 * Asks the server on the side about a watch that has been silent: over HTTP/1.1 nothing else tells a quiet collection from a
 * connection that died without a word, or from a server that was restored from a backup and will not reach the version that
 * is waited for.
 *
 * It asks for a list of one item not older than the watch. When the server is at a newer version, it watches for a second
 * from where the silent watch stands: what comes there the silent one should have brought.
 *
 * Guarantees:
 * - A watch is ended only when the server has shown a change that it did not bring within 2 s, when the server's most recent
 *   state is older than the watch, or when two attempts in a row found no connection. A quiet, healthy watch stays.
 * - With a silence of 30 s that takes at most 35 s from the last sign of life, and 42 s when nothing answers at all.
 * - One question at a time; it ends with `close`, and no timer is left.
 *
 * Cost: a list with limit 1 for each silence, and mostly a watch of one second. With bookmarks every minute and a silence of
 * 30 s these are about two small requests a minute for a quiet watch, and none for a busy one.
 */
export class SilenceProbe<V extends HasMetadata> {
  readonly #options: SilenceProbeOptions<V>;
  readonly #abort: DerivedAbort = deriveAbort();
  #timer: Timer | undefined;
  #unanswered = 0;

  constructor(options: SilenceProbeOptions<V>) {
    this.#options = options;
    this.#arm(options.silenceProbeMs);
  }

  /** Asks no more. */
  close(): void {
    this.#timer?.cancel();
    this.#abort.abort(new ListwatchError('CLOSED', 'the watch was closed'));
  }

  #arm(delayMs: number): void {
    if (this.#abort.signal.aborted) return;
    const options = { background: true };
    this.#timer = this.#options.runtime.setTimer(delayMs, () => this.#look(), options);
  }

  #look(): void {
    const { runtime, reader, silenceProbeMs, resourceVersion } = this.#options;
    const sinceMs = reader.waitingSinceMs;
    const silentMs = sinceMs === undefined ? 0 : runtime.monotonicMs() - sinceMs;
    const seen = resourceVersion();
    if (sinceMs === undefined || silentMs < silenceProbeMs) this.#arm(silenceProbeMs - silentMs);
    else if (seen === '0' || !isResourceVersion(seen)) this.#arm(silenceProbeMs);
    else void this.#probe(seen, sinceMs);
  }

  /** Never rejects. */
  async #probe(seen: string, sinceMs: number): Promise<void> {
    const { metrics, name, reader, silenceProbeMs } = this.#options;
    const finding = await this.#find(seen, sinceMs);
    if (this.#abort.signal.aborted) return;
    metrics.count('listwatch_reflector_silence_probes_total', 1, {
      name,
      verdict: finding.verdict,
    });
    this.#unanswered = finding.verdict === 'unanswered' ? this.#unanswered + 1 : 0;
    if (reader.waitingSinceMs !== sinceMs) {
      this.#unanswered = 0;
      this.#arm(silenceProbeMs);
    } else if ('error' in finding) {
      reader.interrupt(finding.error);
    } else if (this.#unanswered >= MOST_UNANSWERED) {
      const why = `the server did not answer ${this.#unanswered} questions either: the network counts as dead`;
      reader.interrupt(this.#silent(sinceMs, why));
    } else {
      this.#arm(this.#unanswered > 0 ? AGAIN_MS : silenceProbeMs);
    }
  }

  async #find(seen: string, sinceMs: number): Promise<Finding> {
    try {
      const newest = await this.#newestVersion(seen);
      if (typeof newest !== 'string') return newest;
      if (newest === seen || !(await this.#bringsChange(seen))) return QUIET;
      if (!(await this.#staysSilent(sinceMs))) return QUIET;
      const why = `though there are changes after resource version ${seen}: the connection counts as dead`;
      return { verdict: 'dead', error: this.#silent(sinceMs, why) };
    } catch (error) {
      const unanswered = UNANSWERED.has(classifyFailure(error).kind);
      return { verdict: unanswered ? 'unanswered' : 'inconclusive' };
    }
  }

  /** The version the server is at, or the finding that it went back. */
  async #newestVersion(seen: string): Promise<string | Finding> {
    let refusal: unknown;
    try {
      const version = await this.#list({
        resourceVersion: seen,
        resourceVersionMatch: 'NotOlderThan',
        limit: 1,
      });
      if (!isOlder(version, seen)) return version;
      refusal = this.#wentBack(version, seen);
    } catch (error) {
      if (!REFUSALS.has(classifyFailure(error).kind)) throw error;
      refusal = error;
    }
    // A replica that lags behind says the same; the most recent state tells.
    const latest = await this.#list({ limit: 1 });
    return isOlder(latest, seen) ? { verdict: 'went-back', error: refusal } : latest;
  }

  async #list(request: ListRequest): Promise<string> {
    const options = { ...this.#options, listTimeoutMs: ANSWER_MS };
    return (await listPage(options, request, this.#abort.signal)).resourceVersion;
  }

  /** Whether a watch from `seen` brings anything newer within its second. */
  async #bringsChange(seen: string): Promise<boolean> {
    const { runtime, listerWatcher, name } = this.#options;
    const { signal } = this.#abort;
    const request = {
      resourceVersion: seen,
      allowWatchBookmarks: true,
      timeoutSeconds: SIDE_WATCH_SECONDS,
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
      if (reader.waitingSinceMs !== sinceMs) return false;
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

/** The network did not get through; everything else is an answer. */
const UNANSWERED: ReadonlySet<FailureKind> = new Set(['connection-refused', 'connection-lost']);

const REFUSALS: ReadonlySet<FailureKind> = new Set(['too-large', 'expired', 'gone']);
