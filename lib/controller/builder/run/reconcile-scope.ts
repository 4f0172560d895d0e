import type { Lister } from '../../../cache/store/lister.ts';
import type { Client } from '../../../client/rest/client.ts';
import type { ResourceClient } from '../../../client/rest/resource-client.ts';
import type { WriteFence } from '../../../client/transport/contract/write-fence.ts';
import type { WriteObserver } from '../../../client/rest/request/write-observer.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { metaNamespaceKeyFunc } from '../../../meta/key.ts';
import type { HasMetadata, KubernetesObject, OwnerReference } from '../../../meta/object.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { EventSink, NewEvent } from '../../events/event-sink.ts';
import type { Handled, HandledStates } from '../../helpers/handled-state.ts';
import {
  ownerReferenceTo,
  setOwner,
  type Owner,
  type OwnerOptions,
} from '../../helpers/owner-references.ts';
import type { ReconcileReason } from '../../change/reconcile-reasons.ts';
import type { ReconcileContext } from '../../runtime/reconcile-loop.ts';
import type { ControllerContext, InCluster, OwnObject } from './controller-context.ts';
import type { ControllerSource, SourceOf } from '../source/controller-source.ts';
import type { ControllerSources } from '../source/controller-sources.ts';
import type { OwnWritesLog } from '../source/own-writes-log.ts';
import { OWNER_INDEX } from '../source/owner-index.ts';
import { sourceName } from '../source/source-declaration.ts';

/** The common part of the runs of one controller. */
export interface ScopeParts {
  readonly controller: string;
  readonly client: Client;
  readonly sources: ControllerSources;
  readonly ownWrites: OwnWritesLog;
  readonly events: () => EventSink;
  /** The fence of writes. @defaultValue nothing */
  readonly fence: () => WriteFence | undefined;
  /** The controller has deleted an object of its own kind. */
  readonly onDeleted: (key: string) => void;
  /** With `remembers`. */
  readonly handled: HandledStates | undefined;
}

export interface ScopeRun {
  readonly key: string;
  readonly failures: number;
  readonly reasons: readonly ReconcileReason[];
  /** The object of the run, or what is known of one that is gone. */
  readonly subject: Owner;
}

/** Which declaration of a resource is read. */
type FromSource = InCluster & { readonly source?: string | undefined };

/** The context of one run. Its methods are fields, so that it can be destructured. */
export class ReconcileScope implements ControllerContext {
  readonly key: string;
  readonly failures: number;
  readonly reasons: readonly ReconcileReason[];
  readonly #parts: ScopeParts;
  readonly #object: Owner;
  readonly #run: ReconcileContext;

