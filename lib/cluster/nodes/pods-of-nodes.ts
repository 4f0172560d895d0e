import type { SharedInformerFactory } from '../../cache/informer/factory/shared-informer-factory.ts';
import type { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Pod } from '../../types/built-in/core-v1-kinds.ts';

const BY_NODE = 'node of pods';

function nodeName({ spec }: Pod): readonly string[] {
  return spec?.nodeName === undefined ? [] : [spec.nodeName];
}

/** The pods of a node, from the cache. */
export class PodsOfNodes {
  readonly #pods: SharedIndexInformer<Pod>;

  constructor(informers: SharedInformerFactory) {
    this.#pods = informers.for('v1', 'pods', { indexers: { [BY_NODE]: nodeName } });
  }

  of(node: string): readonly Stored<Pod>[] {
    return this.#pods.indexer.byIndex(BY_NODE, node);
  }

  keysOf(node: string): readonly string[] {
    return this.#pods.indexer.indexKeys(BY_NODE, node);
  }

  get(key: string): Stored<Pod> | undefined {
    return this.#pods.indexer.get(key);
  }
}
