import type { Logger } from '../../kernel/logger.ts';
import { numberOption } from '../../kernel/options.ts';
import type { Runtime } from '../../kernel/runtime.ts';

/** How long to wait. */
export interface UntilOptions {
  /** Longest wait, milliseconds. The error then says which condition was waited for. @defaultValue none */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait, which then rejects with its reason. */
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
  /** Events begin behind it; see `RetryWatcher`. */
  readonly resourceVersion: string;
  /** Gets failures that are tried again. @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
}
