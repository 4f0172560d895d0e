import { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import type { Client } from '../../client/rest/client.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { ClusterParts } from '../resources/cluster-parts.ts';
import { COUNTED_WHOLE, givesBack, type CountedWhole } from './replenishment.ts';

export interface CountedObjectsOptions extends ClusterParts {
  readonly client: Client;
  /** Something of a namespace was given back. */
  readonly onGivenBack: (resource: string, namespace: string) => void;
}

/** The pods, services and claims of the cluster. They count by what they say, so their metadata are not enough. */
export class CountedObjects implements AsyncDisposable {
  readonly #options: CountedObjectsOptions;
  readonly #informers: ReadonlyMap<CountedWhole, SharedIndexInformer<UnstructuredObject>>;
  readonly #stop = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(options: CountedObjectsOptions) {
    this.#options = options;
    const all = COUNTED_WHOLE.map((resource) => [resource, this.#informerOf(resource)] as const);
    this.#informers = new Map(all);
  }

  /** May be called again. A cluster without quotas needs no copies of its pods. */
  start(): void {
    const { signal } = this.#stop;
    const runs = (): Promise<void>[] =>
      [...this.#informers.values()].map((one) => one.run({ signal }));
    this.#running ??= Promise.allSettled(runs());
  }

  /** @throws {ListwatchError} code TIMEOUT naming what could not be listed. */
  async whenSynced(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const waits = [...this.#informers.values()].map((one) => one.whenSynced({ timeoutMs, signal }));
    await Promise.all(waits);
  }

  /** The objects of a namespace. */
  in(resource: CountedWhole, namespace: string): readonly UnstructuredObject[] {
    return this.#informers.get(resource)?.lister.namespace(namespace).list() ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #informerOf(resource: CountedWhole): SharedIndexInformer<UnstructuredObject> {
    const { client, onGivenBack, runtime, logger } = this.#options;
    const informer = new SharedIndexInformer<UnstructuredObject>({
      listerWatcher: client.listerWatcher({ apiVersion: 'v1', resource }),
      name: `${resource} that quotas count`,
      runtime,
      logger,
    });
    const report = ({ metadata }: UnstructuredObject): void => {
      onGivenBack(resource, metadata?.namespace ?? '');
    };
    informer.addHandler({
      onUpdate: (before, after) => {
        if (givesBack(resource, before, after, runtime.wallMs())) report(after);
      },
      onDelete: report,
    });
    return informer;
  }
}
