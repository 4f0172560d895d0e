import { inspect } from 'node:util';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import type { ListerWatcher } from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import {
  inProcessTransport,
  type InProcessHandler,
} from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { InspectorPages } from '../../../lib/inspector/inspector-pages.ts';
import { resolveInspectorOptions } from '../../../lib/inspector/inspector-options.ts';
import { SlowRequests } from '../../../lib/inspector/slow-requests.ts';
import { StateReader } from '../../../lib/inspector/state-reader.ts';
import type { PageRoute } from '../../../lib/inspector/port/inspector-listener.ts';
import type { LogFields, Logger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { ResourceName } from '../../../lib/meta/collection-options.ts';
import type { MaskChoice } from '../../../lib/meta/masking/object-mask.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import { record } from '../../../lib/recorder/source-recording.ts';
import { MemoryFiles } from './memory-files.ts';

/** An answer of the server: a body, and its HTTP status. */
export interface Said {
  readonly body: string;
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface SecretWorldOptions {
  readonly resource?: ResourceName | undefined;
  /** The source does not say which resource it reads. */
  readonly isUnknown?: boolean | undefined;
  readonly mask?: MaskChoice | undefined;
  readonly token?: string | undefined;
  /** The answers to lists, in their order; the last one again and again. */
  readonly lists: readonly Said[];
  /** The bodies of watches, in their order; then they stay open and silent. */
  readonly watches?: readonly Said[] | undefined;
}

const SECRETS: ResourceName = { apiVersion: 'v1', resource: 'secrets' };
const MINUTE_MS = 60_000;
const COLLECTION = /\/(?:secrets|pods)(?:\?|$)/;

/**
 * An informer of secrets in virtual time, over a server that says what it is given: recorded by its client to a file, and to memory, with
 * the log of all of them and an inspector.
 */
export class SecretWorld {
  /** All that was written, by its place. */
  readonly written: Map<string, string> = new Map();
  readonly #options: SecretWorldOptions;
  readonly #runtime = new VirtualRuntime();
  readonly #log: string[] = [];

  constructor(options: SecretWorldOptions) {
    this.#options = options;
  }

  /** Runs it for some minutes. */
  async run(): Promise<ReadonlyMap<string, string>> {
    const { resource = SECRETS, isUnknown = false, token, mask } = this.#options;
    const runtime = this.#runtime;
    const transport = inProcessTransport(this.#handler(), { token });
    const logger = this.#logger();
    const client = new Client({ transport, runtime, logger });
    const files = new MemoryFiles();
    const common = { files, runtime, mask, baseBytes: 65_536 };
    const minutes = { files, runtime, mask, keepMinutes: 60 };
    const whole = await record(client, 'client', common);
    const kept = await record(client, 'client-minutes', minutes);
    const backoff = { baseMs: 100, capMs: 1000 };
    const informer = isUnknown
      ? new SharedIndexInformer<KubernetesObject>({
          listerWatcher: unknown(client.listerWatcher(resource)),
          runtime,
          logger,
          backoff,
          watchList: false,
        })
      : new SharedInformerFactory(client, { runtime, logger, backoff, watchList: false }).for(
          resource.apiVersion,
          resource.resource as never,
        );
    const own = await record(informer as never, 'informer-minutes', minutes);
    informer.addHandler({ onAdd: () => {}, onUpdate: () => {}, onDelete: () => {} });
    const running = informer.run().catch((error: unknown) => this.#log.push(String(error)));
    await runtime.advance(5000);
    await this.#call(async () => {
      if (!isUnknown) await client.resource(resource.apiVersion, resource.resource as never).list();
    });
    await this.#inspect(informer as never, client);
    await this.#call(async () => {
      for await (const chunk of informer.dump({ mask })) this.#write('dump', chunk);
    });
    for (const recording of [kept, own]) await this.#call(async () => recording.dump());
    await runtime.run(informer.close());
    await running;
    for (const recording of [whole, kept, own]) await recording.close();
    await runtime.run(client.close());
    for (const [path, bytes] of files.files)
      this.#write(`recording ${path}`, bytes.toString('latin1'));
    this.#write('log', this.#log.join('\n'));
    return this.written;
  }

  /** The error of a call is what a program would log. */
  async #call(work: () => Promise<unknown>): Promise<void> {
    try {
      await this.#runtime.run(work(), { limitMs: 10 * MINUTE_MS });
    } catch (error) {
      for (let cause: unknown = error; cause !== undefined; cause = (cause as Error).cause) {
        this.#log.push(cause instanceof Error ? `${cause.message} ${cause.stack}` : inspect(cause));
        this.#log.push(JSON.stringify((cause as { status?: unknown }).status) ?? '');
      }
    }
  }

  async #inspect(informer: SharedIndexInformer<KubernetesObject>, client: Client): Promise<void> {
    const runtime = this.#runtime;
    const resolved = resolveInspectorOptions({ informers: informer, client, runtime });
    const { parts, title } = resolved;
    const reader = new StateReader({ parts, title, runtime, slow: new SlowRequests() });
    const routes = new InspectorPages(resolved, reader).routes();
    const ask = async (path: string, query: Record<string, string> = {}): Promise<void> => {
      const request = { query: new URLSearchParams(query), signal: new AbortController().signal };
      await this.#call(async () => {
        const route = routes.get(path) as PageRoute;
        const { body } = await route.answer(request);
        if (typeof body === 'string') this.#write(path, body);
        else for await (const piece of body) this.#write(path, piece);
      });
    };
    const { name } = informer;
    await ask('/debug/snapshot');
    await ask('/debug/dump');
    await ask('/metrics');
    await ask('/api/audit', { informer: name });
    for (const key of informer.indexer.keys()) {
      await ask('/api/object', { informer: name, key });
      await ask('/api/key', { informer: name, key });
    }
  }

  #write(place: string, text: string): void {
    this.written.set(place, (this.written.get(place) ?? '') + text);
  }

  #logger(): Logger {
    const note = (message: string, fields?: LogFields): void => {
      this.#log.push(`${message} ${JSON.stringify(fields) ?? ''}`);
    };
    return { debug: note, info: note, warn: note, error: note };
  }

  #handler(): InProcessHandler {
    const { lists, watches = [] } = this.#options;
    let [listed, watched] = [0, 0];
    return async ({ url, signal }) => {
      // Requests of a client that explain a failure.
      if (!COLLECTION.test(url)) return { status: 404, headers: {}, body: new Uint8Array() };
      const isWatch = url.includes('watch=');
      const said = isWatch ? watches[watched++] : (lists[listed++] ?? lists.at(-1));
      const { status = 200, body = '', headers = {} } = said ?? {};
      const bytes = Buffer.from(body);
      const type = { 'content-type': 'application/json', ...headers };
      if (said !== undefined) return { status, headers: type, body: bytes };
      return { status, headers: type, body: silence(signal) };
    };
  }
}

async function* silence(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield new Uint8Array();
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The same source, which does not say what it reads. */
function unknown<T extends KubernetesObject>(
  source: ListerWatcher<ObjectView<T>>,
): ListerWatcher<ObjectView<T>> {
  return {
    description: 'things',
    list: (request, onItems) => source.list(request, onItems),
    watch: (request) => source.watch(request),
  };
}
