import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { FaultProxy } from './fault-proxy.ts';
import { pause } from './exchange.ts';
import { NAMESPACE, ServerHistory } from './server-history.ts';
import { Writer } from './writer.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';

export interface WorldOptions {
  readonly seed: string;
  /** Objects at the start. */
  readonly objects: number;
  /** The duration of a second of a fault, in seconds. */
  readonly scale: number;
}

const TOKEN = 'shown-by-every-contestant';

/** Room for a second store whose revisions are all lower. */
const FIRST_REVISION = 100_000n;

/** Beyond what a server takes over HTTP. */
const LARGEST_VALUE_BYTES = 32 * 1024 * 1024;

/** A server on a port, the proxy before it, a writer, and the true history. */
export class World implements AsyncDisposable {
  readonly proxy: FaultProxy;
  readonly history: ServerHistory = new ServerHistory();
  readonly writer: Writer;
  readonly random: () => number;
  readonly token: string = TOKEN;
  readonly #scale: number;
  readonly #checks: (() => readonly string[])[] = [];
  readonly #closing: (() => Promise<void>)[] = [];
  #server: ApiServer;
  #store: EmbeddedKeyValueStore;

  private constructor(options: WorldOptions, server: ApiServer, store: EmbeddedKeyValueStore) {
    this.#scale = options.scale;
    this.#server = server;
    this.#store = store;
    this.random = seededRandom(options.seed);
    this.proxy = new FaultProxy(portOf(server));
    this.writer = new Writer(server, this.random);
  }

  static async open(options: WorldOptions): Promise<World> {
    const store = newStore(FIRST_REVISION);
    const world = new World(options, await startServer(store), store);
    await world.writer.fill(options.objects);
    await world.history.follow(world.#server);
    await world.proxy.up();
    return world;
  }

  get server(): ApiServer {
    return this.#server;
  }

  /** A time of the fault, as long as the run lets it be. */
  async sleep(delayMs: number): Promise<void> {
    await pause(this.scaled(delayMs));
  }

  scaled(delayMs: number): number {
    return delayMs * this.#scale;
  }

  /** Asked at the end; what it returns is wrong. */
  addCheck(complaints: () => readonly string[]): void {
    this.#checks.push(complaints);
  }

  complaints(): readonly string[] {
    return this.#checks.flatMap((check) => check());
  }

  /** Called at the end, whatever happened. */
  onClose(close: () => Promise<void>): void {
    this.#closing.push(close);
  }

  /** Puts an object into the storage that is larger than the server takes over HTTP. */
  async storeHuge(name: string, bytes: number): Promise<void> {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        namespace: NAMESPACE,
        uid: '7c1f0a52-0000-4000-8000-000000000000',
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      data: { text: 'x'.repeat(bytes) },
    };
    const key = `/registry/configmaps/${NAMESPACE}/${name}`;
    const value = Buffer.from(JSON.stringify(object));
    await this.#store.txn({ compare: [], success: [{ type: 'put', key, value }] });
  }

  /**
   * Ends the server with all connections and puts another in its place, at the same address: with the same state, with an empty
   * one, or with the objects of the old one at lower resource versions, as from a backup. Writing goes on afterwards.
   */
  async replaceServer(state: 'same' | 'empty' | 'restored', downMs: number): Promise<void> {
    await this.writer.pause();
    await this.proxy.down();
    await this.history.stop();
    await this.#server.close();
    const store = await this.#nextStore(state);
    if (store !== this.#store) await this.#store.close();
    this.#store = store;
    this.#server = await startServer(store);
    await this.writer.moveTo(this.#server);
    await this.history.follow(this.#server);
    await this.sleep(downMs);
    this.proxy.targetPort = portOf(this.#server);
    await this.proxy.up();
    this.writer.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.writer.stop();
    await this.proxy.close();
    await this.history.stop();
    await this.#server.close();
    await this.#store.close();
    for (const close of this.#closing) await close();
  }

  async #nextStore(state: 'same' | 'empty' | 'restored'): Promise<EmbeddedKeyValueStore> {
    if (state === 'same') return this.#store;
    // An empty cluster starts later than a lost one ended, a backup is from before.
    const next = newStore(state === 'empty' ? FIRST_REVISION * 2n : 1n);
    if (state === 'empty') return next;
    const { items } = await this.#store.range({ key: '/', rangeEnd: '0' });
    for (const { key, value } of items) {
      await next.txn({ compare: [], success: [{ type: 'put', key, value }] });
    }
    return next;
  }
}

function newStore(firstRevision: bigint): EmbeddedKeyValueStore {
  return new EmbeddedKeyValueStore({ firstRevision, maxValueBytes: LARGEST_VALUE_BYTES });
}

async function startServer(keyValueStore: EmbeddedKeyValueStore): Promise<ApiServer> {
  const server = new ApiServer({ token: TOKEN, keyValueStore, logger: silentLogger });
  await server.listen();
  return server;
}

function portOf(server: ApiServer): number {
  return Number(new URL(server.url).port);
}
