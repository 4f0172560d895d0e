import { request } from 'node:http';
import { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import type { ListerWatcher } from '../../lib/cache/reflector/contract/lister-watcher.ts';
import { RateLimitingQueue } from '../../lib/controller/workqueue/rate-limiting-queue.ts';
import { serveInspector } from '../../lib/inspector/serve-inspector.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import { deferred, type Deferred } from '../../lib/kernel/time/latch.ts';
import { DecodedView, type ObjectView } from '../../lib/meta/object-view.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import type { WatchEvent } from '../../lib/meta/watch-event.ts';

type View = ObjectView;

const BATCH = 100;

/** A page that is open: it reads the stream of snapshots, and does nothing with them. */
export class OpenPage {
  #bytes = 0;
  #close = (): void => {};

  /** Resolves when the first snapshot has come. */
  async open(url: string): Promise<void> {
    const first = deferred<void>();
    const sent = request(`${url}/api/events`, (response) => {
      response.on('data', (piece: Buffer) => {
        this.#bytes += piece.length;
        first.resolve();
      });
    });
    sent.on('error', (error) => {
      first.reject(error);
    });
    sent.end();
    this.#close = () => sent.destroy();
    await first.promise;
  }

  async close(): Promise<number> {
    this.#close();
    return this.#bytes;
  }
}

/** An informer with a queue behind it, whose source is scripted. */
export class InspectedLoad implements AsyncDisposable {
  readonly #informer: SharedIndexInformer<KubernetesObject>;
  readonly #queue = new RateLimitingQueue<string>({ name: 'load' });
  readonly #names: readonly string[];
  #next: Deferred<readonly WatchEvent<View>[]> = deferred();
  #version = 1;
  #seen = 0;
  #running: Promise<void> | undefined;

  constructor(objects: number) {
    this.#names = Array.from({ length: objects }, (_, index) => `object-${index}`);
    const listerWatcher: ListerWatcher<View> = {
      description: 'load',
      supports: { watchList: false },
      list: async () => ({
        items: this.#names.map((name) => this.#view(name)),
        resourceVersion: '1',
      }),
      watch: async () => this.#batches(),
    };
    this.#informer = new SharedIndexInformer({ listerWatcher, logger: silentLogger });
    this.#informer.addHandler({
      view: 'key',
      onUpdate: ({ key }) => {
        this.#queue.add(key);
        this.#seen += 1;
      },
    });
  }

  async start(): Promise<void> {
    this.#running = this.#informer.run();
    await this.#informer.whenSynced({ timeoutMs: 300_000 });
  }

  inspector(): ReturnType<typeof serveInspector> {
    return serveInspector({ informers: this.#informer, queues: this.#queue });
  }

  /** Processor time of this process for so many events at this many a second, microseconds an event. */
  async run(events: number, perSecond: number): Promise<number> {
    const [seenBefore, cpu, beganMs] = [this.#seen, process.cpuUsage(), performance.now()];
    for (let sent = 0; sent < events; sent += BATCH) {
      const events: WatchEvent<View>[] = [];
      for (let index = 0; index < BATCH; index += 1) {
        this.#version += 1;
        const name = this.#names[(sent + index) % this.#names.length] as string;
        events.push({ type: 'MODIFIED', object: this.#view(name) });
      }
      this.#next.resolve(events);
      const dueMs = beganMs + ((sent + BATCH) / perSecond) * 1000;
      await new Promise<void>((resolve) => {
        setTimeout(resolve, Math.max(0, dueMs - performance.now()));
      });
      for (let item = this.#queue.takeNow(); item !== undefined; item = this.#queue.takeNow()) {
        item.done();
      }
    }
    const { user, system } = process.cpuUsage(cpu);
    const seen = this.#seen - seenBefore;
    if (seen < events / 2) throw new Error(`${seen} of ${events} events came`);
    return (user + system) / events;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informer.close();
    await this.#running;
    this.#queue.destroy();
  }

  #view(name: string): View {
    const resourceVersion = String(this.#version);
    const metadata = { name, namespace: 'load', uid: name, resourceVersion };
    return new DecodedView({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  }

  async *#batches(): AsyncGenerator<readonly WatchEvent<View>[]> {
    for (;;) {
      const batch = await this.#next.promise;
      this.#next = deferred();
      yield batch;
    }
  }
}
