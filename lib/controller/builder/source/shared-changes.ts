import type { LazyEventHandler } from '../../../cache/informer/handlers/event-handler.ts';
import type {
  HandlerRegistration,
  SharedHandler,
} from '../../../cache/informer/handlers/handler-registration.ts';
import type { SharedIndexInformer } from '../../../cache/informer/shared-index-informer.ts';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import { onAbort } from '../../../kernel/time/abort.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { Stored } from '../../../meta/stored.ts';
import { LazyChange } from '../../change/object-change.ts';
import { KeyNumbers } from './key-numbers.ts';

/** Gets the changes of an informer, one by one. */
export interface ChangeReceiver {
  /** `isOwn`: exactly the change that an answer announced, not one that others are merged into. */
  take(change: LazyChange<KubernetesObject>, isOwn: boolean): void;
}

/** A receiver with a handler of its own, through which it gets the initial objects. */
export interface ChangeReader {
  readonly receiver: ChangeReceiver;
  readonly informer: SharedIndexInformer<KubernetesObject>;
  readonly registration: HandlerRegistration;
  readonly runtime: Runtime;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** A handler that makes one `LazyChange` of each event, for all receivers. */
export function changeHandler(
  pass: (change: LazyChange<KubernetesObject>, isOwn: boolean) => void,
): LazyEventHandler<Stored<KubernetesObject>> {
  return {
    view: 'lazy',
    onAdd: (added, info) => {
      pass(new LazyChange('added', info, added), info.origin === 'self');
    },
    onUpdate: (old, updated, info) => {
      pass(new LazyChange('updated', info, updated, old), info.origin === 'self');
    },
    onDelete: (deleted, info) => {
      pass(new LazyChange('deleted', info, deleted), false);
    },
  };
}

/** From now on the reader shares the work for each event with the other readers of its informer. */
export function shareChanges(reader: ChangeReader): SharedChanges {
  const { informer, runtime } = reader;
  const { sharedHandler } = informer;
  const changes =
    sharedHandler instanceof SharedChanges ? sharedHandler : new SharedChanges(informer, runtime);
  informer.sharedHandler = changes;
  changes.add(reader);
  return changes;
}

/**
 * One handler for all controllers of an informer: an event is prepared once, and a further controller costs one call.
 *
 * A reader begins with a handler of its own, so it gets the initial objects whenever it comes. It moves to the common handler at a
 * moment when no event waits for either: both have seen the same events then, so none is lost or repeated. The first reader moves when
 * there is a second one.
 *
 * Guarantees: a receiver that throws does not cost another one its event; none gets an event after its signal has aborted.
 */
export class SharedChanges implements SharedHandler {
  readonly #informer: SharedIndexInformer<KubernetesObject>;
  readonly #runtime: Runtime;
  /** Readers whose handlers are their own. */
  readonly #apart = new Set<ChangeReader>();
  /** Replaced when it changes: a receiver may end another one during a call. */
  #readers: readonly ChangeReader[] = [];
  readonly #numbers = new KeyNumbers();
  #common: HandlerRegistration | undefined;
  #looking = false;

  constructor(informer: SharedIndexInformer<KubernetesObject>, runtime: Runtime) {
    this.#informer = informer;
    this.#runtime = runtime;
  }

  /** The name of the common handler. */
  get name(): string | undefined {
    return this.#common?.name;
  }

  add(reader: ChangeReader): void {
    this.#apart.add(reader);
    onAbort(reader.signal, () => {
      this.#remove(reader);
    });
    if (this.#apart.size + this.#readers.length < 2) return;
    if (this.#common !== undefined) {
      this.#moveLater(reader, this.#common);
      return;
    }
    const name = `controllers of ${this.#informer.name}`;
    this.#common = this.#informer.addHandler(changeHandler(this.#pass), { name });
    for (const one of this.#apart) this.#moveLater(one, this.#common);
  }

  #remove(reader: ChangeReader): void {
    this.#apart.delete(reader);
    if (this.#readers.includes(reader)) {
      this.#readers = this.#readers.filter((one) => one !== reader);
    }
    if (this.#apart.size + this.#readers.length > 0) return;
    this.#common?.remove();
    this.#common = undefined;
  }

  #moveLater({ registration, signal }: ChangeReader, common: HandlerRegistration): void {
    const synced = [registration.whenSynced({ signal }), common.whenSynced({ signal })];
    // An informer that ends or is never started has no events to share; its controllers report that.
    void Promise.all(synced).then(this.#move, () => {});
  }

  readonly #move = (): void => {
    this.#looking = false;
    const common = this.#common;
    if (common === undefined || !common.synced || common.pending > 0) return;
    for (const reader of this.#apart) {
      const { registration } = reader;
      if (!registration.synced || registration.pending > 0) continue;
      this.#apart.delete(reader);
      this.#readers = [...this.#readers, reader];
      registration.remove();
    }
  };

  readonly #pass = (change: LazyChange<KubernetesObject>, isOwn: boolean): void => {
    const readers = this.#readers;
    if (this.#apart.size > 0) this.#look();
    // A key that is new to the informer is searched for once by each queue, with or without a number.
    if (change.type !== 'added') change.keyNumber = this.#numbers.of(change.key);
    let errors: unknown[] | undefined;
    for (const { receiver, signal } of readers) {
      if (readers !== this.#readers && signal.aborted) continue;
      try {
        receiver.take(change, isOwn);
      } catch (error) {
        errors ??= [];
        errors.push(error);
      }
    }
    if (change.type === 'deleted') this.#numbers.release(change.key);
    if (errors !== undefined) throw joined(errors);
  };

  /** Readers that were behind may have caught up after this event. */
  #look(): void {
    if (this.#looking || this.#common?.synced !== true) return;
    this.#looking = true;
    this.#runtime.queueTask(this.#move);
  }
}

function joined(errors: readonly unknown[]): unknown {
  if (errors.length === 1) return errors[0];
  return new AggregateError(errors, errors.map((error) => errorMessage(error)).join('; '));
}
