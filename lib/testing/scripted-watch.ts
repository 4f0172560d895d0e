import { onAbort } from '../kernel/time/abort.ts';
import { BatchChannel } from '../kernel/data/batch-channel.ts';
import type { Runtime } from '../kernel/time/runtime.ts';
import type { KubernetesObject } from '../meta/object.ts';
import type { ObjectView } from '../meta/object-view.ts';
import type { WatchEvent } from '../meta/watch-event.ts';
import type { WatchRequest } from '../cache/reflector/contract/lister-watcher.ts';
import type { ScriptedChange } from './scripted-collection.ts';

/** Maximum number of events buffered for one watch; if the reader falls further behind, the stream breaks, as with a real server. */
const CAPACITY = 100_000;

/** One open watch of a scripted source. */
export class ScriptedWatch<T extends KubernetesObject> {
  readonly channel: BatchChannel<WatchEvent<ObjectView<T>>>;
  readonly takesBookmarks: boolean;
  /** The resource version of the last change that was sent. */
  sentVersion = 0n;

  constructor(runtime: Runtime, request: WatchRequest, onEnd: (watch: ScriptedWatch<T>) => void) {
    const { timeoutSeconds, signal, allowWatchBookmarks } = request;
    this.takesBookmarks = allowWatchBookmarks === true;
    const timer =
      timeoutSeconds === undefined
        ? undefined
        : runtime.setTimer(
            timeoutSeconds * 1000,
            () => {
              this.channel.end();
            },
            { background: true },
          );
    let release = (): void => {};
    this.channel = new BatchChannel({
      name: 'scripted watch',
      capacity: CAPACITY,
      onEnd: (): void => {
        timer?.cancel();
        release();
        onEnd(this);
      },
    });
    release = onAbort(signal, () => {
      this.channel.destroy(signal?.reason);
    });
  }

  /** Sends a change, unless it is older than the start of the watch. */
  change({ type, version, view }: ScriptedChange<T>): void {
    if (version <= this.sentVersion) return;
    this.sentVersion = version;
    this.send({ type, object: view });
  }

  send(event: WatchEvent<ObjectView<T>>): void {
    if (!this.channel.push(event) && !this.channel.closed)
      this.channel.fail(this.channel.fullError());
  }

  bookmark(resourceVersion: string, initialEventsEnd: boolean): void {
    this.send({ type: 'BOOKMARK', resourceVersion, initialEventsEnd });
  }
}
