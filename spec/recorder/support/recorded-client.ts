import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { ListerWatcherSource } from '../../../lib/cache/informer/factory/informer-request.ts';
import type { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../lib/meta/object.ts';
import type { RecordOptions } from '../../../lib/recorder/record-options.ts';
import type { ReplayStep } from '../../../lib/recorder/replay/replay-pace.ts';
import { replay, type Replay, type ReplayOptions } from '../../../lib/recorder/replay/replay.ts';
import { record, type Recording } from '../../../lib/recorder/source-recording.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { StormTransport } from '../../faults/storms/storm-transport.ts';
import { asFile, MemoryFiles } from './memory-files.ts';

/** The collections that the programs of these specs read. */
export const READ: readonly (readonly [string, string, string?])[] = [
  ['v1', 'nodes'],
  ['v1', 'configmaps', 'shop'],
  ['v1', 'configmaps', 'web'],
  ['example.com/v1', 'sites'],
];

/** The informers of a program, and the notifications of their handlers, in one order. */
export class Program {
  readonly log: string[] = [];
  readonly informers: ReadonlyMap<string, SharedIndexInformer<UnstructuredObject>>;
  readonly #factory: SharedInformerFactory;
  readonly #runtime: VirtualRuntime;

  constructor(
    source: ListerWatcherSource,
    runtime: VirtualRuntime,
    watchList = true,
    read: typeof READ = READ,
  ) {
    this.#runtime = runtime;
    this.#factory = new SharedInformerFactory(source, { runtime, logger: silentLogger, watchList });
    this.informers = new Map(
      read.map(([apiVersion, resource, namespace]) => {
        const informer = this.#factory.for<UnstructuredObject>(apiVersion, resource as never, {
          namespace,
        });
        const name = namespace === undefined ? resource : `${namespace}/${resource}`;
        const notify = (sign: string, key: string, version = ''): void => {
          this.log.push(`${resource} ${sign}${key} ${version}`);
        };
        informer.addHandler({
          view: 'metadata',
          onAdd: ({ key, metadata }) => notify('+', key, metadata.resourceVersion),
          onUpdate: (_, { key, metadata }) => notify('~', key, metadata.resourceVersion),
          onDelete: ({ key, metadata }) => notify('-', key, metadata.resourceVersion),
        });
        return [name, informer];
      }),
    );
  }

  start(): void {
    this.#factory.start();
  }

  async close(): Promise<void> {
    await this.#runtime.run(this.#factory.close());
  }

  /** The content of all caches. */
  get objects(): Record<string, readonly KubernetesObject[]> {
    return Object.fromEntries(
      [...this.informers].map(([name, informer]) => [
        name,
        informer.lister.list().toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
      ]),
    );
  }
}

/** `shop/web` in a namespace, or `node-1` in none. */
function parts(name: string): readonly [string | undefined, string] {
  const at = name.indexOf('/');
  return at < 0 ? [undefined, name] : [name.slice(0, at), name.slice(at + 1)];
}

function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}

const SITES = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sites.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'sites', singular: 'site', kind: 'WebSite', listKind: 'WebSiteList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

/** A server, a client of it that is recorded, and a program that reads several collections; in virtual time. */
export class RecordedClient {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly files: MemoryFiles = new MemoryFiles();
  readonly transport: StormTransport;
  readonly client: Client;
  readonly #writer: Client;
  readonly #server: ApiServer;

