import type {
  ListerWatcher,
  WatchRequest,
  WatchStream,
} from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import { RetryWatcher, type RetryWatcherOptions } from '../../../lib/cache/wait/retry-watcher.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { pod, type Pod } from '../support/objects.ts';

export type View = ObjectView<Pod>;

/** A source with a history of three pods, a watcher behind the first of them, and what a loop over it saw. */
export class Rig {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly source: ScriptedListerWatcher<Pod>;
  readonly retries: string[] = [];
  readonly seen: string[] = [];
  readonly watcher: RetryWatcher<View>;

  constructor(options: Partial<RetryWatcherOptions<View>> = {}) {
    const { runtime } = this;
    const objects = ['a', 'b', 'c'].map((name) => pod(name));
    this.source = new ScriptedListerWatcher<Pod>({ runtime, objects, description: 'pods' });
    this.watcher = new RetryWatcher<View>({
      runtime,
      logger: silentLogger,
      listerWatcher: this.source,
      resourceVersion: '1',
      onRetry: (_, { message }) => {
        this.retries.push(message);
      },
      ...options,
    });
  }

  /** Loops until the end and says how it was. */
  async follow(): Promise<unknown> {
    try {
      for await (const { type, object } of this.watcher) {
        const { name, resourceVersion } = object.metadata;
        this.seen.push(`${type} ${name}@${resourceVersion}`);
      }
      return 'ended';
    } catch (error) {
      return error;
    }
  }

  get starts(): string[] {
    return this.source.requests.map(
      ({ request, atMs }) => `${request.resourceVersion} at ${Math.round(atMs)}`,
    );
  }
}

/** A source whose watches bring what is written here, one after the other, and then hang. */
export function listed(
  ...watches: readonly (() => AsyncIterable<unknown> | undefined)[]
): ListerWatcher<View> & { readonly requests: WatchRequest[] } {
  const requests: WatchRequest[] = [];
  return {
    requests,
    description: 'pods',
    list: () => Promise.reject(new Error('no list is expected')),
    watch: (request) => {
      requests.push(request);
      const next = watches[requests.length - 1] ?? hanging;
      return Promise.resolve(next() as WatchStream<View>);
    },
  };
}

// oxlint-disable-next-line require-yield
async function* hanging(): AsyncGenerator<never> {
  await new Promise(() => {});
}

export async function* batches(...all: readonly (readonly unknown[])[]): AsyncGenerator {
  yield* all;
}

export const event = (type: string, name: string, resourceVersion?: string): unknown => {
  const object = pod(name, resourceVersion === undefined ? {} : { resourceVersion });
  return { type, object: { metadata: object.metadata, object } };
};
