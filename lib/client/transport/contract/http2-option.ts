import { ListwatchError } from '../../../kernel/failure/errors.ts';

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

/** @throws {ListwatchError} code INVALID_OPTION. */
export function checkedHttp2Option(owner: string, option: unknown = 'auto'): Http2Option {
  if (typeof option === 'boolean' || option === 'auto' || option === 'prior-knowledge') {
    return option;
  }
  const problem = `option "http2" must be 'auto', true, false or 'prior-knowledge'`;
  throw new ListwatchError('INVALID_OPTION', `${owner}: ${problem}`);
}

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
