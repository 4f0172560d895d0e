import type { Logger } from '../../kernel/report/logger.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { isAlreadyExists, isNotFound } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { ObjectStore } from '../registry/contract/object-store.ts';
import type { InstalledResource } from '../registry/contract/rest-storage.ts';
import { serverContext } from '../registry/contract/server-context.ts';
import { CleanupQueue } from '../registry/namespaces/cleanup-queue.ts';
import { textAt } from '../../meta/json-value.ts';

const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';
/** See pkg/controlplane/apiserver crdregistration @ v1.36.3. */
const GROUP_PRIORITY = 1000;
const VERSION_PRIORITY = 100;

export interface CustomGroupServicesOptions {
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** The store of APIServices; undefined when they are not served. */
  readonly services: () => ObjectStore | undefined;
}

/** Keeps one APIService for each served version of a group of custom resources, as kube-apiserver does. */
export class CustomGroupServices {
  readonly #options: CustomGroupServicesOptions;
  readonly #queue: CleanupQueue;
  /** Group and version of each wanted one, by its name. */
  #wanted: ReadonlyMap<string, GroupVersionNames> = new Map();

  constructor(options: CustomGroupServicesOptions) {
    this.#options = options;
    const { runtime, logger } = options;
    this.#queue = new CleanupQueue({
      name: 'APIServices of custom resources',
      runtime,
      logger,
      clean: (name, signal) => this.#settle(name, signal),
    });
  }

  /** Takes the custom resources that are served now. The objects follow in a moment. */
  follow(installed: readonly InstalledResource[]): void {
    const wanted = new Map<string, GroupVersionNames>();
    for (const { main } of installed) {
      const { group, version } = main.describe;
      wanted.set(`${version}.${group}`, { group, version });
    }
    const before = this.#wanted;
    this.#wanted = wanted;
    for (const name of before.keys()) if (!wanted.has(name)) this.#queue.add(name);
    for (const name of wanted.keys()) if (!before.has(name)) this.#queue.add(name);
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }

  async #settle(name: string, signal: AbortSignal): Promise<boolean> {
    const store = this.#options.services();
    const wanted = this.#wanted.get(name);
    if (store === undefined) return true;
    const context = serverContext('', signal);
    try {
      if (wanted !== undefined) await store.create(context, draft(name, wanted));
      else {
        const { object } = await store.get(context, name);
        const isOwn = textAt(object, 'metadata', 'labels', AUTOMANAGED) === 'true';
        if (isOwn) await store.delete(context, name, {});
      }
    } catch (error) {
      // Another process on the same storage was faster, or a user has one of this name.
      if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
    }
    return true;
  }
}

interface GroupVersionNames {
  readonly group: string;
  readonly version: string;
}

function draft(name: string, { group, version }: GroupVersionNames): UnstructuredObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name, labels: { [AUTOMANAGED]: 'true' } },
    spec: {
      group,
      version,
      groupPriorityMinimum: GROUP_PRIORITY,
      versionPriority: VERSION_PRIORITY,
    },
  };
}
