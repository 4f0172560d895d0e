import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import { LOGGER } from '../../../kernel/report/logger-rule.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { silentMetrics, type Metrics } from '../../../kernel/report/metrics.ts';
import {
  invalidOption,
  is,
  optionsOf,
  type FilledOptions,
  type OptionRule,
  type OptionsSchema,
} from '../../../kernel/options/options-schema.ts';
import { inProduction } from '../../../kernel/time/real-mode.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { metaNamespaceKeyFunc, type KeyFunc } from '../../../meta/key.ts';
import type { FieldPaths, Projection } from '../../../meta/json/field-path.ts';
import { JsonProjection } from '../../../meta/json/json-projection.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { Stored } from '../../../meta/stored.ts';
import {
  resolveCacheOptions,
  type CacheOptions,
  type ResolvedCacheOptions,
} from '../../memory/cache-options.ts';
import type { DeltaOrder } from '../../delta/delta-fifo.ts';
import type { ListerWatcher } from '../../reflector/contract/lister-watcher.ts';
import type { ReflectorOptions } from '../../reflector/options/reflector-options.ts';
import { metaNamespaceIndexFunc, NAMESPACE_INDEX, type Indexers } from '../../store/indexers.ts';
import type { WarmStart } from '../../collection/warm/warm-start.ts';
import { NamespaceSet } from './namespace-set.ts';
import type { InformerSubject, MissingResourcePolicy } from './start-failure.ts';

/** The subject of an error. */
export interface InformerErrorContext {
  /** Name of the informer. */
  readonly informer: string;
  /** `watch`: listing or watching failed. `object`: an object has no key, or transform or an index function failed on it. */
  readonly source:
    | 'watch'
    | 'object'
    | 'handler'
    | 'listener'
    | 'metrics'
    | 'warm-start'
    | 'audit'
    | 'internal';
  readonly key?: string | undefined;
  /** Name of the handler. */
  readonly handler?: string | undefined;
  /** One sentence for a log. */
  readonly message: string;
}

/** The options that its reflectors get; they check them. */
const REFLECTOR_OPTIONS = [
  'watchList',
  'firstList',
  'onRefused',
  'pageSize',
  'listTimeoutMs',
  'watchListTimeoutMs',
  'minWatchTimeoutMs',
  'idleTimeoutMs',
  'internalErrorRetryMs',
  'backoff',
] as const;

/** How an informer lists and watches; see `ReflectorOptions`. */
export type InformerReflectorOptions = Pick<
  ReflectorOptions<ObjectView>,
  (typeof REFLECTOR_OPTIONS)[number]
>;

export interface SharedIndexInformerOptions<
  T extends KubernetesObject,
  Index extends string = string,
