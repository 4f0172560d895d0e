import { is, type OptionRule } from '../../../kernel/options/options-schema.ts';

/**
 * Which requests use HTTP/2.
 *
 * - `'auto'`: new streams, while more than 100 of them are open. Everything else uses HTTP/1.1, where each stream has a
 *   connection of its own.
 * - `true`: every request. `false`: none.
 * - `'prior-knowledge'`: every request, also over `http://`, where the server is not asked whether it speaks HTTP/2.
 *
 * Except for the last one, HTTP/1.1 is used where TLS does not agree on HTTP/2.
 */
export type Http2Option = 'auto' | boolean | 'prior-knowledge';

/** Open streams above which `'auto'` uses HTTP/2 for new ones. Below it, a connection for each costs less time for an event. */
const MANY_STREAMS = 100;

export const HTTP2: OptionRule<Http2Option, undefined> = is.oneOf(
  'auto',
  true,
  false,
  'prior-knowledge',
);

export interface ProtocolQuestion {
  /** Whether the server speaks TLS. */
  readonly secure: boolean;
  /** Whether the request is a stream. */
  readonly stream: boolean;
  /** The streams that are open, with this one. */
  readonly openStreams: number;
}

/** Whether a request should use HTTP/2. */
export function prefersHttp2(
  option: Http2Option,
  { secure, stream, openStreams }: ProtocolQuestion,
): boolean {
  if (option === 'prior-knowledge') return true;
  if (!secure || option === false) return false;
  return option === true || (stream && openStreams > MANY_STREAMS);
}