  constructor() {
    const { runtime } = this;
    this.#server = new ApiServer({ runtime });
    this.transport = new StormTransport(inProcessTransport(this.#server.handler), runtime);
    this.client = new Client({ transport: this.transport, runtime });
    this.#writer = new Client({ transport: inProcessTransport(this.#server.handler), runtime });
  }

  async prepare(): Promise<void> {
    const { runtime } = this;
    const definitions = this.resource('apiextensions.k8s.io/v1', 'customresourcedefinitions');
    await runtime.run(definitions.create(SITES as never));
    await runtime.advance(5000);
    for (const name of ['shop', 'web']) {
      await runtime.run(this.resource('v1', 'namespaces').create({ metadata: { name } }));
    }
    await this.apply('v1', 'nodes', 'node-1');
    await this.apply('v1', 'configmaps', 'shop/first');
  }

  record(options: RecordOptions = {}): Promise<Recording<KubernetesObject>> {
    return record(this.client, 'incident.listwatch', { files: this.files, ...options });
  }

  resource(apiVersion: string, resource: string): ReturnType<Client['resource']> {
    return this.#writer.resource(apiVersion, resource);
  }

  /** Creates an object, or changes it. */
  async apply(
    apiVersion: string,
    resource: string,
    name: string,
    fields: Partial<UnstructuredObject> = {},
  ): Promise<void> {
    const [namespace, plain] = parts(name);
    const objects = this.#writer.resource<UnstructuredObject>(apiVersion, resource, { namespace });
    const change = (stored: UnstructuredObject | undefined): UnstructuredObject => ({
      ...stored,
      ...fields,
      metadata: { ...stored?.metadata, ...fields.metadata, name: plain },
    });
    await this.runtime.run(objects.createOrUpdate(plain, change));
  }

  async delete(resource: string, name: string): Promise<void> {
    const [namespace, plain] = parts(name);
    await this.runtime.run(this.#writer.resource('v1', resource, { namespace }).delete(plain));
  }

  async close(): Promise<void> {
    await this.runtime.run(this.client.close());
    await this.runtime.run(this.#writer.close());
    await this.runtime.run(this.#server.close());
  }

  get bytes(): Buffer {
    return this.files.bytes('incident.listwatch');
  }
}

/** Changes of several collections at random, many of them at once, and a network that is lost now and then. */
export async function incident(
  world: RecordedClient,
  seed: number,
  each: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { runtime, transport } = world;
  const random = seededRandom(seed);
  const below = (bound: number): number => Math.floor(random() * bound);
  const live = new Set<string>();
  for (let round = 0; round < 12; round += 1) {
    for (let left = 1 + below(4); left > 0; left -= 1) {
      const [apiVersion, resource, namespace] = READ[below(3)] as (typeof READ)[number];
      const name = `${namespace === undefined ? '' : `${namespace}/`}one-${below(4)}`;
      const id = `${resource} ${name}`;
      if (live.has(id) && below(4) === 0) {
        live.delete(id);
        await world.delete(resource, name);
      } else {
        live.add(id);
        await world.apply(apiVersion, resource, name, { metadata: { labels: { at: `${round}` } } });
      }
      if (below(2) === 0) await runtime.advance(below(1000));
    }
    if (below(4) === 0) {
      transport.weather = 'refusing';
      transport.reset();
      await world.apply('v1', 'configmaps', `shop/while-${round}`);
      await runtime.advance(below(20_000));
      transport.weather = 'fair';
    }
    await runtime.advance(below(60_000));
    await each();
  }
}

export interface PlayedIncident {
  readonly log: readonly string[];
  readonly objects: Program['objects'];
  readonly steps: readonly ReplayStep[];
  readonly virtualMs: number;
}

/** A program that reads a recording of several collections to its end. */
export async function playIncident(
  bytes: Buffer,
  options: ReplayOptions = {},
  watchList = true,
  read: typeof READ = READ,
): Promise<PlayedIncident> {
  return await asFile(bytes, async (path) => {
    const runtime = new VirtualRuntime();
    const incident: Replay = await replay(path, { runtime, ...options });
    const program = new Program(incident, runtime, watchList, read);
    program.start();
    const steps: ReplayStep[] = [];
    if (options.speed === 'step') {
      for (;;) {
        const step = await runtime.run(incident.step());
        if (step === undefined) break;
        steps.push(step);
        await runtime.settle();
      }
    } else {
      await runtime.run(incident.whenFinished({ timeoutMs: 36_000_000 }), { limitMs: 72_000_000 });
    }
    const virtualMs = runtime.monotonicMs();
    await runtime.advance(0);
    await runtime.settle();
    const { objects } = program;
    await program.close();
    return { log: program.log, objects, steps, virtualMs };
  });
}
