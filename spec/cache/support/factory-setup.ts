import type { ListerWatcherSource } from '../../../lib/cache/informer/factory/informer-request.ts';
import {
  SharedInformerFactory,
  type SharedInformerFactoryOptions,
} from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { ListerWatcher } from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { CollectionOptions, ResourceName } from '../../../lib/meta/collection-options.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { pod } from './objects.ts';

/** One scripted collection for each request, each with the pod `shop/a`. */
export class ScriptedSource implements ListerWatcherSource {
  readonly collections: Map<string, ScriptedListerWatcher> = new Map();
  readonly #runtime: VirtualRuntime;

  constructor(runtime: VirtualRuntime) {
    this.#runtime = runtime;
  }

  listerWatcher<T extends KubernetesObject>(
    { apiVersion, resource }: ResourceName,
    { namespace, labelSelector, fieldSelector, metadataOnly }: CollectionOptions = {},
  ): ListerWatcher<ObjectView<T>> {
    const selection = [namespace, labelSelector, fieldSelector].filter((one) => one !== undefined);
    if (metadataOnly === true) selection.push('metadata only');
    const description = [`${apiVersion}/${resource}`, ...selection].join(' ');
    const runtime = this.#runtime;
    const collection = new ScriptedListerWatcher({ runtime, description, objects: [pod('a')] });
    this.collections.set(description, collection);
    return collection as unknown as ListerWatcher<ObjectView<T>>;
  }

  /** The collection that was asked for last under this description. */
  collection(description: string): ScriptedListerWatcher {
    const found = this.collections.get(description);
    if (found === undefined) throw new Error(`no request for ${description}`);
    return found;
  }
}

/** A factory over scripted collections, in virtual time. */
export class FactorySetup {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly source: ScriptedSource = new ScriptedSource(this.runtime);
  readonly factory: SharedInformerFactory;

  constructor(options: SharedInformerFactoryOptions = {}) {
    const { runtime } = this;
    this.factory = new SharedInformerFactory(this.source, {
      runtime,
      logger: silentLogger,
      ...options,
    });
  }

  async synced(): Promise<void> {
    await this.runtime.run(this.factory.whenSynced({ timeoutMs: 10_000 }));
  }

  async close(): Promise<void> {
    await this.runtime.run(this.factory.close());
  }
}
