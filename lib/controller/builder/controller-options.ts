import type { SharedInformerFactory } from '../../cache/informer/factory/shared-informer-factory.ts';
import type { MissingResourcePolicy } from '../../cache/informer/options/start-failure.ts';
import {
  type FilledOptions,
  is,
  optionsOf,
  type OptionsSchema,
} from '../../kernel/options/options-schema.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { EventSink } from '../events/event-sink.ts';
import type { ObjectChange } from '../change/object-change.ts';
import type { ReconcileError } from '../runtime/reconcile-error.ts';
import type { RateLimiter } from '../workqueue/limits/rate-limiter.ts';
import type { QueuePacingOptions } from '../workqueue/queue-pacing.ts';
import type { WorkQueueOptions } from '../workqueue/work-queue-options.ts';

export interface ControllerQueueOptions
  extends QueuePacingOptions,
    Pick<WorkQueueOptions, 'ageingMs'> {}

export interface ControllerOptions {
  /** The name in messages and metrics. @defaultValue the resource, e.g. `widgets` */
  readonly name?: string | undefined;
  /** Maximum number of objects that are reconciled at the same time. @defaultValue 1 */
  readonly concurrency?: number | undefined;
  /**
   * Informers that are shared with other controllers; they have to be of the same client. The controller starts them. Make them with
   * `firstList: 'newest'`: otherwise, after a restart, a server that lags may show a state of the past.
   * @defaultValue informers of its own, whose first lists are of the newest state
   */
  readonly informers?: SharedInformerFactory | undefined;
  /** Only objects in this namespace, of all resources of the controller. @defaultValue all namespaces */
  readonly namespace?: string | undefined;
  /** Only objects in these namespaces, which `setNamespaces` changes while the controller runs. */
  readonly namespaces?: readonly string[] | undefined;
  /** Only objects of the own kind with these labels. @defaultValue all */
  readonly labelSelector?: string | undefined;
  /**
   * Reconciles after every update of the own kind. By default updates are left out that change neither `metadata.generation` nor
   * labels, annotations, finalizers, deletionTimestamp and ownerReferences.
   * @defaultValue false
   */
  readonly everyUpdate?: boolean | undefined;
  /** Reconciles after own writes too, those made with `context.resource` and a returned status. @defaultValue false */
  readonly ownWrites?: boolean | undefined;
  /**
   * While a resource is not served, because its definition is not there yet, or was deleted while the controller runs: `wait` until it is
   * served, or `fail` at once.
   * @defaultValue wait; at the start not longer than `syncTimeoutMs`
   */
  readonly missingResource?: MissingResourcePolicy | undefined;
  /** Longest wait for the first lists, milliseconds. @defaultValue 120 000; no limit with `missingResource: 'wait'` */
  readonly syncTimeoutMs?: number | undefined;
  /** Longest run, milliseconds; its signal aborts then. @defaultValue 300 000 */
  readonly timeoutMs?: number | undefined;
  /** Longest wait for running reconciles when the controller stops, milliseconds. @defaultValue 30 000 */
  readonly shutdownTimeoutMs?: number | undefined;
  /** Maximum number of retries after failures in a row. @defaultValue Infinity */
  readonly maxRetries?: number | undefined;
  /**
   * The priority of a change: objects of a higher one are reconciled first. A low one does not starve, see `WorkQueue`.
   * @defaultValue −100 for objects that exist when the controller starts and for resyncs, 0 for all other changes; also where it returns
   * undefined
   */
  readonly priority?: ((change: ObjectChange) => number | undefined) | undefined;
  /** How fast objects are reconciled: debounce, limits for each object and for all. @defaultValue no limits */
  readonly queue?: ControllerQueueOptions | undefined;
  /** @defaultValue 5 ms doubling to 1000 s for each object, with jitter */
  readonly rateLimiter?: RateLimiter | undefined;
  /** Called after every failed run, except conflicts. @defaultValue the failure is logged */
  readonly onError?: ((error: ReconcileError) => void) | undefined;
  /**
   * Takes what `context.event` reports; it is not closed with the controller.
   * @defaultValue an `EventRecorder` with the name of the controller, made with the first event and closed with the controller
   */
  readonly events?: EventSink | undefined;
  /** Number of past runs that `inspect` returns. @defaultValue 100 */
  readonly historySize?: number | undefined;
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

const SYNC_TIMEOUT_MS = 120_000;

type Defaulted = 'historySize' | 'runtime' | 'logger';

export type FilledControllerOptions = FilledOptions<ControllerOptions, Defaulted>;

export const CONTROLLER: OptionsSchema<ControllerOptions, Defaulted> =
  optionsOf<ControllerOptions>()('controller', {
    name: is.text(),
    concurrency: is.integer({ min: 1, max: 10_000 }),
    informers: is.object(),
    namespace: is.text(),
    namespaces: is.texts(),
    labelSelector: is.text(),
    everyUpdate: is.flag(),
    ownWrites: is.flag(),
    missingResource: is.oneOf('wait', 'fail'),
    syncTimeoutMs: is.number({ min: 1 }),
    timeoutMs: is.number({ min: 1 }),
    shutdownTimeoutMs: is.number({ min: 0 }),
    maxRetries: is.integer({ min: 0 }),
    priority: is.callback(),
    queue: is.object(),
    rateLimiter: is.object(),
    onError: is.callback(),
    events: is.object(),
    historySize: is.integer({ min: 0 }).default(100),
    runtime: is.object().default(realRuntime),
    logger: LOGGER.default(consoleLogger),
    metrics: is.object(),
  });

/** The longest wait for the first lists, milliseconds. */
export function syncTimeoutOf({ syncTimeoutMs, missingResource }: ControllerOptions): number {
  return syncTimeoutMs ?? (missingResource === 'wait' ? Infinity : SYNC_TIMEOUT_MS);
}
