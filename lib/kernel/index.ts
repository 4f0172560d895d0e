export { abortable, deriveAbort, onAbort, type DerivedAbort } from './abort.ts';
export { assert, expensiveChecksEnabled, setExpensiveChecks } from './assert.ts';
export { Backoff, type BackoffOptions } from './backoff.ts';
export { BatchChannel, type BatchChannelOptions } from './batch-channel.ts';
export { ConsoleLogger, consoleLogger, type ConsoleLoggerOptions } from './console-logger.ts';
export {
  errorCodes,
  errorMessage,
  isListwatchError,
  ListwatchError,
  type ErrorCode,
  type ErrorOptions,
} from './errors.ts';
export { deferred, Latch, type Deferred } from './latch.ts';
export { Lazy } from './lazy.ts';
export { silentLogger, type LogFields, type Logger } from './logger.ts';
export {
  silentMetrics,
  type MetricDescription,
  type MetricLabels,
  type Metrics,
} from './metrics.ts';
export { randomInteger, randomText, randomUuid, seededRandom } from './random.ts';
export { realRuntime } from './real-runtime.ts';
export { RingBuffer } from './ring-buffer.ts';
export type { Runtime, Timer, TimerOptions } from './runtime.ts';
export { VirtualRuntime, type RunOptions, type VirtualRuntimeOptions } from './virtual-runtime.ts';
export { sleep, untilOpen, withDeadline, type DeadlineOptions, type SleepOptions } from './wait.ts';
