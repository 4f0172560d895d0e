import { numberOption, rejectUnknownOptions } from '../../kernel/options/options.ts';
import type { Timeouts } from './contract/timeouts.ts';

export type ResolvedTimeouts = Required<{ readonly [Name in keyof Timeouts]: number }> & {
  /** The limit for the headers of a stream. */
  readonly streamHeadersMs: number;
};

const HEADERS_MS = 75_000;

/**
 * A server sends the headers of a stream without a pause. After this time, milliseconds, it counts as unreachable. If a proxy
 * holds headers back until there is an event, the stream is opened again, and no event is lost.
 */
const STREAM_HEADERS_MS = 30_000;

/** Fills in the defaults. @throws {ListwatchError} code INVALID_OPTION naming the limit. */
export function resolveTimeouts(owner: string, timeouts: Timeouts): ResolvedTimeouts {
  rejectUnknownOptions(`${owner}: timeouts`, timeouts, [
    'connectMs',
    'headersMs',
    'idleMs',
    'totalMs',
  ]);
  const limit = (name: keyof Timeouts, fallback: number): number =>
    numberOption(owner, `timeouts.${name}`, timeouts[name], fallback, { min: 1 });
  return {
    connectMs: limit('connectMs', 10_000),
    headersMs: limit('headersMs', HEADERS_MS),
    streamHeadersMs: limit('headersMs', STREAM_HEADERS_MS),
    idleMs: limit('idleMs', 30_000),
    totalMs: limit('totalMs', Infinity),
  };
}
