import type { Logger } from '../../kernel/report/logger.ts';
import { numberOption } from '../../kernel/options/options.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

/** The limits of a wait. */
export interface UntilOptions {
  /** The longest wait, milliseconds. The error names the condition. @defaultValue none */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait; the promise rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface UntilEventOptions extends UntilOptions {
  /** Measures `timeoutMs`. @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
}

/** @throws {ListwatchError} code INVALID_OPTION. */
export function checkedTimeout(timeoutMs: number | undefined): number | undefined {
  if (timeoutMs === undefined) return undefined;
  const checked = numberOption('until', 'timeoutMs', timeoutMs, 0, { min: 0 });
  return checked === Infinity ? undefined : checked;
}

export interface UntilWatchOptions extends UntilEventOptions {
  /** Events begin after this version; see `RetryWatcher`. */
  readonly resourceVersion: string;
  /** Gets failures after which the watch is tried again. @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
}
