import type { KubernetesObject } from '../../meta/object.ts';
import { identityOf, type ObjectView } from '../../meta/object-view.ts';
import { RecentMap } from '../../kernel/data/recent-map.ts';
import type { Deletion } from '../store/write-overlay.ts';
import {
  AddNotification,
  DeleteNotification,
  UpdateNotification,
  type Notification,
  type NotificationBatch,
} from './handlers/notification.ts';

type Batch<T extends KubernetesObject> = NotificationBatch<ObjectView<T>>;

/** As many as the overlay of a cache remembers. */
const CAPACITY = 10_000;

/** The own writes of one informer: those of the other informers of a collection are not its own. */
export class InformerWrites<T extends KubernetesObject> {
  readonly #versions = new RecentMap<string, true>(CAPACITY);
  /** Of objects that it has deleted. */
  readonly #uids = new RecentMap<string, true>(CAPACITY);

  /** Answers that are no objects are reported by the overlay. */
  written(answer: T | null | undefined): void {
    const version = answer?.metadata?.resourceVersion;
    if (version !== undefined) this.#versions.set(version, true);
  }

  /** @param uid of the object that readers see at this moment */
  deleted(answer: T | Deletion, uid: string | undefined): void {
    if (typeof answer !== 'object' || answer === null) return;
    const said: Partial<Deletion> =
      'key' in answer && !('metadata' in answer) ? answer : ((answer as T).metadata ?? {});
    const deleted = said.uid ?? uid;
    if (deleted !== undefined) this.#uids.set(deleted, true);
    if (said.resourceVersion !== undefined) this.#versions.set(said.resourceVersion, true);
  }

  /** The changes as this informer sees them; the same arrays where no other one has written. */
  asSeen(batches: readonly Batch<T>[]): readonly Batch<T>[] {
    return batches.some((batch) => batch.notifications.some(this.#isForeign))
      ? batches.map((batch) => ({
          ...batch,
          notifications: batch.notifications.map((one) =>
            this.#isForeign(one) ? ofOther(one) : one,
          ),
        }))
      : batches;
  }

  readonly #isForeign = ({ origin, type, object }: Notification<ObjectView<T>>): boolean => {
    if (origin !== 'self') return false;
    const { uid = '', resourceVersion = '' } = identityOf(object);
    return !this.#versions.has(resourceVersion) && !(type === 'delete' && this.#uids.has(uid));
  };
}

function ofOther<T extends KubernetesObject>(
  notification: Notification<ObjectView<T>>,
): Notification<ObjectView<T>> {
  const { key, object } = notification;
  switch (notification.type) {
    case 'add':
      return new AddNotification(key, object, notification.initial, 'other');
    case 'update':
      return new UpdateNotification(key, notification.old, object, notification.resync, 'other');
    default:
      return new DeleteNotification(key, object, notification.finalStateUnknown, 'other');
  }
}
