import { Client } from '../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import type { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { COLLECTION, NAMESPACE } from './server-history.ts';

export interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Names that come and go. */
const CHURNED = 40;
const SHORTEST_GAP_MS = 15;
const LONGEST_GAP_MS = 90;

/** Creates, updates and deletes objects all the time, past the network. */
export class Writer {
  readonly #random: () => number;
  #client: Client;
  #alive = new Map<string, ConfigMap>();
  #paused = true;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #count = 0;

  constructor(server: ApiServer, random: () => number) {
    this.#random = random;
    this.#client = new Client({ transport: inProcessTransport(server.handler) });
  }

  /** Makes so many objects, the churned ones among them. */
  async fill(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) await this.create(`map-${index}`);
  }

  /** From now on there is a change every now and then. */
  resume(): void {
    if (!this.#paused || this.#stopped) return;
    this.#paused = false;
    this.#arm();
  }

  /** Resolves when the change under way is done; none follows. */
  async pause(): Promise<void> {
    this.#paused = true;
    clearTimeout(this.#timer);
    await this.#writing;
  }

  /** Writes to another server from now on, which may hold other objects. */
  async moveTo(server: ApiServer): Promise<void> {
    await this.#client.close();
    this.#client = new Client({ transport: inProcessTransport(server.handler) });
    const { items } = await this.#configMaps().list();
    this.#alive = new Map(items.map((item) => [item.metadata.name, item]));
  }

  async stop(): Promise<void> {
    await this.pause();
    this.#stopped = true;
    await this.#client.close();
  }

  async create(name: string, data?: ConfigMap['data']): Promise<void> {
    const created = await this.#configMaps().create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: data ?? this.#text(),
    });
    this.#alive.set(name, created);
  }

  /** One change, drawn at random. */
  async write(): Promise<void> {
    const name = `map-${Math.floor(this.#random() * CHURNED)}`;
    const present = this.#alive.get(name);
    if (present === undefined) {
      await this.create(name);
    } else if (this.#random() < 0.25) {
      await this.#configMaps().delete(name);
      this.#alive.delete(name);
    } else {
      const updated = await this.#configMaps().update({ ...present, data: this.#text() });
      this.#alive.set(name, updated);
    }
  }

  #arm(): void {
    const gapMs = SHORTEST_GAP_MS + this.#random() * (LONGEST_GAP_MS - SHORTEST_GAP_MS);
    this.#timer = setTimeout(() => {
      this.#writing = this.write();
      void this.#writing.then(() => {
        if (!this.#paused) this.#arm();
      });
    }, gapMs);
  }

  #text(): Record<string, string> {
    this.#count += 1;
    return {
      text: 'é√😀'.repeat(1 + Math.floor(this.#random() * 20)),
      at: String(this.#count),
    };
  }

  #configMaps(): ResourceClient<ConfigMap> {
    return this.#client.resource<ConfigMap>(COLLECTION.apiVersion, COLLECTION.resource, {
      namespace: NAMESPACE,
    });
  }
}
