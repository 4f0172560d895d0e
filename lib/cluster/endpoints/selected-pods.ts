import type { SharedInformerFactory } from '../../cache/informer/factory/shared-informer-factory.ts';
import type { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import { metadataIndexFunc } from '../../cache/store/indexers.ts';
import type { ObjectChange } from '../../controller/change/object-change.ts';
import { objectKey } from '../../meta/key.ts';
import type { ObjectMeta } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Pod, Service } from '../../types/built-in/core-v1-kinds.ts';
import { concernsEndpoints } from './endpoint-pods.ts';

type Labels = Readonly<Record<string, string>>;

const POD_LABELS = 'labels of pods';
const SELECTORS = 'selectors of services';

const podLabels = metadataIndexFunc(({ namespace = '', labels = {} }) =>
  Object.entries(labels).map((label) => indexValue(namespace, label)),
);

/** A pod that a service selects has all of its labels, so the first one finds the service. */
function serviceSelector({ metadata, spec }: Service): readonly string[] {
  const [first] = Object.entries(spec?.selector ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return first === undefined ? [] : [indexValue(metadata?.namespace ?? '', first)];
}

function indexValue(namespace: string, [key, value]: readonly [string, string]): string {
  return `${namespace}/${key}=${value}`;
}

function hasAll(labels: Labels | undefined, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => labels?.[key] === value);
}

/** Which pods a service selects and which services select a pod, from the caches, in both directions by an index of labels. */
export class SelectedPods {
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #services: SharedIndexInformer<Service>;

  constructor(informers: SharedInformerFactory) {
    this.#pods = informers.for('v1', 'pods', { indexers: { [POD_LABELS]: podLabels } });
    this.#services = informers.for('v1', 'services', {
      indexers: { [SELECTORS]: serviceSelector },
    });
  }

  /** In the order of their names. */
  of({ metadata, spec }: Service): readonly Stored<Pod>[] {
    const { namespace = '' } = metadata ?? {};
    const selector = spec?.selector ?? {};
    const { indexer } = this.#pods;
    let keys: readonly string[] = [];
    for (const [at, label] of Object.entries(selector).entries()) {
      const having = indexer.indexKeys(POD_LABELS, indexValue(namespace, label));
      if (at === 0 || having.length < keys.length) keys = having;
    }
    // Selected pods are decoded once for all, whereas their metadata would be parsed at every look.
    return keys.flatMap((key) => {
      const pod = indexer.get(key);
      return pod !== undefined && hasAll(pod.metadata?.labels, selector) ? [pod] : [];
    });
  }

  /** The keys of the services that select a pod with this metadata. */
  readonly servicesOf = ({ namespace = '', labels = {} }: ObjectMeta): string[] => {
    const { indexer } = this.#services;
    return Object.entries(labels)
      .flatMap((label) => indexer.indexKeys(SELECTORS, indexValue(namespace, label)))
      .filter((key) => hasAll(labels, indexer.get(key)?.spec?.selector ?? {}));
  };

  /** Whether a change of a pod may change endpoints. Pods that no service selects are not decoded. */
  readonly matters = (change: ObjectChange<Pod>): boolean => {
    const { metadata, oldMetadata = metadata } = change;
    const isSelected = [metadata, oldMetadata].some((one) => this.servicesOf(one).length > 0);
    return isSelected && (change.old === undefined || concernsEndpoints(change.old, change.object));
  };
}

/** Services without one get their endpoints from others. */
export function hasSelector({ spec }: Service): boolean {
  return Object.keys(spec?.selector ?? {}).length > 0;
}

/** The services whose endpoints are their pods; names of other domains have none. */
export function hasSelectedPods(service: Service): boolean {
  return service.spec?.type !== 'ExternalName' && hasSelector(service);
}

/** The key of an object of this name; that of the service of its endpoints. */
export function keyOf({ name = '', namespace = '' }: ObjectMeta): string {
  return objectKey({ name, namespace });
}