  constructor(
    parts: ScopeParts,
    { key, failures, reasons, subject }: ScopeRun,
    run: ReconcileContext,
  ) {
    this.key = key;
    this.failures = failures;
    this.reasons = reasons;
    this.#parts = parts;
    this.#object = subject;
    this.#run = run;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get ownerReference(): OwnerReference {
    return ownerReferenceTo(this.#object);
  }

  readonly event = (event: NewEvent, about: KubernetesObject = this.#object): void => {
    this.#parts.events().event(about, event);
  };

  get handled(): Handled {
    const { handled, controller } = this.#parts;
    if (handled !== undefined)
      return handled.of(this.key, this.#object as Stored<KubernetesObject>);
    const text = `${controller} keeps no last handled states: declare that it does with .remembers()`;
    throw new ListwatchError('INVALID_OPTION', text);
  }

  /** A copy has the type of the object. */
  readonly own: OwnObject = (object: object, options?: OwnerOptions): never =>
    setOwner<HasMetadata>(object, this.#object, options) as never;

  readonly resource = <T extends KubernetesObject>(
    apiVersion: string,
    resource: string,
    options: InCluster & { readonly namespace?: string | undefined } = {},
  ): ResourceClient<T> => {
    const { cluster } = options;
    const client =
      cluster === undefined ? this.#parts.client : this.#parts.sources.clientOf(cluster);
    const namespace = options.namespace ?? this.#object.metadata.namespace;
    const writes = this.#writesOf<T>(sourceName({ apiVersion, resource }, cluster));
    return client.resource<T>(apiVersion, resource, {
      namespace,
      writes,
      forceApply: true,
      signal: this.signal,
      fence: this.#parts.fence(),
    });
  };

  readonly owned = <T extends KubernetesObject>(
    apiVersion: string,
    resource: string,
  ): readonly Stored<T>[] => {
    const { indexer } = this.#source<T>(apiVersion, resource, {}, OWNER_INDEX).lease.informer;
    if (!indexer.indexNames.includes(OWNER_INDEX)) {
      const text = `owned: ${this.#parts.controller} does not own ${apiVersion}/${resource}: declare it with .owns('${apiVersion}', '${resource}')`;
      throw new ListwatchError('INVALID_OPTION', text);
    }
    return indexer.byIndex(OWNER_INDEX, this.#object.metadata.uid);
  };

  readonly lister = <T extends KubernetesObject>(
    apiVersion: string,
    resource: string,
    from: FromSource = {},
  ): Lister<Stored<T>> => this.#source<T>(apiVersion, resource, from).lease.informer.lister;

  readonly byIndex = <T extends KubernetesObject>(
    apiVersion: string,
    resource: string,
    index: string,
    value: string,
    from: FromSource = {},
  ): readonly Stored<T>[] => {
    const { informer } = this.#source<T>(apiVersion, resource, from, index).lease;
    return informer.indexer.byIndex(index, value);
  };

  /** With an index: the declaration that has it, if there are several. */
  #source<T extends KubernetesObject>(
    apiVersion: string,
    resource: string,
    { cluster, source }: FromSource,
    index?: string,
  ): SourceOf<T> {
    const { controller, sources } = this.#parts;
    const resourceName = sourceName({ apiVersion, resource }, cluster);
    const all = sources.of(resourceName);
    if (all.length === 0) {
      const text = `${controller} does not watch ${resourceName}: declare it with .owns or .watches`;
      throw new ListwatchError('INVALID_OPTION', text);
    }
    const found = chosen(all, source, index);
    if (found === undefined) throw ambiguous(controller, all, source);
    // The type of the objects is what the caller says they are, as with every answer of a server.
    return found as unknown as SourceOf<T>;
  }

  #writesOf<T extends KubernetesObject>(resource: string): WriteObserver<Stored<T>> {
    const { sources, ownWrites } = this.#parts;
    const informers = new Set(sources.of(resource).map(({ lease }) => lease.informer));
    return {
      writer: { controller: this.#parts.controller, key: this.key },
      known: (key) => {
        for (const { indexer } of informers) {
          const known = indexer.get(key);
          if (known !== undefined) return known;
        }
        return undefined;
      },
      written: (object, isOwn) => {
        const { resourceVersion } = object.metadata;
        if (isOwn === true) {
          ownWrites.written(resource, metaNamespaceKeyFunc(object), resourceVersion, this.key);
        }
        for (const informer of informers) informer.written(object, isOwn === true);
      },
      deleted: (object) => {
        for (const informer of informers) {
          informer.deleted(object);
          if (informer === sources.own?.lease.informer) this.#parts.onDeleted(object.key);
        }
      },
    };
  }
}

/** The declaration that is meant; undefined if it is not clear which. */
function chosen(
  all: readonly ControllerSource[],
  name: string | undefined,
  index: string | undefined,
): ControllerSource | undefined {
  if (name !== undefined) return all.find((source) => source.name === name);
  const indexed = all.filter(
    ({ lease }) => index !== undefined && lease.informer.indexer.indexNames.includes(index),
  );
  const candidates = indexed.length > 0 ? indexed : all;
  const unnamed = candidates.filter((source) => source.name === undefined);
  const left = unnamed.length > 0 ? unnamed : candidates;
  // Declarations of one scope share a cache.
  const isOne = left.every(({ lease }) => lease.informer === left[0]?.lease.informer);
  return isOne ? left[0] : undefined;
}

function ambiguous(
  controller: string,
  all: readonly ControllerSource[],
  name: string | undefined,
): ListwatchError {
  const resource = all[0]?.resource ?? '';
  const names = all.flatMap((source) => source.name ?? []);
  const known = names.length === 0 ? 'give one option "name"' : `known are ${names.join(', ')}`;
  const text =
    name === undefined
      ? `${controller} watches ${resource} with several scopes: give the declarations option "name", and read with { source: NAME }`
      : `${controller} has no declaration of ${resource} with the name ${JSON.stringify(name)}; ${known}`;
  return new ListwatchError('INVALID_OPTION', text);
}
