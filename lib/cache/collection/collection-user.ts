import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { NotificationBatch } from '../informer/handlers/notification.ts';
import type {
  ReflectorErrorContext,
  ReflectorTransition,
} from '../reflector/options/reflector-report.ts';

/** An informer that runs on a collection. Everything is called in the step in which it happens. */
export interface CollectionUser<T extends KubernetesObject> {
  readonly name: string;
  /** The interval of resyncs, milliseconds; 0 for never. No other informer joins where there are resyncs. */
  readonly resyncIntervalMs: number;
  /** Whether a handler gets the resync of this moment. */
  resyncDue(): boolean;
  /** The store has changed. */
  changed(batches: readonly NotificationBatch<ObjectView<T>>[]): void;
  /** Whether a handler that does not wait for a promise has a backlog of more than `count` notifications. */
  hasBacklog(count: number): boolean;
  /** The store has the whole state; called once. */
  synced(): void;
  /** The store has every change up to this resource version. */
  bookmark(resourceVersion: string): void;
  watchError(error: unknown, context: ReflectorErrorContext): void;
  /** Takes the transitions of one reflector. @param listed whether it has listed the collection before */
  transitions(listed: boolean): (transition: ReflectorTransition) => void;
  /** A batch was applied to the store. */
  applied(durationMs: number): void;
}
