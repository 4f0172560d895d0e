import type { KubernetesObject } from '../../../lib/meta/object.ts';
import type { ApiServer } from '../../../lib/cluster/server/api-server.ts';

/** One change of one object, as the server itself reports it. */
export interface TrueChange {
  readonly type: 'add' | 'update' | 'delete';
  readonly key: string;
  readonly resourceVersion: string;
}

/** Config maps of one namespace: what the matrix is about. */
export const COLLECTION = { apiVersion: 'v1', resource: 'configmaps' } as const;
export const NAMESPACE = 'default';

/**
 * The changes on the server, watched past the network: all handlers are compared with them. When a server takes the place of
 * another, what is different in it counts as one change a key.
 */
export class ServerHistory {
  readonly changes: TrueChange[] = [];
  /** The resource version of each object there is. */
  readonly state: Map<string, string> = new Map();
  #server: ApiServer | undefined;
  #stop = new AbortController();
  #following: Promise<void> | undefined;

  /** Follows a server, in place of the one before; resolves when its present state is known. */
  async follow(server: ApiServer): Promise<void> {
    await this.stop();
    this.#server = server;
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const source = server.listerWatcher<KubernetesObject>(COLLECTION, { namespace: NAMESPACE });
    const { items, resourceVersion } = await source.list({ signal });
    this.#replace(items.map(({ metadata }) => metadata));
    const watch = await source.watch({ resourceVersion, signal });
    this.#following = (async () => {
      for await (const batch of watch) {
        for (const event of batch) {
          if (event.type === 'BOOKMARK') continue;
          const type = event.type === 'DELETED' ? 'delete' : 'update';
          this.#take(type, event.object.metadata);
        }
      }
    })();
    // `stop` reports it.
    this.#following.catch(() => {});
  }

  /** Whether it has what the server holds: a change arrives a moment after it was answered. No program may write meanwhile. */
  async isComplete(): Promise<boolean> {
    const source = this.#server?.listerWatcher<KubernetesObject>(COLLECTION, {
      namespace: NAMESPACE,
    });
    const items = (await source?.list({}))?.items ?? [];
    const known = items.every(
      ({ metadata }) => this.state.get(keyOf(metadata)) === metadata.resourceVersion,
    );
    return known && items.length === this.state.size;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#following?.catch(() => {});
    this.#following = undefined;
  }

  #replace(items: readonly Meta[]): void {
    const present = new Set(items.map(keyOf));
    for (const [key, resourceVersion] of this.state) {
      if (present.has(key)) continue;
      this.state.delete(key);
      this.changes.push({ type: 'delete', key, resourceVersion });
    }
    for (const item of items) {
      if (this.state.get(keyOf(item)) !== item.resourceVersion) this.#take('update', item);
    }
  }

  #take(type: 'update' | 'delete', metadata: Meta): void {
    const key = keyOf(metadata);
    const resourceVersion = metadata.resourceVersion ?? '';
    if (type === 'delete') {
      this.state.delete(key);
      this.changes.push({ type, key, resourceVersion });
      return;
    }
    this.changes.push({ type: this.state.has(key) ? 'update' : 'add', key, resourceVersion });
    this.state.set(key, resourceVersion);
  }
}

type Meta = NonNullable<KubernetesObject['metadata']>;

function keyOf({ namespace, name }: Meta): string {
  return `${namespace}/${name}`;
}
