import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import type { ApiError } from '../../../../lib/meta/failure/api-error.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { Cacher } from '../../../../lib/server/cacher/cacher.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { ApiResourceRegistry } from '../../../../lib/server/api/api-resource-registry.ts';
import { builtInKinds } from '../../../../lib/kinds/built-in-kinds.ts';
import type {
  RequestContext,
  RestStorage,
  UpdateFunc,
} from '../../../../lib/server/registry/contract/rest-storage.ts';
import type { StorageFactory } from '../../../../lib/server/registry/storage-factory.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';
import type {
  StorageInterface,
  StorageWatch,
} from '../../../../lib/server/storage/contract/storage-interface.ts';

type Watch = StorageWatch<UnstructuredObject>;

export type Verbs = Required<RestStorage>;

/** A registry with all built-in kinds over an embedded store, in virtual time. */
export class RegistryHarness implements AsyncDisposable {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly store: EmbeddedKeyValueStore = new EmbeddedKeyValueStore({ runtime: this.runtime });
  readonly registry: ApiResourceRegistry;
  readonly warnings: string[] = [];
  readonly storageRoots: string[] = [];
  /** Called before each call of a storage, with its name and key; a spec puts a race in here. */
  before: (verb: string, key: string) => Promise<void> = () => Promise.resolve();
  /** How late watches pass on what they see. */
  watchDelayMs = 0;

  private constructor(cached: boolean) {
    this.registry = this.newRegistry(cached);
  }

  static async start({
    cached = false,
  }: {
    readonly cached?: boolean;
  } = {}): Promise<RegistryHarness> {
    const harness = new RegistryHarness(cached);
    await harness.drive(harness.registry.start());
    return harness;
  }

  /** Another registry on the same store, as a second server process would have it. */
  newRegistry(cached: boolean = false): ApiResourceRegistry {
    const { runtime, store } = this;
    const storageFor: StorageFactory = (_, keyRoot) => {
      this.storageRoots.push(keyRoot);
      const storage = this.#interpose(
        new KeyValueStorage<UnstructuredObject>({ store, resourcePrefix: keyRoot, runtime }),
      );
      if (!cached) return storage;
      const cacher = new Cacher<UnstructuredObject>({ storage, resourcePrefix: keyRoot, runtime });
      cacher.start();
      return cacher;
    };
    return new ApiResourceRegistry({ kinds: builtInKinds, storageFor, runtime });
  }

  #interpose(storage: StorageInterface<UnstructuredObject>): StorageInterface<UnstructuredObject> {
    const verbs = new Set(['create', 'delete', 'get', 'getList', 'guaranteedUpdate', 'watch']);
    return new Proxy(storage, {
      get: (target, name): unknown => {
        const found = Reflect.get(target, name, target) as unknown;
        if (typeof found !== 'function') return found;
        const call = found.bind(target) as (...given: unknown[]) => Promise<unknown>;
        if (!verbs.has(String(name))) return call;
        return async (key: string, ...rest: unknown[]): Promise<unknown> => {
          await this.before(String(name), key);
          const answer = await call(key, ...rest);
          return name === 'watch' ? this.#late(answer as Watch) : answer;
        };
      },
    });
  }

  #late(watch: Watch): Watch {
    const delay = (): Promise<void> =>
      this.watchDelayMs === 0 ? Promise.resolve() : sleep(this.runtime, this.watchDelayMs);
    return {
      destroy(): void {
        watch.destroy();
      },
      async *[Symbol.asyncIterator]() {
        for await (const batch of watch) {
          for (const event of batch) {
            await delay();
            yield [event];
          }
        }
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drive(this.registry.close());
    await this.drive(this.store.close());
  }

  async drive<R>(work: Promise<R>): Promise<R> {
    return await this.runtime.run(work);
  }

  context(namespace: string = 'default'): RequestContext {
    return { namespace, user: 'tester', warn: (text) => this.warnings.push(text) };
  }

  /** The verbs of a resource, written `pods`, `apps/v1/deployments` or `apps/v1/deployments/status`. */
  rest(path: string): Verbs {
    const { main, subresources } = this.installed(path);
    const subresource = path.split('/')[3];
    const found = subresource === undefined ? main : subresources.get(subresource);
    if (found === undefined) throw new Error(`${path} is not served`);
    return found as Verbs;
  }

  installed(path: string): NonNullable<ReturnType<ApiResourceRegistry['lookup']>> {
    const parts = path.includes('/') ? path.split('/') : ['', 'v1', path];
    const found = this.registry.lookup(parts[0]!, parts[1]!, parts[2]!);
    if (found === undefined) throw new Error(`${path} is not served`);
    return found;
  }

  async create(
    path: string,
    object: object,
    namespace: string = 'default',
  ): Promise<UnstructuredObject> {
    const body = object as UnstructuredObject;
    const created = this.rest(path).create(this.context(namespace), body, {});
    return (await this.drive(created)).object;
  }

  async get(
    path: string,
    name: string,
    namespace: string = 'default',
  ): Promise<UnstructuredObject> {
    return (await this.drive(this.rest(path).get(this.context(namespace), name, {}))).object;
  }

  async update(
    path: string,
    name: string,
    update: UpdateFunc,
    namespace: string = 'default',
  ): Promise<UnstructuredObject> {
    const updated = this.rest(path).update(this.context(namespace), name, update, {});
    return (await this.drive(updated)).result.object;
  }

  async names(path: string, namespace: string = 'default'): Promise<string[]> {
    const { items } = await this.drive(this.rest(path).list(this.context(namespace), {}));
    return items.map(({ metadata }) => metadata.name ?? '');
  }
}

/** The error a promise rejects with. @throws when it resolves. */
export async function rejection(work: Promise<unknown>): Promise<ApiError> {
  try {
    await work;
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('expected a rejection');
}

/** Collects the events of a watch in the background as `TYPE name`. */
export function collect(watch: StorageWatch<UnstructuredObject>): {
  readonly seen: string[];
  readonly ended: Promise<void>;
} {
  const seen: string[] = [];
  const read = async (): Promise<void> => {
    for await (const batch of watch) {
      for (const event of batch) {
        if (event.type === 'BOOKMARK') seen.push('BOOKMARK');
        else seen.push(`${event.type} ${event.object.metadata.name}`);
      }
    }
  };
  return { seen, ended: read() };
}

/** A pod that the validation accepts. */
export function pod(name: string, spec: object = {}): UnstructuredObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'nginx:1.27' }], ...spec },
  };
}

export function configMap(name: string, data: object = {}): UnstructuredObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

export function deployment(name: string, spec: object = {}): UnstructuredObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'nginx' }] },
      },
      ...spec,
    },
  };
}
