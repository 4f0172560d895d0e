import { yes, type FeatureRow } from './feature-row.ts';

/** The queue of a controller. */
export const queueRows: readonly FeatureRow[] = [
  yes(
    48,
    'A key waits once, and one worker has it at a time',
    'controller/workqueue/work-queue.ts',
    [
      'controller/workqueue/work-queue-properties.spec.ts',
      'WorkQueue, in every interleaving keeps its promises on 200 seeds: one worker a key, adds collapse, no key is lost',
    ],
  ),
  yes(49, 'A key is added after a delay', 'controller/workqueue/delaying-queue.ts', [
    'controller/workqueue/delaying-queue.spec.ts',
    'DelayingQueue adds a key when its time has come, not before',
  ]),
  yes(
    50,
    'Retries of a key wait 5 ms, 10 ms, … up to 1000 s by default',
    'controller/workqueue/limits/item-exponential-rate-limiter.ts',
    [
      'controller/workqueue/limits/rate-limiters.spec.ts',
      'ItemExponentialRateLimiter doubles from 5 ms: 5.12 s at the 11th failure, 655.36 s at the 18th, 1000 s from then on',
    ],
  ),
  yes(
    51,
    'A limit over the retries of all keys (`clientGoRateLimiter`: 10 a second after 100)',
    'controller/workqueue/limits/bucket-rate-limiter.ts',
    [
      'controller/workqueue/limits/rate-limiters.spec.ts',
      'the presets clientGoRateLimiter: after 100 retries at once, 10 a second',
    ],
  ),
  yes(
    52,
    'The least time between two runs of one object (`minIntervalMs`)',
    'controller/workqueue/queue-pacing.ts',
    [
      'controller/workqueue/queue-pacing.spec.ts',
      'The pace of a queue with minIntervalMs keeps the runs of one key apart, and no others',
    ],
  ),
  yes(
    53,
    'A random part in the delay of each retry',
    'controller/workqueue/limits/item-exponential-rate-limiter.ts',
    [
      'controller/workqueue/limits/rate-limiters.spec.ts',
      'ItemExponentialRateLimiter adds at random up to a tenth, from the runtime',
    ],
  ),
  yes(
    54,
    'Priorities; objects of the first list come after changes by default',
    'controller/workqueue/keys/priority-lanes.ts',
    [
      'controller/workqueue/queue-priorities.spec.ts',
      'Priorities of a work queue are obeyed, the highest first, and the order of adding within one',
    ],
  ),
  yes(
    55,
    'A key of low priority gets its turn in bounded time (`ageingMs`)',
    'controller/workqueue/keys/waiting-slots.ts',
    [
      'controller/workqueue/queue-priorities.spec.ts',
      'Ageing in a work queue gives a low key its turn, after ageingMs and at most ten further keys',
    ],
  ),
  yes(
    56,
    'A key that changes often runs when it has been quiet (`debounceMs`), and no later than `maxDebounceMs`',
    'controller/workqueue/queue-pacing.ts',
    [
      'controller/workqueue/queue-pacing.spec.ts',
      'The pace of a queue with debounceMs waits until a key has not been added for that long',
    ],
  ),
  yes(
    57,
    'A queue is drained before it ends, with a deadline and the names of what is left',
    'controller/workqueue/work-queue.ts',
    [
      'controller/workqueue/queue-inspection.spec.ts',
      'RateLimitingQueue drain lets the keys in work end, and drops and reports the others',
    ],
  ),
  yes(
    58,
    'A run knows how often it has failed (`failures`); failing keys are listed with their errors',
    'controller/workqueue/rate-limiting-queue.ts',
    [
      'controller/workqueue/queue-inspection.spec.ts',
      'RateLimitingQueue inspect names the keys that wait, are in work, are delayed or fail, and why',
    ],
  ),
  yes(
    59,
    'An error that ends the retries (`TerminalError`, `terminal`)',
    'controller/runtime/reconcile-error.ts',
    [
      'controller/builder/controller.spec.ts',
      'controller does not retry a TerminalError before the next change',
    ],
  ),
  yes(
    60,
    'A limit on the time of a run; its requests are aborted',
    'controller/runtime/reconcile-run.ts',
    [
      'controller/builder/controller.spec.ts',
      'controller aborts the requests of a run that takes too long, also those without a signal',
    ],
  ),
  yes(
    61,
    'Whatever a reconcile throws or returns is a failure of that object alone',
    'controller/runtime/reconcile-loop.ts',
    [
      'controller/builder/bad-input.spec.ts',
      'a controller with bad input takes any thrown value of a reconcile as a failure of that object',
    ],
  ),
  yes(
    62,
    'Metrics of the queue, under the names of client-go',
    'controller/workqueue/queue-metrics.ts',
    [
      'controller/workqueue/work-queue.spec.ts',
      'WorkQueue counts depth, adds, waiting and working time under its name',
    ],
  ),
];

