import { Reflector } from '../../../lib/cache/reflector/reflector.ts';
import type { ReflectorOptions } from '../../../lib/cache/reflector/options/reflector-options.ts';
import type {
  ReflectorErrorContext,
  ReflectorTransition,
} from '../../../lib/cache/reflector/options/reflector-report.ts';
import type {
  ListerWatcher,
  ListPage,
  ListRequest,
  WatchRequest,
  WatchStream,
} from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import type { ReplaceSink } from '../../../lib/cache/reflector/contract/reflector-sink.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { DecodedView, type ObjectView } from '../../../lib/meta/object-view.ts';
import type { WatchEvent } from '../../../lib/meta/watch-event.ts';
import {
  ScriptedListerWatcher,
  type ScriptedListerWatcherOptions,
} from '../../../lib/testing/scripted-lister-watcher.ts';

export interface Thing extends KubernetesObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
  };
  readonly spec?: string;
}

export type View = ObjectView<Thing>;

export const thing = (name: string, spec: string = ''): Thing => ({ metadata: { name }, spec });

export const event = (
  type: 'ADDED' | 'MODIFIED' | 'DELETED',
  name: string,
  version: string,
): WatchEvent<View> => ({
  type,
  object: new DecodedView<Thing>({ metadata: { name, resourceVersion: version } }),
});

export const bookmark = (
  resourceVersion: string,
  initialEventsEnd: boolean = false,
): WatchEvent<View> => ({ type: 'BOOKMARK', resourceVersion, initialEventsEnd });

/** Lets the next watch bring these batches; then it fails with `error`, or stays open without one. */
export function bringNext(
  source: ScriptedListerWatcher<Thing>,
  batches: readonly (readonly WatchEvent<View>[])[],
  error?: Error,
): void {
  source.watch = (request): Promise<WatchStream<View>> => {
    Reflect.deleteProperty(source, 'watch');
    return Promise.resolve(
      (async function* (): AsyncGenerator<readonly WatchEvent<View>[]> {
        yield* batches;
        if (error !== undefined) throw error;
        await new Promise((resolve) => {
          request.signal?.addEventListener('abort', resolve);
        });
      })(),
    );
  };
}

/** A sink that records its calls, one line each, and keeps the objects. */
export class RecordingSink implements ReplaceSink<View> {
  readonly calls: string[] = [];
  readonly objects: Map<string, Thing> = new Map();

  replace(items: readonly View[], resourceVersion: string): void {
    this.calls.push(
      `replace ${items.map((item) => item.metadata.name).join(' ')} @${resourceVersion}`,
    );
    this.objects.clear();
    for (const { object } of items) this.objects.set(object.metadata.name, object);
  }

  apply(events: Parameters<ReplaceSink<View>['apply']>[0]): void {
    for (const { type, object } of events) {
      const { name, resourceVersion } = object.object.metadata;
      this.calls.push(`${type} ${name} @${resourceVersion}`);
      if (type === 'DELETED') this.objects.delete(name);
      else this.objects.set(name, object.object);
    }
  }

  bookmark(resourceVersion: string): void {
    this.calls.push(`bookmark @${resourceVersion}`);
  }
}

/** A collection on a server whose storage can be restored from a backup: it then stands at an older version. */
export class RestoredSource implements ListerWatcher<View> {
  readonly description = 'things';
  current: ScriptedListerWatcher<Thing> | undefined;

  /** Puts a server in its place that never heard of the watches that are open; they stay silent. */
  restore(runtime: VirtualRuntime, objects: readonly Thing[]): ScriptedListerWatcher<Thing> {
    this.current?.pause();
    this.current = new ScriptedListerWatcher<Thing>({ runtime, objects });
    return this.current;
  }

  list(request: ListRequest): Promise<ListPage<View>> {
    return this.#server().list(request);
  }

  watch(request: WatchRequest): Promise<WatchStream<View>> {
    return this.#server().watch(request);
  }

  #server(): ScriptedListerWatcher<Thing> {
    if (this.current === undefined) throw new Error('no server yet');
    return this.current;
  }
}

export interface Rig {
  readonly runtime: VirtualRuntime;
  readonly source: ScriptedListerWatcher<Thing>;
  readonly sink: RecordingSink;
  readonly reflector: Reflector<View>;
  readonly errors: { readonly error: unknown; readonly context: ReflectorErrorContext }[];
  readonly transitions: ReflectorTransition[];
  /** `list {"limit":500}` and so on, timeouts left out. */
  readonly requests: () => string[];
  /** Times of the requests of a kind. */
  readonly times: (kind: string) => number[];
  /** Aborts and waits for the end. */
  readonly stop: () => Promise<void>;
}

export interface RigOptions extends Partial<Omit<ReflectorOptions<View>, 'runtime' | 'sink'>> {
  readonly source?: ScriptedListerWatcherOptions<Thing>;
  readonly sink?: RecordingSink;
  readonly seed?: number;
  /** Sets the source up before the reflector starts. */
  readonly prepare?: (source: ScriptedListerWatcher<Thing>) => void;
}

/** A reflector that runs on a scripted source in virtual time, with plain lists by default. */
export function rig({
  source: script,
  sink: given,
  seed = 1,
  prepare,
  ...options
}: RigOptions = {}): Rig {
  const runtime = new VirtualRuntime({ seed });
  const source = new ScriptedListerWatcher<Thing>({
    runtime,
    description: 'things',
    objects: [thing('a'), thing('b')],
    ...script,
  });
  const sink = given ?? new RecordingSink();
  const errors: { error: unknown; context: ReflectorErrorContext }[] = [];
  const transitions: ReflectorTransition[] = [];
  const reflector = new Reflector<View>({
    listerWatcher: source,
    sink,
    runtime,
    watchList: false,
    onError: (error, context) => errors.push({ error, context }),
    onTransition: (transition) => transitions.push(transition),
    ...options,
  });
  prepare?.(source);
  const stopper = new AbortController();
  const done = reflector.run({ signal: stopper.signal });
  return {
    runtime,
    source,
    sink,
    reflector,
    errors,
    transitions,
    requests: () =>
      source.requests.map(({ kind, request }) => {
        const fields = Object.entries(request)
          .filter(([name]) => name !== 'timeoutSeconds')
          .map(([name, value]) => `${name}=${String(value)}`);
        return [kind, ...fields.toSorted()].join(' ');
      }),
    times: (kind) =>
      source.requests.filter((request) => request.kind === kind).map(({ atMs }) => atMs),
    stop: async () => {
      stopper.abort();
      await runtime.run(done);
    },
  };
}
