import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { WriteOverlay, type WriteOverlayOptions } from '../../../lib/cache/store/write-overlay.ts';
import { metaNamespaceKeyFunc } from '../../../lib/meta/key.ts';
import { pod, type Pod } from '../support/objects.ts';

/** The nodes of a pod. */
export const byNode = ({ spec }: Pod): string[] =>
  spec?.nodeName === undefined ? [] : [spec.nodeName];

export interface OverlayFixture {
  readonly store: ThreadSafeStore<Pod>;
  readonly overlay: WriteOverlay<Pod>;
  readonly errors: unknown[];
  /** The informer applies one event. */
  readonly event: (object: Pod, deleted?: boolean) => void;
  /** The informer applies a complete list. */
  readonly relist: (objects: readonly Pod[], resourceVersion: string) => void;
}

/** An overlay over a store that is filled the way an informer fills it. */
export function overlayFixture(options: Partial<WriteOverlayOptions<Pod>> = {}): OverlayFixture {
  const store = new ThreadSafeStore<Pod>({ indexers: { byNode } });
  const errors: unknown[] = [];
  const onError = (error: unknown): void => {
    errors.push(error);
  };
  const overlay = new WriteOverlay<Pod>({ store, onError, ...options });
  return {
    store,
    overlay,
    errors,
    event(object, deleted = false): void {
      const key = metaNamespaceKeyFunc(object);
      if (deleted) store.delete(key, object);
      else store.add(key, object);
      overlay.observed(key, object, deleted);
      overlay.processed(object.metadata.resourceVersion ?? '');
    },
    relist(objects, resourceVersion): void {
      store.replace(
        objects.map((object) => [metaNamespaceKeyFunc(object), object] as const),
        resourceVersion,
      );
      overlay.replaced(resourceVersion);
    },
  };
}

/** The pod `a` of one incarnation at one resource version. */
export function at(resourceVersion: number, uid: string = 'u1', nodeName: string = 'n1'): Pod {
  return pod('a', { uid, resourceVersion: String(resourceVersion), nodeName });
}