/** The parts of a controller. */
export const frameworkRows: readonly FeatureRow[] = [
  yes(
    63,
    'A controller is declared: `controller(…).owns(…).watches(…).reconcile(…)`',
    'controller/builder/controller-builder.ts',
    [
      'controller/builder/controller.spec.ts',
      'controller reconciles each object that exists, and each new one',
    ],
  ),
  yes(
    64,
    'A manager starts caches, runnables and controllers in order, and stops them the other way round',
    'controller/manager/manager.ts',
    [
      'controller/manager/manager.spec.ts',
      'Manager starts caches, runnables, controllers, and stops them in the other order',
    ],
  ),
  yes(
    65,
    'Finalizers are added before the first run, and removed after the cleanup, whatever others write meanwhile',
    'controller/helpers/finalizers.ts',
    [
      'controller/helpers/remove-finalizer.spec.ts',
      'removeFinalizer keeps a finalizer that another has added since the object was read',
    ],
  ),
  yes(
    66,
    'Waiting for a condition of an object (`wait`), of a stream (`until`), of a cache',
    'client/rest/helpers/wait-for-object.ts',
    [
      'client/rest/helpers/wait-for-object.spec.ts',
      'ResourceClient.wait follows the object through its creation, changes and deletion, and sees no other',
    ],
  ),
  yes(
    67,
    'Objects that depend on each other are applied in order, and deleted the other way round',
    'controller/helpers/dependents.ts',
    [
      'controller/helpers/dependents.spec.ts',
      'dependents are applied in their order, each when those before it are ready',
    ],
  ),
  yes(
    68,
    'Expectations: a run waits until the cache shows what the last run has written',
    'controller/helpers/expectations.ts',
    [
      'controller/helpers/expectations.spec.ts',
      'expectations are met by the version that was written, a later one, or another object of that name',
    ],
  ),
  yes(
    69,
    'Timers and long tasks for each object (`every`, `daemon`)',
    'controller/helpers/object-daemons.ts',
    [
      'controller/builder/object-tasks.spec.ts',
      'timers and daemons of a controller a daemon runs while its object is there; its signal aborts when it goes',
    ],
  ),
  yes(
    70,
    'The fields that have changed since the last successful run (`remembers`), in memory or in an annotation',
    'controller/helpers/handled-state.ts',
    [
      'controller/builder/run/handled-states.spec.ts',
      'what was handled last gives the fields that have changed since the last run that did not fail',
    ],
  ),
  yes(
    71,
    'A run returns the status and the conditions to be written, which are written if they differ',
    'controller/builder/run/status-writer.ts',
    [
      'controller/builder/run/status-writer.spec.ts',
      'StatusWriter sends a returned status and conditions that differ, and nothing when they are there',
    ],
  ),
  yes(
    72,
    'A server for admission webhooks, validating and mutating, typed from the kinds; certificates are made and renewed',
    'controller/webhook/webhook-server.ts',
    [
      'controller/webhook/webhook-server.spec.ts',
      'WebhookServer changes and refuses objects of a server that it has registered itself at',
    ],
  ),
  yes(
    73,
    'A server for conversion webhooks, through a hub version',
    'controller/webhook/review/conversion-answer.ts',
    [
      'controller/webhook/webhook-server.spec.ts',
      'WebhookServer converts lists of objects, and watches, into another version',
    ],
  ),
  yes(
    74,
    'Probes of health and readiness over HTTP, with each check by name',
    'controller/manager/health-checks.ts',
    [
      'controller/manager/manager-endpoints.spec.ts',
      'The endpoints of a manager fail when a check does, and say which and why',
    ],
  ),
  yes(
    75,
    'Metrics of reconciles: results, durations, errors, workers',
    'controller/runtime/reconcile-loop-metrics.ts',
    [
      'controller/runtime/reconcile-metrics.spec.ts',
      'metrics of a reconcile loop count each failed run, and the success after it',
    ],
  ),
  yes(
    76,
    'One controller stops, with the watches that no other one has',
    'cache/informer/factory/informer-entry.ts',
    [
      'cache/informer/factory/informer-lease.spec.ts',
      'InformerLease starts the informer with the first lease and ends it with the last',
    ],
  ),
  yes(
    77,
    'A definition that comes late, goes and comes again: the controller waits for it, or ends with the reason',
    'cache/informer/options/start-failure.ts',
    [
      'controller/builder/source/controller-sources.spec.ts',
      'the sources of a controller wait for a definition that comes late, goes, and comes again',
    ],
  ),
  yes(
    78,
    'Resources of several clusters in one controller',
    'controller/builder/source/controller-sources.ts',
    [
      'controller/builder/source/controller-sources.spec.ts',
      'the sources of a controller may be of another cluster, whose cache and verbs the context has by its name',
    ],
  ),
];
