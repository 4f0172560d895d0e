import type { SharedInformerFactory } from '../../../cache/informer/factory/shared-informer-factory.ts';
import type { SharedIndexInformer } from '../../../cache/informer/shared-index-informer.ts';
import { metadataIndexFunc } from '../../../cache/store/indexers.ts';
import type { ObjectMeta } from '../../../meta/object.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { EndpointSlice } from '../../../types/built-in/discovery-v1-kinds.ts';
import { keyOf } from '../selected-pods.ts';
import { SERVICE_NAME, SLICE_MANAGED_BY } from './slice-object.ts';

const SLICES_OF_SERVICE = 'service of slices';

const serviceOf = metadataIndexFunc((metadata) => serviceKey(metadata) ?? []);

function serviceKey({ namespace, labels }: ObjectMeta): [string] | undefined {
  const name = labels?.[SERVICE_NAME] ?? '';
  return name === '' ? undefined : [keyOf({ name, namespace })];
}

/** The slices that one controller manages, by their services. */
export class SliceCache {
  readonly #slices: SharedIndexInformer<EndpointSlice>;
  readonly #manager: string;

  constructor(informers: SharedInformerFactory, manager: string) {
    this.#slices = informers.for('discovery.k8s.io/v1', 'endpointslices', {
      indexers: { [SLICES_OF_SERVICE]: serviceOf },
    });
    this.#manager = manager;
  }

  /** In the order of their names, without those that are being deleted. */
  of(service: string): readonly Stored<EndpointSlice>[] {
    const { indexer } = this.#slices;
    return indexer.indexKeys(SLICES_OF_SERVICE, service).flatMap((key) => {
      const metadata = indexer.metadata(key);
      const isGoing = metadata?.deletionTimestamp !== undefined;
      return metadata === undefined || isGoing || !this.#manages(metadata)
        ? []
        : (indexer.get(key) ?? []);
    });
  }

  /** The key of the service whose slice this is. */
  readonly serviceOf = ({ metadata }: { readonly metadata: ObjectMeta }): string | undefined => {
    return this.#manages(metadata) ? serviceKey(metadata)?.[0] : undefined;
  };

  #manages({ labels }: ObjectMeta): boolean {
    return labels?.[SLICE_MANAGED_BY] === this.#manager;
  }
}
