import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import type { Timeouts } from './contract/timeouts.ts';

export type ResolvedTimeouts = Required<{ readonly [Name in keyof Timeouts]: number }> & {
  /** The limit for the headers of a stream. */
  readonly streamHeadersMs: number;
};

/**
 * A server sends the headers of a stream without a pause. After this time, milliseconds, it counts as unreachable. If a proxy
 * holds headers back until there is an event, the stream is opened again, and no event is lost.
 */
const STREAM_HEADERS_MS = 30_000;

const limit = is.number({ min: 1 });
const OPTIONS = optionsOf<Timeouts>()('timeouts', {
  connectMs: limit.default(10_000),
  headersMs: limit.default(75_000),
  idleMs: limit.default(30_000),
  totalMs: limit.default(Infinity),
});

/** Fills in the defaults. @throws {ListwatchError} code INVALID_OPTION naming the limit. */
export function resolveTimeouts(owner: string, timeouts: Timeouts): ResolvedTimeouts {
  const read = OPTIONS.read(timeouts, owner, 'timeouts.');
  return { ...read, streamHeadersMs: timeouts.headersMs ?? STREAM_HEADERS_MS };
}
