import type { InformerLease } from '../../../cache/informer/factory/informer-lease.ts';
import type { LazyEventHandler } from '../../../cache/informer/handlers/event-handler.ts';
import type { HandlerRegistration } from '../../../cache/informer/handlers/handler-registration.ts';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import { onAbort } from '../../../kernel/time/abort.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { Stored } from '../../../meta/stored.ts';
import { LazyChange, type ObjectChange } from '../../change/object-change.ts';
import type { Predicate } from '../../change/predicates.ts';
import type { ReconcileReason } from '../../change/reconcile-reasons.ts';
import { priorityOf } from '../../workqueue/work-queue-options.ts';
import { keysOf, type Targets } from './targets.ts';
import type { OwnWritesLog } from './own-writes-log.ts';

/** Which objects a change concerns. Called with the state after the change, and for an update with the one before it too. */
export type ChangeMapping<T extends KubernetesObject> = (change: ObjectChange<T>) => Targets;

/** How a controller is concerned by the objects of a source: they are its own kind, owned by it, or mapped to it. */
export type SourceRole = 'own' | 'owned' | 'watched';

export interface ControllerSourceOptions<T extends KubernetesObject> {
  /** E.g. `apps/v1/deployments`; with the name of another cluster in front. */
  readonly resource: string;
  readonly role: SourceRole;
  readonly lease: InformerLease<T>;
  readonly predicates: readonly Predicate<T>[];
  readonly map: ChangeMapping<T>;
  /** Called for a deletion that is a reason to reconcile. */
  readonly onGone?: ((change: ObjectChange<T>) => void) | undefined;
  /** Undefined: own writes are reasons too. */
  readonly ownWrites: OwnWritesLog | undefined;
  /** Whether objects of this namespace count now. One that leaves with its namespace was not deleted. */
  readonly isWatched: (namespace: string | undefined) => boolean;
  /** Called for each change, also for own writes and those that a predicate leaves out. */
  readonly observe?: ((change: ObjectChange<T>) => void) | undefined;
  /** See `ControllerOptions`. */
  readonly priority: ((change: ObjectChange) => number | undefined) | undefined;
  readonly enqueue: (key: string, reason: ReconcileReason, priority: number) => void;
  /** Names the controller in messages. */
  readonly controller: string;
  readonly logger: Logger;
}

/**
 * Of objects that exist when the controller starts, and of resyncs: what changes meanwhile does not wait for all of them.
 * @see controller-runtime pkg/handler LowPriority
 */
const LOW_PRIORITY = -100;

/** Counts of one source since the controller started. */
export interface SourceCounts {
  /** Changes that the informer has delivered. */
  readonly changes: number;
  /** Changes that a predicate left out. */
  readonly filtered: number;
  /** Changes that were the controller's own writes. */
  readonly ownWrites: number;
  /** Calls of a predicate, a mapping or a priority that threw, or that returned something else than it should. */
  readonly failures: number;
}

/** One informer of a controller: its changes, filtered and mapped to keys of the controller's own kind. */
export class ControllerSource<T extends KubernetesObject = KubernetesObject> {
  readonly resource: string;
  readonly role: SourceRole;
  readonly lease: InformerLease<T>;
  readonly registration: HandlerRegistration;
  readonly #options: ControllerSourceOptions<T>;
  #changes = 0;
  #filtered = 0;
  #ownWrites = 0;
  #failures = 0;
  #relists = 0;