> extends InformerReflectorOptions {
  /** As `ReflectorOptions.silenceProbeMs`: detects a dead watch. 0: never. @defaultValue 30 000 */
  readonly silenceProbeMs?: number | undefined;
  /**
   * The interval at which the server is asked for its version, for `inspect().staleness` and the metrics of it, milliseconds: how far the
   * cache is behind, in revisions and in time. It is a list of one item, and for a quiet collection a watch of three seconds. 0: never,
   * otherwise at least 1000. @defaultValue 0
   */
  readonly stalenessIntervalMs?: number | undefined;
  /**
   * The interval at which the cache is compared with the server, milliseconds: changes that it has missed are counted in the metrics, logged
   * by key, and in `inspect().lastAudit`. It lists metadata in pages, waits until the cache has reached the version of the list, and looks a
   * second time at what differs. It goes without `namespaces`. 0: never, otherwise at least 10 000. @defaultValue 0
   */
  readonly auditIntervalMs?: number | undefined;
  /** The collection to mirror. */
  readonly listerWatcher: ListerWatcher<ObjectView<T>>;
  /**
   * Mirrors these namespaces, with a list and a watch for each, in one cache; `setNamespaces` of the informer changes them. It needs
   * `inNamespace`. The informer is synced when all of them are. It has no `audit`, and `caughtUp` waits until every namespace has reached
   * the version: up to a minute, the interval of bookmarks.
   * @defaultValue the namespace of the source, or all
   */
  readonly namespaces?: readonly string[] | undefined;
  /**
   * The same collection in one namespace, for option `namespaces`; `listerWatcher` then only names it.
   * @example (namespace) => client.listerWatcher({ apiVersion: 'v1', resource: 'pods' }, { namespace })
   */
  readonly inNamespace?: ((namespace: string) => ListerWatcher<ObjectView<T>>) | undefined;
  /** Names the informer in messages. @defaultValue the description of the lister-watcher */
  readonly name?: string | undefined;
  /** The resource, for errors and remedies. @defaultValue the name */
  readonly subject?: InformerSubject | undefined;
  /** Indexes besides the one by namespace. @defaultValue none */
  readonly indexers?: Indexers<Stored<T>, Index> | undefined;
  /** @defaultValue metaNamespaceKeyFunc */
  readonly keyFunc?: KeyFunc | undefined;
  /**
   * Keeps only these fields of every object, besides its type and its metadata without `managedFields`. To have the type of the
   * objects reduced too, make the informer with `SharedIndexInformer.projecting`, or with a factory.
   * @defaultValue all
   */
  readonly fields?: ProjectedFields<T> | undefined;
  /**
   * Changes every object before it is stored, usually to drop unneeded fields. It must return a new object, or the same;
   * `metadata` with name, namespace, uid and resourceVersion must stay. With a transform every body is decoded.
   * @defaultValue none
   */
  readonly transform?: ((object: Stored<T>) => T) | undefined;
  /**
   * Deeply freezes every object that readers get: a statement that modifies such an object then throws a TypeError; without
   * `freeze` it would make the cache differ from the server. Change a copy: `structuredClone(object)`. A pod of 3.9 KB
   * takes 38 µs to decode then, and 21 µs without it; objects that are not read cost nothing.
   * @defaultValue true, unless NODE_ENV is `production`
   */
  readonly freeze?: boolean | undefined;
  /**
   * How objects lie in memory. In all modes an object is decoded on first read; the result of a transform stays
   * decoded. The figures are for pods of 3.9 KB of JSON.
   * - `bytes`: a pod takes 4.4 KB. Objects that are read often stay decoded, within a budget of 256 MB, about 30,000 pods; the
   *   others are decoded again when they are read, 20 µs each. The garbage collector has little work.
   * - `objects`: an object stays decoded after its first read, and all readers get the same object. A pod takes 4.4 KB, and
   *   8 KB after it was read. For programs that often read all objects of a very large cache.
   * - `own`: in a memory of the program, see `ObjectMemory`.
   * @defaultValue 'bytes'
   */
  readonly cache?: CacheOptions | undefined;
  /**
   * Whether an object belongs to the collection. It is called for objects that are passed to `written`, because the watch
   * sends no events of objects that its selectors exclude. `collectionMatcher` makes such a function from selectors.
   * @defaultValue every object does
   */
  readonly matches?: ((object: Stored<T>) => boolean) | undefined;
  /**
   * The interval at which handlers get every object again, milliseconds; a handler may have another interval.
   * @defaultValue 0: never, even if a handler has an interval
   */
  readonly resyncIntervalMs?: number | undefined;
  /** See `DeltaFIFO`. With `key`, `indexer.resourceVersion` stays empty. @defaultValue 'arrival' */
  readonly order?: DeltaOrder | undefined;
  /**
   * While the server does not serve the resource (404): with `wait` the informer retries with growing delays and logs it; with `fail`
   * `run` and `whenSynced` reject with RESOURCE_UNKNOWN. @defaultValue 'wait'
   */
  readonly missingResource?: MissingResourcePolicy | undefined;
  /** The high-water mark of the queue: with this many changes the watch is not read further; at least 1. @defaultValue 256 */
  readonly queueCapacity?: number | undefined;
  /**
   * Runs on the watch and the cache of another informer of this process that reads the same objects in the same form: of one client,
   * with the same resource, namespace, selectors, fields and options, and without `transform`, `matches`, `keyFunc`, `namespaces` and
   * resyncs of its own. It then has the state of that cache from its start on; its handlers, its life and its events are its own. The
   * watch ends with the last informer. With `share: false` it has a watch and a cache of its own. @defaultValue true
   */
  readonly share?: boolean | undefined;
  /**
   * Starts from what an earlier run has saved, and saves the cache; `fileWarmStart` of `listwatch/recorder` makes one over a file. Handlers
   * first get the saved objects as initial additions, then what has changed since. The informer is synced when the server has confirmed
   * that it knows the saved version; if it no longer does, the collection is listed. It needs `order: 'arrival'`, and goes without
   * `transform` and `namespaces`. @defaultValue none
   */
  readonly warmStart?: WarmStart | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger: warnings and errors, on standard error */
  readonly logger?: Logger | undefined;
  /** @defaultValue silentMetrics */
  readonly metrics?: Metrics | undefined;
  /**
   * Called with every error of callbacks, objects and watches. Expected errors, such as an expired version, only go to
   * the event `watch-error`.
   * @defaultValue the logger gets it
   */
  readonly onError?: ((error: unknown, context: InformerErrorContext) => void) | undefined;
}

