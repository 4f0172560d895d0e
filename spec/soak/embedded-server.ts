import type { ListerWatcher } from '../../lib/cache/reflector/contract/lister-watcher.ts';
import { Client } from '../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../lib/client/rest/resource-client.ts';
import type { Runtime } from '../../lib/kernel/time/runtime.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import type { Backend } from './backend.ts';
import { History } from './history.ts';
import { isSelected, SELECTOR, thingOf, type Draft, type Thing, type View } from './thing.ts';

export interface EmbeddedServerOptions {
  readonly runtime: Runtime;
  /** Straight from the storage, or through frames of bytes. */
  readonly path: 'storage' | 'http';
  readonly selective: boolean;
}

const CONFIG_MAPS = { apiVersion: 'v1', resource: 'configmaps' };
const NAMESPACE = 'default';

/** The API server of the package. It has no other writer, so the history is what was written to it. */
export class EmbeddedServer implements Backend {
  readonly history: History = new History();
  readonly source: ListerWatcher<View>;
  readonly writable = true;
  readonly #server: ApiServer;
  readonly #client: Client;
  readonly #things: ResourceClient<Thing>;
  readonly #objects = new Map<string, Thing>();
  readonly #selective: boolean;
  #seq = 0;

  constructor({ runtime, path, selective }: EmbeddedServerOptions) {
    this.#selective = selective;
    this.#server = new ApiServer({ runtime });
    this.#client = new Client({ transport: inProcessTransport(this.#server.handler), runtime });
    this.#things = this.#client.resource<Thing>('v1', 'configmaps', { namespace: NAMESPACE });
    const options = {
      namespace: NAMESPACE,
      ...(selective ? { labelSelector: SELECTOR } : {}),
    };
    this.source =
      path === 'storage'
        ? this.#server.listerWatcher<Thing>(CONFIG_MAPS, options)
        : this.#client.listerWatcher<Thing>(CONFIG_MAPS, options);
  }

  async open(): Promise<void> {
    const { resourceVersion } = await this.#things.list({ limit: 1 });
    this.#seq = this.seqOf(resourceVersion);
    this.history.reach(this.#seq);
  }

  seqOf(version: string): number {
    return Number(version);
  }

  find(key: string): Thing | undefined {
    return this.#objects.get(key);
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  async put(draft: Draft): Promise<void> {
    const before = this.#objects.get(draft.key);
    const { uid, resourceVersion } = before?.metadata ?? {};
    const thing = thingOf(draft, uid, resourceVersion);
    const after =
      before === undefined ? await this.#things.create(thing) : await this.#things.update(thing);
    this.#objects.set(draft.key, after);
    this.#seq = this.seqOf(after.metadata.resourceVersion);
    this.#record(draft.key, before, after);
  }

  async remove(key: string): Promise<void> {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    await this.#things.delete(before.metadata.name as string);
    this.#objects.delete(key);
    // The answer to a deletion does not say; every write takes one number.
    this.#seq += 1;
    this.#record(key, before, undefined);
  }

  compact(): Promise<void> {
    return this.#server.compact();
  }

  async close(): Promise<void> {
    await this.#client.close();
    await this.#server.close();
  }

  #record(key: string, before: Thing | undefined, after: Thing | undefined): void {
    const was = before !== undefined && this.#selects(before);
    const is = after !== undefined && this.#selects(after);
    if (was || is) this.history.append(key, is ? after : undefined, String(this.#seq), this.#seq);
    else this.history.reach(this.#seq);
  }

  #selects(thing: Thing): boolean {
    return !this.#selective || isSelected(thing);
  }
}
