export { abortable, deriveAbort, onAbort, type DerivedAbort } from './time/abort.ts';
export { assert, expensiveChecksEnabled, setExpensiveChecks } from './failure/assert.ts';
export { Backoff, type BackoffOptions } from './time/backoff.ts';
export { BatchChannel, type BatchChannelOptions } from './data/batch-channel.ts';
export {
  ConsoleLogger,
  consoleLogger,
  type ConsoleLoggerOptions,
} from './report/console-logger.ts';
export {
  errorCodes,
  errorMessage,
  isListwatchError,
  ListwatchError,
  type ErrorCode,
  type ErrorOptions,
} from './failure/errors.ts';
export { deferred, Latch, type Deferred } from './time/latch.ts';
export { Lazy } from './data/lazy.ts';
export { silentLogger, type LogFields, type Logger } from './report/logger.ts';
export {
  silentMetrics,
  type MetricDescription,
  type MetricLabels,
  type Metrics,
} from './report/metrics.ts';
export { randomInteger, randomText, randomUuid, seededRandom } from './time/random.ts';
export { realRuntime } from './time/real-runtime.ts';
export { RingBuffer } from './data/ring-buffer.ts';
export type { Runtime, Timer, TimerOptions } from './time/runtime.ts';
export {
  VirtualRuntime,
  type RunOptions,
  type VirtualRuntimeOptions,
} from './time/virtual-runtime.ts';
export {
  sleep,
  untilOpen,
  withDeadline,
  type DeadlineOptions,
  type SleepOptions,
} from './time/wait.ts';
