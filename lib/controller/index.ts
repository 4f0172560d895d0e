export { workQueueMetrics } from './workqueue/work-queue-metrics.ts';
export { WorkItem } from './workqueue/work-item.ts';
export {
  WorkQueue,
  type CloseQueueOptions,
  type TakeOptions,
  type WorkQueueOptions,
} from './workqueue/work-queue.ts';
export { DelayingQueue } from './workqueue/delaying-queue.ts';
export {
  RateLimitingQueue,
  type RateLimitingQueueOptions,
} from './workqueue/rate-limiting-queue.ts';
export type { RateLimiter } from './workqueue/rate-limiter.ts';
export {
  ItemExponentialRateLimiter,
  type ItemExponentialRateLimiterOptions,
} from './workqueue/item-exponential-rate-limiter.ts';
export {
  BucketRateLimiter,
  type BucketRateLimiterOptions,
} from './workqueue/bucket-rate-limiter.ts';
export { MaxOfRateLimiter } from './workqueue/max-of-rate-limiter.ts';
export { clientGoRateLimiter, defaultRateLimiter } from './workqueue/rate-limiter-presets.ts';
export {
  ReconcileLoop,
  type Reconcile,
  type ReconcileContext,
  type ReconcileLoopOptions,
  type ReconcileRequest,
  type ReconcileResult,
  type RunReconcilesOptions,
} from './runtime/reconcile-loop.ts';
export { reconcileLoopMetrics } from './runtime/reconcile-loop-metrics.ts';
export { ReconcileError, TerminalError, type ReconcileFailure } from './runtime/reconcile-error.ts';
