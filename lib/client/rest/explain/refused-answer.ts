import type { FailedRequest } from '../../../meta/api-call.ts';
import type { Status } from '../../../meta/failure/status.ts';

/** An answer that is not 2xx, with what is known about it. */
export interface RefusedAnswer {
  /** As the server sent it; made from the HTTP status if the answer has none. */
  readonly status: Status;
  /** The server's own words on one line, of bounded length; empty if it has none. */
  readonly words: string;
  readonly request: FailedRequest;
  /** The credential that the request presented; undefined for none. */
  readonly credential: string | undefined;
  /** The answer is not a Status. */
  readonly foreign: boolean;
  /** The answer is an HTML page. */
  readonly html: boolean;
  /** The name in the `server` header, on one line. */
  readonly sender: string;
}
