import { onAbort } from '../kernel/time/abort.ts';
import { resolveInspectorOptions, type InspectorOptions } from './inspector-options.ts';
import { InspectorPages } from './inspector-pages.ts';
import { InspectorListener } from './port/inspector-listener.ts';
import { RequestGuard } from './port/request-guard.ts';
import { SnapshotFeed } from './port/snapshot-feed.ts';
import { SlowRequests } from './slow-requests.ts';
import { StateReader } from './state-reader.ts';

/**
 * A page that shows a program at work; see `serveInspector`.
 *
 * @experimental
 */
export interface Inspector extends AsyncDisposable {
  /** The address of the page, `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The same with the token, for a person who opens it; it is a secret. Without a token it is `url`. */
  readonly openUrl: string;
  /** Pages that are open and visible. */
  readonly pages: number;
  /** Disconnects all pages and releases the port. May be called again. */
  close(): Promise<void>;
}

/**
 * Serves a live page of what informers hold, why keys wait and what reconciles did, with `/metrics`, `/healthz`, `/readyz` and
 * `/debug/dump` on the same port. It listens on loopback unless it has a token.
 *
 * Guarantees:
 * - The parts do nothing for it: while a page is open and visible, their `inspect()` is called once a second; otherwise never.
 * - A slow browser misses updates; nothing is queued for it.
 * - The values of secrets are masked. Requests for foreign hosts, and those of other sites, are refused.
 * - After `close` no socket and no timer is left.
 *
 * @example
 * await using inspector = await serveInspector({ controllers: [sites], client });
 * console.log(`open ${inspector.openUrl}`);
 * @throws {ListwatchError} code INVALID_OPTION, also for a host other than loopback without a token; PORT_IN_USE; LISTEN_FAILED; the
 * signal's reason when it is aborted.
 * @experimental
 */
export async function serveInspector(options: InspectorOptions = {}): Promise<Inspector> {
  const resolved = resolveInspectorOptions(options);
  const { parts, title, runtime, logger, host, port, hosts, token, signal } = resolved;
  signal?.throwIfAborted();
  const slow = new SlowRequests();
  const reader = new StateReader({ parts, title, runtime, slow });
  const intervalMs = resolved.updateIntervalMs;
  const feed = new SnapshotFeed({ runtime, logger, intervalMs, read: () => reader.read() });
  const listener = new InspectorListener({
    guard: new RequestGuard({ token, hosts }),
    feed,
    routes: new InspectorPages(resolved, reader).routes(),
    logger,
  });
  await listener.listen({ host, port });
  const stopObserving = parts.server?.observeRequests(slow.note);
  return new RunningInspector({ listener, feed, token, signal, stopObserving });
}

interface RunningParts {
  readonly listener: InspectorListener;
  readonly feed: SnapshotFeed;
  readonly token: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly stopObserving: (() => void) | undefined;
}

/** Its token is private, so that neither `inspect` nor `JSON.stringify` prints it. */
class RunningInspector implements Inspector {
  readonly url: string;
  readonly #parts: RunningParts;
  readonly #release: () => void;

  constructor(parts: RunningParts) {
    this.url = parts.listener.url;
    this.#parts = parts;
    this.#release = onAbort(parts.signal, () => {
      void this.close();
    });
  }

  get openUrl(): string {
    const { token } = this.#parts;
    return token === undefined ? this.url : `${this.url}/?token=${encodeURIComponent(token)}`;
  }

  get pages(): number {
    return this.#parts.feed.pages;
  }

  async close(): Promise<void> {
    const { listener, feed, stopObserving } = this.#parts;
    // An aborted signal calls it before the field is set.
    this.#release?.();
    stopObserving?.();
    feed.close();
    await listener.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
