import type { Duplex } from 'node:stream';
import { invalidOption, type FilledOptions } from '../../../kernel/options/options-schema.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ResourceRequests } from '../request/resource-requests.ts';
import { stdinStaysOpen } from './pod/explain-pod-failure.ts';
import { FollowedLog } from './logs/follow-log.ts';
import {
  checkLogOptions,
  isFollowed,
  logQuery,
  type FollowLogOptions,
  type LogOptions,
} from './logs/pod-log-options.ts';
import { ChannelProcess, COMMAND_PROTOCOLS, type PodProcess } from './command/pod-process.ts';
import { PodRequests, type PodCall } from './pod/pod-requests.ts';
import {
  ATTACH,
  checkCommand,
  checkPort,
  CONNECT,
  COPY,
  EXEC,
  type AttachOptions,
  type CopyOptions,
  type ExecOptions,
  type ExecResult,
  type SpawnOptions,
  type StreamOptions,
} from './pod/pod-stream-options.ts';
import { portConnection, PORT_PROTOCOLS } from './ports/port-connection.ts';
import {
  forwardPorts,
  PORT_FORWARD,
  type PortForward,
  type PortForwardOptions,
} from './ports/forward-ports.ts';
import { runCommand } from './command/run-command.ts';
import type { CopyReport } from './copy/copy-counts.ts';
import { checkLocalPath, containerPath } from './copy/copy-paths.ts';

type Wants = Pick<AttachOptions, 'stdin' | 'stdout' | 'stderr' | 'tty'>;

/**
 * The streams of pods: logs, commands, ports. The part of `ResourceClient` that is for pods. Each call checks its options before
 * anything is sent.
 */
export class PodStreamCalls {
  readonly #requests: PodRequests;

  /** Use `client.resource`. @internal */
  constructor(requests: ResourceRequests<KubernetesObject>) {
    this.#requests = new PodRequests(requests);
  }

  /** The text that a container has printed. @throws {PodStreamError} code CONTAINER_UNKNOWN, POD_NOT_RUNNING. */
  logs(name: string, options?: LogOptions): Promise<string>;
  /**
   * The lines of a log as they come, until the container ends. After a cut connection the log is read on where it was cut, for up to
   * five minutes; no line comes twice. A carriage return at the end is not part of a line.
   *
   * @example
   * for await (const line of pods.logs('web-0', { follow: true, tailLines: 10 })) console.log(line);
   */
  logs(name: string, options: FollowLogOptions): AsyncGenerator<string, undefined>;
  logs(
    name: string,
    options: LogOptions | FollowLogOptions = {},
  ): Promise<string> | AsyncGenerator<string, undefined> {
    return isFollowed(options) ? this.#followLog(name, options) : this.#log(name, options);
  }

  /**
   * Runs a command in a container, and resolves to what it has printed and its exit code, also one that is not 0. It needs the package
   * `ws`, as all that follow.
   *
   * @example
   * const { exitCode, stdout } = await pods.exec('web-0', ['cat', '/etc/hostname']);
   * @throws {PodStreamError} code CONTAINER_UNKNOWN, POD_NOT_RUNNING, POD_STREAM, STDIN_STAYS_OPEN, RESPONSE_TOO_LARGE
   */
  async exec(
    name: string,
    command: readonly string[],
    options: ExecOptions = {},
  ): Promise<ExecResult> {
    const { stdin, maxOutputBytes, deadPeerMs } = EXEC.read(options);
    checkCommand('exec', command);
    const wants = { stdin: stdin !== undefined };
    const call = this.#commandCall('exec', { name, command, options, wants });
    await using process = await this.#run('exec', call, wants, deadPeerMs);
    const request = this.#requests.request(call);
    return await runCommand(process, { stdin, maxOutputBytes, request });
  }

  /** Starts a command in a container: its streams are read and written while it runs. */
  async spawn(
    name: string,
    command: readonly string[],
    options: SpawnOptions = {},
  ): Promise<PodProcess> {
    const wants = attachOptions('spawn', options);
    checkCommand('spawn', command);
    const call = this.#commandCall('exec', { name, command, options, wants });
    return await this.#run('spawn', call, wants, wants.deadPeerMs);
  }

  /** The streams of what a container runs already. */
  async attach(name: string, options: AttachOptions = {}): Promise<PodProcess> {
    const wants = attachOptions('attach', options);
    const call = this.#commandCall('attach', { name, command: [], options, wants });
    return await this.#run('attach', call, wants, wants.deadPeerMs);
  }

  /**
   * A connection to a port of a pod. Its stream has the error PORT_REFUSED when nothing listens there. `end` sends nothing: the pod sees
   * the end when the stream is destroyed.
   */
  async connect(name: string, port: number, options: StreamOptions = {}): Promise<Duplex> {
    const { deadPeerMs } = CONNECT.read(options);
    checkPort('connect', port);
    return await this.#dial(name, port, options, deadPeerMs);
  }

  /**
   * Makes ports of a pod ports of this machine. Each connection has a WebSocket of its own.
   *
   * @example
   * await using web = await pods.portForward('web-0', { port: 8080 });
   * await fetch(`http://127.0.0.1:${web.localPort}/`);
   * @throws {PodStreamError} code POD_NOT_RUNNING for a pod that has ended. {ListwatchError} code PORT_IN_USE, LISTEN_FAILED
   */
  async portForward(name: string, options: PortForwardOptions): Promise<PortForward> {
    const { deadPeerMs } = PORT_FORWARD.read(options);
    const { runtime, logger } = this.#requests;
    await this.#requests.checkRuns(name, options);
    const dial = (port: number, signal: AbortSignal): Promise<Duplex> =>
      this.#dial(name, port, { ...options, signal }, deadPeerMs);
    return await forwardPorts({ options, runtime, logger, dial });
  }

