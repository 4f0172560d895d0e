import type { LazyObject } from '../../cache/informer/handlers/event-handler.ts';
import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';
import { NO_NUMBER } from '../workqueue/keys/key-note.ts';
import { ReasonWriter, type ReconcileReason } from './reconcile-reasons.ts';

/**
 * A change of an object, as predicates see it. Bodies are decoded when `object` or `old` is read for the first time; the
 * other fields need only metadata.
 */
export interface ObjectChange<T extends KubernetesObject = KubernetesObject> {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly key: string;
  /** Added: the object existed when the controller started. Otherwise false. */
  readonly initial: boolean;
  /** Updated: a resync, in which nothing has changed. Otherwise false. */
  readonly resync: boolean;
  /** Of the object after the change; of a deleted object, the last that was seen. */
  readonly metadata: ObjectMeta;
  /** Of the object before an update. */
  readonly oldMetadata: ObjectMeta | undefined;
  readonly object: Stored<T>;
  /** The object before an update. */
  readonly old: Stored<T> | undefined;
}

/** A change in the terms of an informer's lazy handler. All controllers of an informer share it, and what it remembers. */
export class LazyChange<T extends KubernetesObject> implements ObjectChange<T> {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly key: string;
  readonly initial: boolean;
  readonly resync: boolean;
  readonly #after: LazyObject<Stored<T>>;
  readonly #before: LazyObject<Stored<T>> | undefined;
  /** Of the object, among those of its informer; `NO_NUMBER`: it has none. */
  keyNumber: number = NO_NUMBER;
  #matters: boolean | undefined;
  #reason: ReasonWriter | undefined;

  constructor(
    type: 'added' | 'updated' | 'deleted',
    { key, initial, resync }: { key: string; initial?: boolean; resync?: boolean },
    after: LazyObject<Stored<T>>,
    before?: LazyObject<Stored<T>>,
  ) {
    this.type = type;
    this.key = key;
    this.initial = initial ?? false;
    this.resync = resync ?? false;
    this.#after = after;
    this.#before = before;
  }

  get metadata(): ObjectMeta {
    return this.#after.metadata;
  }

  get oldMetadata(): ObjectMeta | undefined {
    return this.#before?.metadata;
  }

  get object(): Stored<T> {
    return this.#after.object;
  }

  get old(): Stored<T> | undefined {
    return this.#before?.object;
  }

  /** The answer of the default predicate, which is asked once. */
  matters(ask: (change: ObjectChange<T>) => boolean): boolean {
    this.#matters ??= ask(this);
    return this.#matters;
  }

  /** The change as the reason of a run. */
  reason(resource: string, via: string): ReasonWriter {
    const known = this.#reason;
    if (known?.reason.resource === resource && known.reason.via === via) return known;
    const reason: ReconcileReason = {
      type: this.resync ? 'resync' : this.type,
      resource,
      object: this.key,
      resourceVersion: this.metadata.resourceVersion,
      via,
    };
    this.#reason = new ReasonWriter(reason, via === 'own' ? this.keyNumber : NO_NUMBER);
    return this.#reason;
  }
}
