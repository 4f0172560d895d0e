import type { ResourceClient } from '../../../../lib/client/rest/resource-client.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import type { Change, History } from '../../../path/support/observer.ts';

export interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

const KEYS = 12;
/** Between two writes, so that a rotation that takes a server ten seconds does not bring a hundred thousand. */
const PAUSE_MS = 3;

/** Creates, updates and deletes ConfigMaps one after the other, all the time, and writes down what it did. */
export class SteadyWriter implements AsyncDisposable {
  readonly history: History = [];
  /** The objects that exist, by name, as the server returned them. */
  readonly alive: Map<string, ConfigMap> = new Map();
  readonly #configMaps: ResourceClient<ConfigMap>;
  readonly #random: () => number;
  #running: Promise<void> | undefined;
  #stopped = false;
  #failure: Error | undefined;

  constructor(configMaps: ResourceClient<ConfigMap>, random: () => number) {
    this.#configMaps = configMaps;
    this.#random = random;
  }

  async fill(): Promise<void> {
    for (let index = 0; index < KEYS; index += 1) await this.#create(`map-${index}`);
  }

  /** Returns at once; writes follow one another until `stop`. */
  start(): void {
    this.#running = this.#run().catch((error: unknown) => {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    });
  }

  /** @throws the error of a write that failed. */
  rethrow(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Resolves after the last write. @throws the error of a write that failed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    this.rethrow();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await this.#write();
      await new Promise((resolve) => void setTimeout(resolve, PAUSE_MS));
    }
  }

  async #write(): Promise<void> {
    const name = `map-${Math.floor(this.#random() * KEYS)}`;
    const present = this.alive.get(name);
    if (present === undefined) {
      await this.#create(name);
    } else if (this.#random() < 0.2) {
      await this.#configMaps.delete(name);
      this.alive.delete(name);
      // The answer of a deletion carries no resource version.
      this.#record('delete', present, undefined);
    } else {
      const updated = await this.#configMaps.update({ ...present, data: this.#data() });
      this.alive.set(name, updated);
      this.#record('update', updated, updated.metadata?.resourceVersion);
    }
  }

  async #create(name: string): Promise<void> {
    const created = await this.#configMaps.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: this.#data(),
    });
    this.alive.set(name, created);
    this.#record('add', created, created.metadata?.resourceVersion);
  }

  #data(): Record<string, string> {
    return { at: String(this.history.length) };
  }

  #record(
    type: Change['type'],
    { metadata }: ConfigMap,
    resourceVersion: string | undefined,
  ): void {
    this.history.push({ type, key: `${metadata!.namespace}/${metadata!.name}`, resourceVersion });
  }
}
