import { LOGGER } from '../../kernel/report/logger-rule.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import type { HasMetadata, KubernetesObject } from '../../meta/object.ts';
import type { ObjectEvent } from '../../meta/watch-event.ts';
import type { ListerWatcher } from '../reflector/contract/lister-watcher.ts';
import {
  type CacheCondition,
  type UntilCached,
  type UntilGone,
  type UntilNarrowed,
  type UntilPresent,
  untilCached,
  type WaitableCache,
} from './until-cached.ts';
import {
  ConditionSequence,
  type EventCondition,
  untilEvent,
  type UntilEventOptions,
  type UntilWatchOptions,
} from './until-event.ts';
import { RetryWatcher } from './retry-watcher.ts';

type Conditions<E> = EventCondition<E> | readonly EventCondition<E>[];

/**
 * Waits until an object of an informer satisfies a condition, and resolves with the object; or waits until an object is gone,
 * or until a condition on the whole cache is true.
 *
 * Existing objects are checked first, then every change: if the condition holds already, the wait ends at once. The informer
 * has to be started before, or in the same task. Objects that are not selected are never decoded.
 *
 * @example
 * const pod = await until(pods, { name: 'web-0', is: (pod) => pod.status?.phase === 'Running', timeoutMs: 30_000 });
 * await until(pods, { name: 'web-0', gone: true, timeoutMs: 30_000 });
 * await until(pods, { when: (cache) => cache.byIndex('byNode', 'node-1').length === 0 });
 * @throws {ListwatchError} code TIMEOUT naming the condition and the present state; CLOSED when the informer has stopped or
 * stops; NOT_STARTED when it has not been started by the next task; INVALID_OPTION; what the condition throws; the signal's
 * reason when aborted.
 */
export function until<T extends KubernetesObject, S extends T>(
  informer: WaitableCache<T>,
  condition: UntilNarrowed<T, S>,
): Promise<S>;
export function until<T extends KubernetesObject>(
  informer: WaitableCache<T>,
  condition: UntilPresent<T>,
): Promise<T>;
export function until<T extends KubernetesObject>(
  informer: WaitableCache<T>,
  condition: UntilGone | UntilCached<T>,
): Promise<undefined>;
export function until<T extends KubernetesObject>(
  informer: WaitableCache<T>,
  condition: CacheCondition<T>,
): Promise<T | undefined>;
/**
 * Waits for conditions on the events of a stream, one after the other, and resolves with the event that satisfied the last one.
 * Each condition is first called with the event that satisfied the condition before it, so one event may satisfy several. The
 * stream is closed at the end.
 *
 * @throws {ListwatchError} code WATCH_CLOSED when the stream ends first; TIMEOUT naming the condition; what the stream
 * or a condition throws; the signal's reason when aborted.
 */
export function until<E>(
  events: AsyncIterable<E>,
  conditions: Conditions<E>,
  options?: UntilEventOptions,
): Promise<E>;
/**
 * As above, on the changes of a collection after a resource version, across watches that end or fail; see `RetryWatcher`.
 *
 * @example
 * const { resourceVersion } = await pods.list({});
 * await until(pods, ({ type }) => type === 'DELETED', { resourceVersion, timeoutMs: 30_000 });
 */
export function until<V extends HasMetadata>(
  listerWatcher: ListerWatcher<V>,
  conditions: Conditions<ObjectEvent<V>>,
  options: UntilWatchOptions,
): Promise<ObjectEvent<V>>;
export async function until(
  source: WaitableCache<KubernetesObject> | AsyncIterable<unknown> | ListerWatcher<HasMetadata>,
  condition: CacheCondition<KubernetesObject> | Conditions<never>,
  options: Partial<UntilWatchOptions> = {},
): Promise<unknown> {
  if (isInformer(source)) {
    return await untilCached(source, condition as CacheCondition<KubernetesObject>);
  }
  if (!isStream(source) && !isListerWatcher(source)) {
    throw new ListwatchError(
      'INVALID_OPTION',
      'until: the first argument must be an informer, a stream of events or a ListerWatcher',
    );
  }
  const sequence = new ConditionSequence('until', condition as Conditions<unknown>);
  if (isStream(source)) {
    STREAM.read(options);
    return await untilEvent(source, sequence, { ...options, name: 'the stream of events' });
  }
  const { runtime, logger, resourceVersion } = WATCH.read(options as UntilWatchOptions);
  const watcher = new RetryWatcher({ listerWatcher: source, runtime, logger, resourceVersion });
  return await untilEvent(watcher, sequence, {
    ...options,
    name: `the watch of ${source.description}`,
  });
}

const STREAM = optionsOf<UntilEventOptions>()('until', {
  timeoutMs: is.number({ min: 0 }),
  signal: is.abortSignal(),
  runtime: is.object(),
});
const WATCH = optionsOf<UntilWatchOptions>()('until', {
  ...STREAM.rules,
  resourceVersion: is.anything().required,
  logger: LOGGER,
});

function isInformer(source: object): source is WaitableCache<KubernetesObject> {
  return has(source, 'addHandler');
}

function isStream(source: object): source is AsyncIterable<unknown> {
  return has(source, Symbol.asyncIterator);
}

function isListerWatcher(source: object): source is ListerWatcher<HasMetadata> {
  return has(source, 'watch') && has(source, 'list');
}

function has(source: unknown, method: string | symbol): boolean {
  if (typeof source !== 'object' || source === null) return false;
  return typeof (source as Readonly<Record<string | symbol, unknown>>)[method] === 'function';
}
