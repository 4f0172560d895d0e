import { ListwatchError } from '../../kernel/failure/errors.ts';
import { deferred, type Deferred } from '../../kernel/time/latch.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { LazyObject } from '../informer/handlers/event-handler.ts';
import type { HandlerRegistration } from '../informer/handlers/handler-registration.ts';
import type { WaitOptions } from '../informer/handlers/handler-registration.ts';
import type { ChangeSource } from '../informer/changes/change-reader.ts';
import type { StoreReader } from '../store/store-reader.ts';

/** A cache that can be waited on, for example a `SharedIndexInformer`. */
export interface WaitableCache<T extends KubernetesObject> extends ChangeSource<T> {
  /** Reads the cache. */
  readonly indexer: StoreReader<T>;
  /** The reason why it is not synced, as text; undefined once it is. */
  readonly waitingFor: string | undefined;
  whenSynced(options?: WaitOptions): Promise<void>;
}

/** The result of a wait that is over. */
export interface Reached<T> {
  readonly object: T | undefined;
}

/** The awaited condition. Its methods return undefined for "not yet"; an error that they throw ends the wait. */
export interface AwaitedState<T> {
  /** An object exists, in this state. */
  seen(key: string, object: LazyObject<T>): Reached<T> | undefined;
  /** An object no longer exists. */
  lost(key: string): void;
  /** Called when the whole first list has been seen, and again after changes. */
  settled(): Reached<T> | undefined;
  /** Whether `settled` may be called once for several changes. */
  readonly skipsChanges: boolean;
  /** A description that follows the words "waiting for". */
  describe(): string;
}

/** A handler that waits on an informer until the awaited state is reached, or until the wait is ended. */
export class InformerWait<T extends KubernetesObject> {
  readonly #informer: WaitableCache<T>;
  readonly #awaited: AwaitedState<T>;
  readonly #result: Deferred<T | undefined> = deferred<T | undefined>();
  readonly #registration: HandlerRegistration;
  #looksSoon = false;
  #over = false;

  /** @throws {ListwatchError} code CLOSED when the informer has stopped. */
  constructor(informer: WaitableCache<T>, awaited: AwaitedState<T>) {
    this.#informer = informer;
    this.#awaited = awaited;
    this.#registration = informer.addHandler(
      {
        view: 'lazy',
        onAdd: (object, { key }) => this.#changed(() => awaited.seen(key, object)),
        onUpdate: (_, object, { key }) => this.#changed(() => awaited.seen(key, object)),
        onDelete: (_, { key }) => {
          awaited.lost(key);
          this.#changed(() => undefined);
        },
      },
      { name: 'until', resyncIntervalMs: 0 },
    );
    informer.events.once('stopped', this.#onStopped);
    // Its error has the reason why an informer stopped before it was synced.
    informer.whenSynced().catch((error: unknown) => {
      this.#result.reject(error);
    });
    // This promise rejects when the wait is over, or for the same reason.
    this.#registration.whenSynced().then(
      () => this.#changed(() => undefined),
      () => {},
    );
  }

  get result(): Promise<T | undefined> {
    return this.#result.promise;
  }

  describe(): string {
    const { waitingFor } = this.#informer;
    const awaited = this.#awaited.describe();
    return waitingFor === undefined ? awaited : `${awaited}; there has yet to be ${waitingFor}`;
  }

  /** Removes the handler. Calling again has no effect. */
  end(): void {
    this.#over = true;
    this.#informer.events.off('stopped', this.#onStopped);
    this.#registration.remove();
  }

  #changed(look: () => Reached<T> | undefined): void {
    this.#attempt(look);
    if (!this.#registration.synced) return;
    if (!this.#awaited.skipsChanges) {
      this.#attempt(() => this.#awaited.settled());
    } else if (!this.#looksSoon) {
      this.#looksSoon = true;
      this.#informer.runtime.queueTask(() => {
        this.#looksSoon = false;
        this.#attempt(() => this.#awaited.settled());
      });
    }
  }

  #attempt(look: () => Reached<T> | undefined): void {
    if (this.#over) return;
    try {
      const reached = look();
      if (reached === undefined) return;
      this.#over = true;
      this.#result.resolve(reached.object);
    } catch (error) {
      this.#over = true;
      this.#result.reject(error);
    }
  }

  readonly #onStopped = (): void => {
    const text = `the informer ${this.#informer.name} stopped during a wait for ${this.#awaited.describe()}`;
    this.#result.reject(new ListwatchError('CLOSED', text));
  };
}
