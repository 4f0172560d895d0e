import type {
  ListerWatcher,
  WatchRequest,
} from '../../../cache/reflector/contract/lister-watcher.ts';
import { SilenceProbe } from '../../../cache/reflector/watch/silence-probe.ts';
import { silentMetrics } from '../../../kernel/report/metrics.ts';
import { deriveAbort } from '../../../kernel/time/abort.ts';
import { IdleWatchdog } from '../../../kernel/time/idle-watchdog.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { identityOf, type ObjectView } from '../../../meta/object-view.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';

/** After this silence the server is asked whether the watch should have brought something, milliseconds. */
const SILENCE_MS = 30_000;

/**
 * The events of one watch, one by one.
 *
 * A connection that died without a word is noticed as by an informer: within 35 s when the server does not answer, or has changes
 * that the watch did not bring. A healthy watch stays open however quiet it is.
 * @throws {ListwatchError} code STREAM_IDLE when the connection is dead, RESOURCE_VERSION_WENT_BACK when the server is older
 * than the watch; what the watch throws
 */
export async function* watchEvents<T extends KubernetesObject>(
  source: ListerWatcher<ObjectView<T>>,
  request: WatchRequest,
  runtime: Runtime,
): AsyncGenerator<WatchEvent<T>, undefined> {
  const abort = deriveAbort(request.signal);
  const idle = new IdleWatchdog(runtime);
  let seen = request.resourceVersion ?? '';
  let probe: SilenceProbe<ObjectView<T>> | undefined;
  let batches: AsyncIterator<readonly WatchEvent<ObjectView<T>>[]> | undefined;
  try {
    const stream = await source.watch({ ...request, signal: abort.signal });
    batches = stream[Symbol.asyncIterator]();
    probe = new SilenceProbe({
      runtime,
      listerWatcher: source,
      metrics: silentMetrics,
      name: source.description,
      silenceProbeMs: SILENCE_MS,
      reader: { idle, interrupt: (error) => abort.abort(error) },
      resourceVersion: () => seen,
      probesUnknown: true,
    });
    for (;;) {
      idle.expect();
      const { done = false, value: batch } = await batches.next();
      idle.pause();
      if (done) return undefined;
      for (const event of batch) {
        seen = versionOf(event) ?? seen;
        yield event.type === 'BOOKMARK' ? event : { type: event.type, object: event.object.object };
      }
    }
  } finally {
    probe?.close();
    idle.stop();
    await batches?.return?.();
    abort.abort();
  }
}

function versionOf<T extends KubernetesObject>(
  event: WatchEvent<ObjectView<T>>,
): string | undefined {
  return event.type === 'BOOKMARK'
    ? event.resourceVersion
    : identityOf(event.object).resourceVersion;
}
