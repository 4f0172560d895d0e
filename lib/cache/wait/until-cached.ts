import { ListwatchError } from '../../kernel/failure/errors.ts';
import { invalidOption, is, optionsOf } from '../../kernel/options/options-schema.ts';
import { onAbort } from '../../kernel/time/abort.ts';
import { boundedWait, conditionText, holds } from '../../kernel/time/bounded-wait.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { UntilOptions } from './until-event.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { whyHeld } from '../../meta/held-object.ts';
import { identityOf } from '../../meta/object-view.ts';
import type { LazyObject } from '../informer/handlers/event-handler.ts';
import { deferred, type Deferred } from '../../kernel/time/latch.ts';
import type {
  HandlerRegistration,
  WaitOptions,
} from '../informer/handlers/handler-registration.ts';
import type { ChangeSource } from '../informer/changes/change-reader.ts';

type Call = (given: never) => unknown;

const CONDITION = optionsOf<
  UntilOptions & {
    readonly name?: string | undefined;
    readonly namespace?: string | undefined;
    readonly key?: string | undefined;
    readonly is?: Call | undefined;
    readonly gone?: true | undefined;
    readonly when?: Call | undefined;
  }
>()('until', {
  name: is.filledText(),
  namespace: is.text(),
  key: is.filledText(),
  is: is.callback(),
  gone: is.rule<true>('true', (given) => given === true),
  when: is.callback(),
  timeoutMs: is.number({ min: 0 }),
  signal: is.abortSignal(),
});

/** Waits for a condition on what an informer has cached; see `until`. */
export async function untilCached<T extends KubernetesObject>(
  informer: WaitableCache<T>,
  condition: CacheCondition<T>,
): Promise<T | undefined> {
  checkCondition(condition);
  const { signal } = condition;
  const awaited =
    condition.when === undefined
      ? new AwaitedObject<T>(informer.name, condition)
      : new AwaitedCache<T>(informer, condition.when);
  let wait: InformerWait<T> | undefined;
  const describe = (): string => wait?.describe() ?? awaited.describe();
  const bounds = { timeoutMs: condition.timeoutMs, signal, describe };
  return await boundedWait(informer.runtime, bounds, async (waiting) => {
    wait = new InformerWait<T>(informer, awaited);
    onAbort(waiting, () => wait?.end());
    return await wait.result;
  });
}

/** Of the ways to select, and of the ways to say the state, a condition takes one. */
function checkCondition(condition: CacheCondition<never>): void {
  CONDITION.read<CacheCondition<never>>(condition);
  const { name, namespace, key, is: present, gone, when } = condition;
  const given = (...ways: readonly unknown[]): number =>
    ways.filter((way) => way !== undefined).length;
  const refused =
    given(name, key, when) !== 1
      ? 'say one of "name", "key" and "when"'
      : namespace !== undefined && name === undefined
        ? 'option "namespace" goes with "name"'
        : given(present, gone, when) > 1
          ? 'say one of "is", "gone" and "when"'
          : undefined;
  if (refused !== undefined) throw invalidOption('until', refused);
}

/** A state of the whole cache. */
export class AwaitedCache<T extends KubernetesObject> implements AwaitedState<T> {
  readonly skipsChanges = true;
  readonly #informer: Pick<WaitableCache<T>, 'name' | 'indexer'>;
  readonly #when: (cache: StoreReader<T>) => boolean | undefined;

  constructor(
    informer: Pick<WaitableCache<T>, 'name' | 'indexer'>,
    when: (cache: StoreReader<T>) => boolean | undefined,
  ) {
    this.#informer = informer;
    this.#when = when;
  }

  seen(): undefined {}

  lost(): void {}

  settled(): Reached<T> | undefined {
    return holds(this.#when, this.#informer.indexer) ? { object: undefined } : undefined;
  }

  describe(): string {
    const { name, indexer } = this.#informer;
    const place = `${indexer.size} objects at resource version ${indexer.resourceVersion || 'none'}`;
    return `the cache of ${name} to satisfy ${conditionText(this.#when)}; it has ${place}`;
  }
}

/** Most objects that a message names when they exist but do not fulfil the condition. */
const SHOWN_OBJECTS = 3;

/** A state, or the absence, of the selected object. A name without a namespace may select several objects. */
export class AwaitedObject<T extends KubernetesObject> implements AwaitedState<T> {
  readonly skipsChanges = false;
  readonly #informer: string;
  readonly #condition: UntilPresent<T> | UntilGone;
  /** The existing objects, with their resource versions, and why one that is to go is still there. */
  readonly #present: Map<string, string> = new Map();

