import { isListwatchError } from '../../../../kernel/failure/errors.ts';
import { plainCause } from '../../../../kernel/text/plain-text.ts';
import { ApiError } from '../../../../meta/failure/api-error.ts';
import { quotedName, type FailedRequest } from '../../../../meta/api-call.ts';
import type { MessageSocket } from '../../../transport/contract/message-socket.ts';
import { PodStreamError, type PodFailure } from './pod-stream-error.ts';
import { containerNames, whyNotRunning, type PodFields } from './pod-state.ts';

/** The state of a pod after its stream has failed. */
export type FoundPod = PodFields | 'gone' | 'unknown';

export interface FailedStream {
  readonly error: unknown;
  readonly request: FailedRequest;
  readonly container: string | undefined;
  /** Reads the pod, for a short time only. */
  readonly look: () => Promise<FoundPod>;
}

/** A container that the server did not find, in the words of kube-apiserver and of a kubelet. */
const NO_CONTAINER =
  /^container \S+ is not valid for pod|^a container name must be specified|container not found|container "?\S+"? not found in pod/;
const SEVERAL = /^a container name must be specified/;
const NOT_STARTED = /is waiting to start|does not have a host assigned|is terminated|not running/;
const LONGEST_WORDS = 190;
/** The answer of a server whose proxy has removed the upgrade from the request. */
const NO_UPGRADE = 'Upgrade request required';
const NOT_UPGRADED: PodFailure = {
  code: 'SUBPROTOCOL',
  problem: 'the request did not arrive as a WebSocket',
  remedy:
    'connect to the address of a server that listens, not in process, and check the proxies in front of it',
};
const START = 'wait until the pod is Ready, or choose one that runs';

/** The error that says why: of a container that is unknown, of a pod that does not run, otherwise `error` itself. */
export async function explainPodFailure(failed: FailedStream): Promise<unknown> {
  const { error, request, container, look } = failed;
  if (!mayBeThePod(error, request.name)) return error;
  const words = error instanceof ApiError ? (error.status.message ?? '') : '';
  if (words === NO_UPGRADE) return new PodStreamError(NOT_UPGRADED, request, error);
  const pod = await look();
  const failure = NO_CONTAINER.test(words)
    ? unknownContainer(words, container, pod)
    : notRunning(words, container, pod, !(error instanceof ApiError));
  return failure === undefined ? error : new PodStreamError(failure, request, error);
}

/** Whether an error can come from the state of a pod. */
function mayBeThePod(error: unknown, name: string | undefined): boolean {
  if (error instanceof ApiError) {
    const { code, status } = error;
    // The answer about a node that does not exist has the kind of a pod, and the name of the node.
    if (code === 'NOT_FOUND') return status.details?.name !== name;
    return code === 'BAD_REQUEST' || code === 'INTERNAL_ERROR' || code === 'UNKNOWN_STATUS';
  }
  return (
    isListwatchError(error, 'CONNECTION_FAILED') ||
    isListwatchError(error, 'STREAM_IDLE') ||
    isListwatchError(error, 'POD_STREAM')
  );
}

function unknownContainer(
  words: string,
  container: string | undefined,
  pod: FoundPod,
): PodFailure | undefined {
  const known = typeof pod === 'string' ? [] : containerNames(pod);
  // A kubelet says the same about a container that has ended.
  const exists = container !== undefined && known.includes(quotedName(container));
  if (exists) return notRunning(words, container, pod, false);
  const list = known.join(', ');
  const remedy =
    known.length === 0
      ? 'correct the option "container"'
      : `set the option "container" to one of ${list}`;
  const problem = SEVERAL.test(words)
    ? 'the pod has several containers, and none was named'
    : `the pod has no container ${quotedName(container ?? '')}`;
  return { code: 'CONTAINER_UNKNOWN', problem, remedy };
}

/** `started`: whether the stream had begun, so that the container can only have ended. */
function notRunning(
  words: string,
  container: string | undefined,
  pod: FoundPod,
  started: boolean,
): PodFailure | undefined {
  const code = 'POD_NOT_RUNNING';
  if (pod === 'gone') return { code, problem: 'the pod no longer exists', remedy: START };
  const seen = pod === 'unknown' ? undefined : whyNotRunning(pod, container, started);
  if (seen !== undefined) return { code, problem: seen, remedy: START };
  if (!NOT_STARTED.test(words)) return undefined;
  return { code, problem: plainCause(words, LONGEST_WORDS), remedy: START };
}

/** The failure of a pod whose phase says that it has ended. */
export function hasEnded(pod: PodFields): PodFailure | undefined {
  const phase = pod.status?.['phase'];
  return phase === 'Succeeded' || phase === 'Failed'
    ? notRunning('', undefined, pod, true)
    : undefined;
}

/** The error for the words of a node that could not connect to a port. */
export function portFailure(words: string, port: number, request: FailedRequest): PodStreamError {
  const said = plainCause(words, LONGEST_WORDS);
  if (/connection refused/i.test(words)) {
    const problem = `nothing listens on port ${port} of the pod (${said})`;
    const remedy = 'correct the port, or wait until the program listens on it';
    return new PodStreamError({ code: 'PORT_REFUSED', problem, remedy }, request);
  }
  const problem = `the node could not connect to port ${port}: ${said}`;
  const remedy = 'check that the pod runs, and try again';
  return new PodStreamError({ code: 'POD_STREAM', problem, remedy }, request);
}

/** The error of a server without the fifth version of the subprotocol, when the input has an end. */
export function stdinStaysOpen(
  { protocol }: MessageSocket,
  request: FailedRequest,
): PodStreamError {
  const problem = `the server speaks ${protocol}, in which stdin cannot be ended`;
  const remedy =
    'use a server of Kubernetes 1.30 or later, or a command that does not wait for the end';
  return new PodStreamError({ code: 'STDIN_STAYS_OPEN', problem, remedy }, request);
}