declare const PROJECTION: unique symbol;

/** Paths that reduce objects to the type `T`. */
export interface ProjectedFields<T> extends ReadonlyArray<string> {
  readonly [PROJECTION]: T;
}

/** The option that keeps some fields of the objects. */
export interface WithFields<Source, Paths extends readonly string[]> {
  /** Names of fields, separated by dots, such as `spec.nodeName`. They go through arrays, and pick from their items. */
  readonly fields: FieldPaths<Source, Paths>;
}

/** Options of an informer that keeps some fields of its objects. All options except the source apply to the reduced objects. */
export interface ProjectingInformerOptions<
  Source extends KubernetesObject,
  Paths extends readonly string[],
> extends Omit<
      SharedIndexInformerOptions<Projection<Source, Paths[number]>>,
      'listerWatcher' | 'inNamespace' | 'fields'
    >,
    WithFields<Source, Paths> {
  readonly listerWatcher: ListerWatcher<ObjectView<Source>>;
  readonly inNamespace?: ((namespace: string) => ListerWatcher<ObjectView<Source>>) | undefined;
}

type Defaulted =
  | 'keyFunc'
  | 'resyncIntervalMs'
  | 'order'
  | 'missingResource'
  | 'silenceProbeMs'
  | 'stalenessIntervalMs'
  | 'auditIntervalMs'
  | 'share'
  | 'runtime'
  | 'logger'
  | 'metrics';

/** The options that an informer uses in another form than it gets them. */
interface InformerParts<T extends KubernetesObject> {
  readonly listerWatcher: ListerWatcher<ObjectView<T>>;
  readonly inNamespace: ((namespace: string) => ListerWatcher<ObjectView<T>>) | undefined;
  readonly namespaces: NamespaceSet | undefined;
  readonly name: string;
  readonly subject: InformerSubject;
  readonly indexers: Indexers<T>;
  readonly transform: ((object: T) => T) | undefined;
  readonly freeze: boolean;
  readonly cache: ResolvedCacheOptions;
  readonly matches: ((object: T) => boolean) | undefined;
}

export interface ResolvedInformerOptions<T extends KubernetesObject>
  extends InformerParts<T>,
    Omit<
      FilledOptions<SharedIndexInformerOptions<KubernetesObject>, Defaulted>,
      keyof InformerParts<T> | keyof InformerReflectorOptions | 'fields' | 'silenceProbeMs'
    > {
  readonly projection: JsonProjection | undefined;
  readonly reflector: InformerReflectorOptions & { readonly silenceProbeMs: number };
}

/** A reflector checks its options, and a queue its capacity. */
const unchecked = is.anything();

/** The rule of an interval that is 0 for never. */
function interval(leastMs: number): OptionRule<number, number> {
  return is
    .openRule<number>(`0, or a number of at least ${leastMs}`, (given) => {
      return given === 0 || (typeof given === 'number' && given >= leastMs);
    })
    .default(0);
}

export const INFORMER: OptionsSchema<
  SharedIndexInformerOptions<KubernetesObject>,
  Defaulted
