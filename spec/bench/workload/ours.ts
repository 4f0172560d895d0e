/**
 * The informer of this package as a contestant. `variant` is how it keeps objects: a value of the option `cache`, or `default`;
 * with `+file` or `+memory` it is recorded.
 *
 * To profile it, start a server and then this, from the root of the repository:
 *
 *     node --import tsx spec/bench/workload/static-server-main.ts '{"objects": 100000}' &   # prints its url
 *     node --expose-gc --import tsx --cpu-prof --cpu-prof-dir .bench/profiles spec/bench/workload/ours.ts \
 *       '{"server": "http://127.0.0.1:PORT", "workload": "watch", "variant": "default", "objects": 100000,
 *         "events": 100000, "targets": 100000, "handlers": 1, "reads": "metadata"}'
 *
 * (`npm run bench` runs what `tsc` makes of it, `.bench/build/spec/bench/workload/ours.js`, which needs no `--import tsx` and has no
 * helper calls around functions; profile that for the last percents.)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { HandlerRegistration } from '../../../lib/cache/informer/handlers/handler-registration.ts';
import type { ResourceEventHandler } from '../../../lib/cache/informer/handlers/event-handler.ts';
import type { InformerForOptions } from '../../../lib/cache/informer/factory/informer-request.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import { record } from '../../../lib/recorder/source-recording.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import {
  Arrivals,
  isMain,
  runContestant,
  type Contestant,
  type ContestantArgument,
} from './contestant.ts';
import { KeyConsumer } from './key-consumer.ts';

export interface Pod extends KubernetesObject {
  readonly spec: {
    readonly nodeName: string;
    readonly containers: readonly { readonly name: string }[];
  };
  readonly status: { readonly phase: string };
}

/** Ways to keep objects; the first is what informers do without an option. */
export const CACHE_MODES = ['bytes', 'objects'] as const;

export async function ours(argument: ContestantArgument): Promise<Contestant> {
  const { server, workload, variant, listWatch, handlers, reads, indexes = 0 } = argument;
  const client = await connect({ server });
  const informers = new SharedInformerFactory(client);
  const [mode, recorded] = variant.split('+');
  const cache = mode === 'default' ? {} : { cache: mode };
  const options = { watchList: listWatch !== true, indexers: indexersOf(indexes), ...cache };
  const pods = informers.for<Pod>('v1', 'pods', options as InformerForOptions<Pod>);
  const arrivals = workload === 'latency' ? new Arrivals(argument) : undefined;
  const all = Array.from({ length: handlers }, () => new CountingHandler(reads, arrivals));
  const registrations: HandlerRegistration[] = [];
  const folder =
    recorded === undefined ? undefined : mkdtempSync(join(tmpdir(), 'listwatch-bench-'));
  let recording: AsyncDisposable | undefined;
  return {
    async sync() {
      if (folder !== undefined) {
        const keepMinutes = recorded === 'memory' ? 10 : undefined;
        recording = await record(pods, join(folder, 'pods.listwatch'), {
          maxBytes: recorded === 'memory' ? 64 * 1024 ** 2 : 1024 ** 3,
          keepMinutes,
        });
      }
      // No change is made one with a later one, as in the other clients.
      for (const { handler } of all)
        registrations.push(pods.addHandler(handler, { buffer: 'unbounded' }));
      informers.start();
      await Promise.all(registrations.map((registration) => registration.whenSynced()));
    },
    arrivals,
    updates: () => Math.min(...all.map(({ updates }) => updates)),
    idle: () => all.every(({ consumer }) => consumer.idle),
    checksum: () => all.reduce((sum, handler) => sum + handler.checksum, 0),
    async close() {
      await informers.close();
      await Promise.all(all.map(({ consumer }) => consumer.close()));
      await client.close();
      await recording?.[Symbol.asyncDispose]();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Puts keys into a queue, and counts. */
class CountingHandler {
  readonly consumer = new KeyConsumer();
  readonly handler: ResourceEventHandler<Pod>;
  updates = 0;
  checksum = 0;

  constructor(reads: ContestantArgument['reads'], arrivals: Arrivals | undefined) {
    if (arrivals !== undefined) this.handler = this.#arriving(arrivals);
    else if (reads === 'object') this.handler = this.#wholeObjects();
    else if (reads === 'both') this.handler = this.#bothStates();
    else this.handler = reads === 'metadata' ? this.#keysOnly() : this.#counting();
  }

  #arriving(arrivals: Arrivals): ResourceEventHandler<Pod> {
    return {
      view: 'metadata',
      onUpdate: (_, { metadata }) => {
        this.updates += 1;
        arrivals.note(metadata.resourceVersion ?? '');
      },
    };
  }

  #counting(): ResourceEventHandler<Pod> {
    return {
      view: 'key',
      onUpdate: () => {
        this.updates += 1;
      },
    };
  }

  #keysOnly(): ResourceEventHandler<Pod> {
    const { queue } = this.consumer;
    return {
      view: 'key',
      onAdd: ({ key }) => {
        queue.add(key);
      },
      onUpdate: ({ key }) => {
        this.updates += 1;
        queue.add(key);
      },
    };
  }

  /** It reads the new state only, and says so by its view: for `onUpdate(old, new)` both would be decoded. */
  #wholeObjects(): ResourceEventHandler<Pod> {
    const { queue } = this.consumer;
    return {
      view: 'lazy',
      onAdd: ({ object }, { key }) => {
        this.checksum += lengthOf(object);
        queue.add(key);
      },
      onUpdate: (_, { object }, { key }) => {
        this.updates += 1;
        this.checksum += lengthOf(object);
        queue.add(key);
      },
    };
  }

  #bothStates(): ResourceEventHandler<Pod> {
    const { queue } = this.consumer;
    return {
      onAdd: (pod, { key }) => {
        this.checksum += lengthOf(pod);
        queue.add(key);
      },
      onUpdate: (before, pod, { key }) => {
        this.updates += 1;
        this.checksum += lengthOf(pod) - lengthOf(before);
        queue.add(key);
      },
    };
  }
}

/** Something of the body. */
export function lengthOf({ spec, status }: Pod): number {
  return spec.nodeName.length + status.phase.length + spec.containers.length;
}

function indexersOf(count: number): Record<string, (pod: Pod) => string[]> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `index-${index}`,
      ({ metadata }: Pod) => [`${metadata?.labels?.['app'] ?? ''}-${index}`],
    ]),
  );
}

if (isMain(import.meta)) await runContestant(ours);