  constructor(informer: string, condition: UntilPresent<T> | UntilGone) {
    this.#informer = informer;
    this.#condition = condition;
  }

  seen(key: string, view: LazyObject<T>): Reached<T> | undefined {
    if (!this.#selects(key, view)) return undefined;
    const { is, gone } = this.#condition;
    const why = gone === true ? whyHeld({ metadata: view.metadata }) : '';
    this.#present.set(key, `${identityOf(view).resourceVersion || 'none'}${why}`);
    if (gone === true) return undefined;
    const { object } = view;
    return is === undefined || holds(is, object) ? { object } : undefined;
  }

  lost(key: string): void {
    this.#present.delete(key);
  }

  settled(): Reached<T> | undefined {
    const { gone } = this.#condition;
    return gone === true && this.#present.size === 0 ? { object: undefined } : undefined;
  }

  describe(): string {
    const { is, gone, key, name, namespace } = this.#condition;
    const where = namespace === undefined ? '' : ` in namespace ${JSON.stringify(namespace)}`;
    const who = `${JSON.stringify(key ?? name)}${where} of ${this.#informer}`;
    const present = is === undefined ? 'exist' : `satisfy ${conditionText(is)}`;
    return `${who} to ${gone === true ? 'be gone' : present}; ${this.#whereabouts()}`;
  }

  #selects(key: string, view: LazyObject<T>): boolean {
    const { key: wanted, name, namespace } = this.#condition;
    if (wanted !== undefined) return key === wanted;
    const found = identityOf(view);
    if (found.name !== name) return false;
    return namespace === undefined || (found.namespace ?? '') === namespace;
  }

  #whereabouts(): string {
    if (this.#present.size === 0) return 'it is not there';
    const places = Array.from(
      this.#present,
      ([key, version]) => `${key} at resource version ${version}`,
    );
    const more = places.length > SHOWN_OBJECTS ? ` and ${places.length - SHOWN_OBJECTS} more` : '';
    return `there is ${places.slice(0, SHOWN_OBJECTS).join(', ')}${more}`;
  }
}

/** Selects an object: by its name, in one namespace or in any, or by its key in the cache. */
export type ObjectSelection =
  | {
      readonly name: string;
      /** Left out: any namespace, and objects without a namespace. */
      readonly namespace?: string | undefined;
      readonly key?: undefined;
    }
  | {
      /** As handlers get it, e.g. `shop/web-0`. */
      readonly key: string;
      readonly name?: undefined;
      readonly namespace?: undefined;
    };

interface UntilObject extends UntilOptions {
  readonly when?: undefined;
}

/** Waits until an object exists and satisfies a condition. */
export type UntilPresent<T> = ObjectSelection &
  UntilObject & {
    /**
     * The condition on the object. It is called for every state of the object that the informer sees, and not while the object
     * is absent. It must be synchronous.
     * @defaultValue the object has to exist
     */
    readonly is?: ((object: T) => boolean | undefined) | undefined;
    readonly gone?: undefined;
  };

/** As `UntilPresent`, with a condition that narrows the type of the object. */
export type UntilNarrowed<T, S extends T> = ObjectSelection &
  UntilObject & {
    readonly is: (object: T) => object is S;
    readonly gone?: undefined;
  };

/** Waits until an object does not exist. */
export type UntilGone = ObjectSelection &
  UntilObject & {
    readonly gone: true;
    readonly is?: undefined;
  };

/** Waits until a condition on the whole cache is true. */
export interface UntilCached<T> extends UntilOptions {
  /** Called with the whole first list, and again after changes; once for several changes if there are many. It must be synchronous. */
  readonly when: (cache: StoreReader<T>) => boolean | undefined;
  readonly name?: undefined;
  readonly namespace?: undefined;
  readonly key?: undefined;
  readonly is?: undefined;
  readonly gone?: undefined;
}

export type CacheCondition<T> = UntilPresent<T> | UntilGone | UntilCached<T>;

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
