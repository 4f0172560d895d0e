import type { InformerLease } from '../../../cache/informer/factory/informer-entry.ts';
import type { HandlerRegistration } from '../../../cache/informer/handlers/handler-registration.ts';
import { onAbort } from '../../../kernel/time/abort.ts';
import type { WriteCause, WriteCauses } from '../../../client/rest/request/write-causes.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { LazyChange, ObjectChange } from '../../change/object-change.ts';
import type { Predicate } from '../../change/predicates.ts';
import type { ReasonWriter, ReconcileReason } from '../../change/reconcile-reasons.ts';
import { priorityOf } from '../../workqueue/work-queue-options.ts';
import { keysOf, type Targets } from './targets.ts';
import {
  changeHandler,
  shareChanges,
  type ChangeReceiver,
  type SharedChanges,
} from './shared-changes.ts';
import type { OwnWritesLog } from './own-writes-log.ts';

/** Which objects a change concerns. Called with the state after the change, and for an update with the one before it too. */
export type ChangeMapping<T extends KubernetesObject> = (change: ObjectChange<T>) => Targets;

/** How a controller is concerned by the objects of a source: they are its own kind, owned by it, or mapped to it. */
export type SourceRole = 'own' | 'owned' | 'watched';

export interface ControllerSourceOptions {
  /** E.g. `apps/v1/deployments`; with the name of another cluster in front. */
  readonly resource: string;
  readonly role: SourceRole;
  /** Distinguishes it from other declarations of the resource. */
  readonly name: string | undefined;
  readonly lease: InformerLease<KubernetesObject>;
  /** Of the client of its cluster. */
  readonly causes: WriteCauses;
  readonly predicates: readonly Predicate[];
  readonly map: ChangeMapping<KubernetesObject>;
  /** Called for a deletion that is a reason to reconcile. */
  readonly onGone?: ((change: ObjectChange) => void) | undefined;
  /** Undefined: own writes are reasons for all runs. Otherwise not for those of the key that has made them. */
  readonly ownWrites: OwnWritesLog | undefined;
  /** Whether objects of this namespace count now. One that leaves with its namespace was not deleted. */
  readonly isWatched: (namespace: string | undefined) => boolean;
  /** Called for each change, also for own writes and those that a predicate leaves out. */
  readonly observe?: ((change: ObjectChange) => void) | undefined;
  /** See `ControllerOptions`. */
  readonly priority: ((change: ObjectChange) => number | undefined) | undefined;
  readonly enqueue: (key: string, reason: ReasonWriter, priority: number) => void;
  /** Names the controller in messages. */
  readonly controller: string;
  readonly logger: Logger;
  readonly runtime: Runtime;
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

/** A source whose objects have a type. */
export interface SourceOf<T extends KubernetesObject> {
  readonly lease: InformerLease<T>;
}

/** One informer of a controller: its changes, filtered and mapped to keys of the controller's own kind. */
export class ControllerSource implements ChangeReceiver {
  readonly resource: string;
  readonly role: SourceRole;
  readonly name: string | undefined;
  readonly lease: InformerLease<KubernetesObject>;
  readonly registration: HandlerRegistration;
  readonly #options: ControllerSourceOptions;
  readonly #predicates: readonly Predicate[];
  readonly #observe: ControllerSourceOptions['observe'];
  readonly #shared: SharedChanges;
  #changes = 0;
  #filtered = 0;
  #ownWrites = 0;
  #failures = 0;
  #relists = 0;