> = optionsOf<SharedIndexInformerOptions<KubernetesObject>>()('SharedIndexInformer', {
  listerWatcher: is.object().required,
  namespaces: is.anything(),
  inNamespace: is.callback(),
  name: is.text(),
  subject: is.object(),
  indexers: is.object(),
  keyFunc: is.callback().default(metaNamespaceKeyFunc),
  fields: is.rule<readonly string[]>('an array of paths', Array.isArray),
  transform: is.callback(),
  freeze: is.flag(),
  cache: is.anything(),
  matches: is.callback(),
  resyncIntervalMs: is.number({ min: 0 }).default(0),
  order: is.oneOf('arrival', 'key').default('arrival'),
  missingResource: is.oneOf('wait', 'fail').default('wait'),
  queueCapacity: unchecked,
  watchList: unchecked,
  firstList: unchecked,
  onRefused: unchecked,
  pageSize: unchecked,
  listTimeoutMs: unchecked,
  watchListTimeoutMs: unchecked,
  minWatchTimeoutMs: unchecked,
  idleTimeoutMs: unchecked,
  internalErrorRetryMs: unchecked,
  backoff: unchecked,
  silenceProbeMs: unchecked.default(30_000),
  stalenessIntervalMs: interval(1000),
  auditIntervalMs: interval(10_000),
  share: is.flag().default(true),
  warmStart: is.methods('what `fileWarmStart` of listwatch/recorder makes', 'load', 'save'),
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
  metrics: is.object().default(silentMetrics),
  onError: is.callback(),
});

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveInformerOptions<T extends KubernetesObject>(
  given: SharedIndexInformerOptions<T>,
): ResolvedInformerOptions<Stored<T>> {
  const owner = 'SharedIndexInformer';
  const options = INFORMER.read<SharedIndexInformerOptions<T>>(given);
  const { listerWatcher, fields, matches, silenceProbeMs } = options;
  const { name = listerWatcher.description, inNamespace, transform } = options;
  const namespaces = namespacesOption(owner, options);
  checkWarmStart(owner, options);
  const source = (given: typeof listerWatcher): typeof listerWatcher =>
    fields === undefined ? given : (given.supports?.withoutManagedFields?.() ?? given);
  return {
    ...options,
    // A transform and a source keep the metadata that a stored object has.
    listerWatcher: source(listerWatcher) as ListerWatcher<ObjectView<Stored<T>>>,
    inNamespace: (inNamespace && ((one) => source(inNamespace(one)))) as ResolvedInformerOptions<
      Stored<T>
    >['inNamespace'],
    transform: transform as ResolvedInformerOptions<Stored<T>>['transform'],
    namespaces,
    name,
    subject: options.subject ?? { group: '', resource: name },
    indexers: withNamespaceIndex(options.indexers ?? {}),
    projection: fields === undefined ? undefined : new JsonProjection(fields),
    freeze: options.freeze ?? !inProduction(),
    cache: resolveCacheOptions(owner, options.cache),
    matches: namespaces === undefined ? matches : matchesIn(namespaces, matches),
    reflector: { ...reflectorOptions(options), silenceProbeMs },
  };
}

function namespacesOption<T extends KubernetesObject>(
  owner: string,
  { namespaces, inNamespace, keyFunc, order, auditIntervalMs }: SharedIndexInformerOptions<T>,
): NamespaceSet | undefined {
  if (namespaces === undefined) return undefined;
  const set = new NamespaceSet(owner, namespaces);
  if (auditIntervalMs !== undefined && auditIntervalMs > 0) {
    throw invalidOption(owner, 'option "namespaces" does not go with option "auditIntervalMs"');
  }
  const refused =
    inNamespace === undefined
      ? 'option "inNamespace", which makes the source of one'
      : (keyFunc ?? metaNamespaceKeyFunc) !== metaNamespaceKeyFunc
        ? 'keys of namespace and name: leave keyFunc out'
        : order === 'key'
          ? 'the order of arrival: leave order out'
          : undefined;
  if (refused === undefined) return set;
  throw invalidOption(owner, `option "namespaces" needs ${refused}`);
}

function checkWarmStart<T extends KubernetesObject>(
  owner: string,
  { warmStart, transform, namespaces, order }: SharedIndexInformerOptions<T>,
): void {
  if (warmStart === undefined) return;
  const refused = Object.entries({ transform, namespaces, order: order === 'key' || undefined });
  const [first] = refused.find(([, value]) => value !== undefined) ?? [];
  if (first === undefined) return;
  throw invalidOption(owner, `option "warmStart" does not go with option "${first}"`);
}

/** The watches send no events of other namespaces. */
function matchesIn<T extends KubernetesObject>(
  namespaces: NamespaceSet,
  matches: ((object: T) => boolean) | undefined,
): (object: T) => boolean {
  return (object) =>
    namespaces.has(object.metadata?.namespace) && (matches === undefined || matches(object));
}

function reflectorOptions(options: InformerReflectorOptions): InformerReflectorOptions {
  const given = REFLECTOR_OPTIONS.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[name]]));
}

function withNamespaceIndex<T extends KubernetesObject>(indexers: Indexers<T>): Indexers<T> {
  const given = Object.hasOwn(indexers, NAMESPACE_INDEX) ? indexers[NAMESPACE_INDEX] : undefined;
  if (given !== undefined && given !== metaNamespaceIndexFunc) {
    throw new ListwatchError(
      'INDEX_CONFLICT',
      `every informer has an index "${NAMESPACE_INDEX}" already; give yours another name`,
    );
  }
  return { ...indexers, [NAMESPACE_INDEX]: metaNamespaceIndexFunc };
}