  constructor(options: ControllerSourceOptions<T>) {
    const { lease, resource, role, controller } = options;
    this.#options = options;
    this.resource = resource;
    this.role = role;
    this.lease = lease;
    this.registration = lease.informer.addHandler(this.#handler(), {
      name: `controller ${controller}: ${role} objects`,
      signal: lease.signal,
    });
    const { events } = lease.informer;
    const onRelist = (): void => {
      this.#relists += 1;
    };
    events.on('relist', onRelist);
    onAbort(lease.signal, () => events.off('relist', onRelist));
  }

  /** Number of complete lists after a break of the watch. */
  get relists(): number {
    return this.#relists;
  }

  /** Whether changes were merged, because too many waited for the controller: one of them may stand for several since then. */
  get merges(): boolean {
    const { handlers } = this.lease.informer.inspect();
    return handlers.some(({ name, coalesced }) => name === this.registration.name && coalesced > 0);
  }

  get counts(): SourceCounts {
    return {
      changes: this.#changes,
      filtered: this.#filtered,
      ownWrites: this.#ownWrites,
      failures: this.#failures,
    };
  }

  /** Counts a change that turned out to be an own write after it was passed on. */
  countOwnWrite(): void {
    this.#ownWrites += 1;
  }

  #handler(): LazyEventHandler<Stored<T>> {
    return {
      view: 'lazy',
      onAdd: (added, info) => {
        this.#take(new LazyChange<T>('added', info, added), info.origin === 'self');
      },
      onUpdate: (old, updated, info) => {
        this.#take(new LazyChange<T>('updated', info, updated, old), info.origin === 'self');
      },
      onDelete: (deleted, info) => {
        this.#take(new LazyChange<T>('deleted', info, deleted), false);
      },
    };
  }

  /** `isOwn`: exactly the change that an answer announced, not one that others are merged into. */
  #take(change: LazyChange<T>, isOwn: boolean): void {
    this.#changes += 1;
    const { predicates, ownWrites, map, enqueue } = this.#options;
    const { type, key, metadata } = change;
    this.#options.observe?.(change);
    if (type === 'deleted' && !this.#options.isWatched(metadata.namespace)) return;
    if (
      type !== 'deleted' &&
      isOwn &&
      ownWrites?.wrote(this.resource, key, metadata.resourceVersion)
    ) {
      this.#ownWrites += 1;
      return;
    }
    if (!predicates.every((predicate) => this.#passes(predicate, change))) {
      this.#filtered += 1;
      return;
    }
    const keys = this.#keys(map, change);
    if (keys.length === 0) return;
    if (type === 'deleted') this.#options.onGone?.(change);
    const reason: ReconcileReason = {
      type: change.resync ? 'resync' : type,
      resource: this.resource,
      object: key,
      resourceVersion: metadata.resourceVersion,
      via: this.role,
    };
    const priority = this.#priority(change);
    for (const one of keys) enqueue(one, reason, priority);
  }

  /** A predicate that throws passes the change: a reconcile too many is harmless, one too few is not. */
  #passes(predicate: Predicate<T>, change: ObjectChange<T>): boolean {
    try {
      return predicate(change);
    } catch (error) {
      this.#report('a predicate', change, error, 'the change counts as passed');
      return true;
    }
  }

  #priority(change: LazyChange<T>): number {
    const { priority } = this.#options;
    const usual = change.initial || change.resync ? LOW_PRIORITY : 0;
    if (priority === undefined) return usual;
    try {
      return priorityOf({ priority: priority(change) ?? usual });
    } catch (error) {
      this.#report('the priority', change, error, `its priority is ${usual}`);
      return usual;
    }
  }

  #keys(map: ChangeMapping<T>, change: LazyChange<T>): readonly string[] {
    try {
      return keysOf(map(change));
    } catch (error) {
      this.#report('the mapping', change, error, 'no object is reconciled for it');
      return [];
    }
  }

  /** A mapping that is wrong fails for each object: the first failure is logged, then each tenth as many. */
  #report(what: string, { type, key }: ObjectChange<T>, error: unknown, effect: string): void {
    this.#failures += 1;
    if (!isPowerOfTen(this.#failures)) return;
    const { controller, logger } = this.#options;
    const times = this.#failures === 1 ? '' : ` (${this.#failures} times so far)`;
    const message = `${controller}: ${what} of ${this.resource} failed for ${type} ${key}: ${errorMessage(error)}; ${effect}${times}`;
    logger.error(message, { error });
  }
}

function isPowerOfTen(count: number): boolean {
  return /^10*$/.test(String(count));
}