  constructor(options: ControllerSourceOptions) {
    const { lease, resource, role, name, controller, runtime } = options;
    this.#options = options;
    this.#predicates = options.predicates;
    this.#observe = options.observe;
    this.resource = resource;
    this.role = role;
    this.name = name;
    this.lease = lease;
    const { informer, signal } = lease;
    const pass = this.take.bind(this);
    const handler = `controller ${controller}: ${name ?? role} objects`;
    const registration = informer.addHandler(changeHandler(pass), { name: handler, signal });
    this.registration = registration;
    this.#shared = shareChanges({ receiver: this, informer, registration, runtime, signal });
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
    const names = [this.registration.name, this.#shared.name];
    return handlers.some(({ name, coalesced }) => coalesced > 0 && names.includes(name));
  }

  get counts(): SourceCounts {
    return {
      changes: this.#changes,
      filtered: this.#filtered,
      ownWrites: this.#ownWrites,
      failures: this.#failures,
    };
  }

  /** The write of its client that has made a change. */
  writeOf({ resource, object, resourceVersion }: ReconcileReason): WriteCause | undefined {
    if (resource === undefined || object === undefined || resourceVersion === undefined) return;
    // Without the name of the cluster.
    const written = resource.slice(resource.indexOf(':') + 1);
    return this.#options.causes.of(written, object, resourceVersion);
  }

  /** Writes of its client so far. */
  get writes(): number {
    return this.#options.causes.count;
  }

  /** Counts a change that turned out to be an own write after it was passed on. */
  countOwnWrite(): void {
    this.#ownWrites += 1;
  }

  /** See `ChangeReceiver`. */
  take(change: LazyChange<KubernetesObject>, isOwn: boolean): void {
    this.#changes += 1;
    if (this.#observe !== undefined) this.#observe(change);
    let writer: string | undefined;
    if (change.type === 'deleted') {
      if (!this.#options.isWatched(change.metadata.namespace)) return;
    } else if (isOwn) {
      writer = this.#writerOf(change);
      if (writer === change.key && this.role === 'own') {
        this.#ownWrites += 1;
        return;
      }
    }
    for (const predicate of this.#predicates) {
      if (this.#passes(predicate, change)) continue;
      this.#filtered += 1;
      return;
    }
    this.#enqueue(change, writer);
  }

  /** Passes on all objects again, as those that exist at the start: by a handler that ends when it has seen them. */
  replay(): void {
    const { informer, signal } = this.lease;
    const pass = (change: LazyChange<KubernetesObject>): void => {
      if (change.initial) this.take(change, false);
    };
    const { name } = this.registration;
    const registration = informer.addHandler(changeHandler(pass), { name, signal });
    void registration.whenSynced({ signal }).then(
      () => registration.remove(),
      () => {},
    );
  }

  #writerOf({ key, metadata }: LazyChange<KubernetesObject>): string | undefined {
    const { ownWrites } = this.#options;
    return ownWrites?.writerOf(this.resource, key, metadata.resourceVersion);
  }

  #enqueue(change: LazyChange<KubernetesObject>, writer: string | undefined): void {
    let keys = this.#keys(change);
    if (writer !== undefined) {
      const all = typeof keys === 'string' ? [keys] : keys;
      keys = all.filter((key) => key !== writer);
      if (keys.length < all.length) this.#ownWrites += 1;
    }
    if (keys.length === 0) return;
    const { onGone, enqueue } = this.#options;
    if (change.type === 'deleted') onGone?.(change);
    const reason = change.reason(this.resource, this.role);
    const priority = this.#priority(change);
    if (typeof keys === 'string') enqueue(keys, reason, priority);
    else for (const one of keys) enqueue(one, reason, priority);
  }

  /** A predicate that throws passes the change: a reconcile too many is harmless, one too few is not. */
  #passes(predicate: Predicate, change: ObjectChange): boolean {
    try {
      return predicate(change);
    } catch (error) {
      this.#report('predicate failed; the change counts as passed', change, error);
      return true;
    }
  }

  #priority(change: LazyChange<KubernetesObject>): number {
    const { priority } = this.#options;
    const usual = change.initial || change.resync ? LOW_PRIORITY : 0;
    if (priority === undefined) return usual;
    try {
      return priorityOf({ priority: priority(change) ?? usual });
    } catch (error) {
      this.#report('priority failed; the change gets the usual one', change, error);
      return usual;
    }
  }

  /** The key of the change itself needs no list, and no check. */
  #keys(change: LazyChange<KubernetesObject>): string | readonly string[] {
    try {
      const targets = this.#options.map(change);
      return targets === change.key ? change.key : keysOf(targets);
    } catch (error) {
      this.#report('mapping failed; no object is reconciled for the change', change, error);
      return [];
    }
  }

  /** A mapping that is wrong fails for each object: the first failure is logged, then each tenth as many. */
  #report(text: string, { type, key }: ObjectChange, error: unknown): void {
    this.#failures += 1;
    if (!isPowerOfTen(this.#failures)) return;
    const { controller, logger } = this.#options;
    const { resource } = this;
    logger.error(text, { controller, resource, type, key, failures: this.#failures, error });
  }
}

function isPowerOfTen(count: number): boolean {
  return /^10*$/.test(String(count));
}
