import { ListwatchError, type ErrorCode } from '../../../../kernel/failure/errors.ts';
import { withRemedy } from '../../../../meta/failure/api-error.ts';
import { describeRequest, type FailedRequest } from '../../../../meta/api-call.ts';

export type PodStreamErrorCode = Extract<
  ErrorCode,
  | 'CONTAINER_UNKNOWN'
  | 'COPY_FAILED'
  | 'POD_NOT_RUNNING'
  | 'POD_STREAM'
  | 'PORT_REFUSED'
  | 'STDIN_STAYS_OPEN'
  | 'RESPONSE_TOO_LARGE'
  | 'SUBPROTOCOL'
>;

export interface PodFailure {
  readonly code: PodStreamErrorCode;
  /** The cause, on one line. */
  readonly problem: string;
  /** The remedy, on the same line. */
  readonly remedy: string;
}

/** A stream to a pod that cannot be had, or has failed. Its message is one line: the request, the cause and the remedy. */
export class PodStreamError extends ListwatchError {
  declare readonly code: PodStreamErrorCode;
  readonly request: FailedRequest;
  // `inspect` does not show private fields, which the message has already.
  readonly #failure: PodFailure;

  constructor(failure: PodFailure, request: FailedRequest, cause?: unknown) {
    const { code, problem, remedy } = failure;
    super(code, `${describeRequest(request)}: ${withRemedy(problem, remedy)}`, { cause });
    this.request = request;
    this.#failure = failure;
  }

  get problem(): string {
    return this.#failure.problem;
  }

  get remedy(): string {
    return this.#failure.remedy;
  }
}
