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
export { providePeer, type PeerModule } from './options/optional-peer.ts';
export { silentLogger, type LogFields, type Logger } from './report/logger.ts';
export type { MetricLabels, Metrics } from './report/metrics.ts';
export {
  pinoLogger,
  type FieldsFirstLogger,
} from './report/pino-logger.ts';
export type {
  Span,
  SpanAttributes,
  SpanContext,
  SpanOptions,
  Tracer,
  TraceState,
} from './report/tracer.ts';
export { winstonLogger, type WinstonLike } from './report/winston-logger.ts';
export { realRuntime } from './time/real-runtime.ts';
export type { Runtime, Timer, TimerOptions } from './time/runtime.ts';
export {
  VirtualRuntime,
  type RunOptions,
  type VirtualRuntimeOptions,
} from './time/virtual-runtime.ts';
export { sleep, withDeadline, type DeadlineOptions, type SleepOptions } from './time/wait.ts';