  /**
   * Copies a file or a folder out of a container, as `kubectl cp` does: `to` is what the copy is called. The container needs the program
   * `tar`. Its archive is not trusted: nothing is written outside of `to`, and no link is made or followed.
   *
   * @example
   * await pods.copyFrom('web-0', '/var/log/nginx', './logs');
   * @throws {PodStreamError} code COPY_FAILED, RESPONSE_TOO_LARGE above `maxBytes` or `maxFiles`, and what `exec` throws
   */
  async copyFrom(
    name: string,
    from: string,
    to: string,
    options: CopyOptions = {},
  ): Promise<CopyReport> {
    const { deadPeerMs, links, maxBytes, maxFiles } = COPY.read(options, 'copyFrom');
    const bounds = { links, maxBytes, maxFiles };
    const remote = containerPath('copyFrom', from);
    checkLocalPath('copyFrom', to);
    // Loaded when it is used: most programs copy no files.
    const { copyFromPod, packCommand } = await import('./copy/copy-files.ts');
    const call = this.#commandCall('exec', {
      name,
      command: packCommand(remote),
      options,
      wants: {},
    });
    await using process = await this.#run('spawn', call, {}, deadPeerMs);
    const request = this.#requests.request(call);
    return await copyFromPod({ process, local: to, remote, bounds, request });
  }

  /** Copies a file or a folder of this machine into a container. The folder above `to` has to exist. @throws as `copyFrom` */
  async copyTo(
    name: string,
    from: string,
    to: string,
    options: CopyOptions = {},
  ): Promise<CopyReport> {
    const { deadPeerMs, links, maxBytes, maxFiles } = COPY.read(options, 'copyTo');
    const bounds = { links, maxBytes, maxFiles };
    const remote = containerPath('copyTo', to);
    checkLocalPath('copyTo', from);
    const wants = { stdin: true };
    const { copyToPod, unpackCommand } = await import('./copy/copy-files.ts');
    const command = unpackCommand(remote);
    const call = this.#commandCall('exec', { name, command, options, wants });
    await using process = await this.#run('exec', call, wants, deadPeerMs);
    const request = this.#requests.request(call);
    return await copyToPod({ process, local: from, remote, bounds, request });
  }

  async #log(name: string, options: LogOptions): Promise<string> {
    checkLogOptions(options);
    const query = logQuery(options);
    const { container } = options;
    const call: PodCall = { name, subresource: 'log', query, container, options };
    return (await this.#requests.wholeLog(call)).toString('utf8');
  }

  async *#followLog(name: string, options: FollowLogOptions): AsyncGenerator<string, undefined> {
    checkLogOptions(options);
    const query = new URLSearchParams();
    const { container } = options;
    const call: PodCall = { name, subresource: 'log', query, container, options };
    yield* new FollowedLog(this.#requests, call, options).lines();
  }

  async #dial(
    name: string,
    port: number,
    options: StreamOptions,
    deadPeerMs: number,
  ): Promise<Duplex> {
    const { namespace, signal } = options;
    const query = new URLSearchParams({ ports: String(port) });
    const subresource = 'portforward';
    const call: PodCall = { name, subresource, query, options: { namespace, signal } };
    const socket = await this.#requests.open(call, { protocols: PORT_PROTOCOLS, deadPeerMs });
    return portConnection({ socket, requests: this.#requests, call, port });
  }

  #commandCall(
    subresource: 'exec' | 'attach',
    parts: {
      readonly name: string;
      readonly command: readonly string[];
      readonly options: AttachOptions | ExecOptions | CopyOptions;
      readonly wants: Wants;
    },
  ): PodCall {
    const { name, command, options, wants } = parts;
    const { container, namespace, signal } = options;
    const { stdin = false, stdout = true, stderr = true, tty = false } = wants;
    const query = new URLSearchParams();
    if (container !== undefined && container !== '') query.set('container', container);
    for (const word of command) query.append('command', word);
    for (const [flag, wanted] of Object.entries({ stdin, stdout, stderr: stderr && !tty, tty })) {
      if (wanted) query.set(flag, 'true');
    }
    return { name, subresource, query, container, options: { namespace, signal } };
  }

  async #run(
    owner: string,
    call: PodCall,
    wants: Wants,
    deadPeerMs: number,
  ): Promise<ChannelProcess> {
    const requests = this.#requests;
    const socket = await requests.open(call, { protocols: COMMAND_PROTOCOLS, deadPeerMs });
    const process = new ChannelProcess({ socket, requests, call, wants });
    // A command that waits for the end of its input would never end.
    if (owner === 'exec' && wants.stdin === true && !process.endsInput) {
      const error = stdinStaysOpen(socket, requests.request(call));
      process.destroy(error);
      throw error;
    }
    return process;
  }
}

/** @throws {ListwatchError} code INVALID_OPTION. */
function attachOptions(
  owner: string,
  given: AttachOptions,
): FilledOptions<AttachOptions, keyof Wants | 'deadPeerMs'> {
  const options = ATTACH.read(given, owner);
  const { stdin, stdout, stderr, tty } = options;
  if (stdin || stdout || (stderr && !tty)) return options;
  throw invalidOption(owner, 'at least one of "stdin", "stdout" and "stderr" must be true');
}
