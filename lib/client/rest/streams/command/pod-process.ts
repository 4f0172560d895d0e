import { Readable, Writable } from 'node:stream';
import { ListwatchError } from '../../../../kernel/failure/errors.ts';
import { deferred } from '../../../../kernel/time/latch.ts';
import type { MessageSocket } from '../../../transport/contract/message-socket.ts';
import { ChannelStreams } from '../pod/channel-streams.ts';
import { ExitStatus } from './exit-status.ts';
import { stdinStaysOpen } from '../pod/explain-pod-failure.ts';
import type { PodCall, PodRequests } from '../pod/pod-requests.ts';
import type { AttachOptions } from '../pod/pod-stream-options.ts';

/**
 * A command that runs in a container.
 *
 * Read both outputs, or ask for one of them only: an output with 64 KiB unread holds up the other. An error is thrown by `exited`, and by
 * the loops that read; an output that is not read does not throw.
 */
export interface PodProcess extends AsyncDisposable {
  /** `end` ends the input. A server before Kubernetes 1.30 cannot do that; it gives the error STDIN_STAYS_OPEN. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * The exit code; 0 for what was attached to.
   * @throws {PodStreamError} POD_STREAM, POD_NOT_RUNNING. {TransportError} when the connection breaks. {ListwatchError} CLOSED after
   * `close`; the signal's reason.
   */
  readonly exited: Promise<number>;
  /** Sets the size of the terminal, in characters. @throws {ListwatchError} code INVALID_OPTION. */
  resize(columns: number, rows: number): Promise<void>;
  /** Ends the connection. Most runtimes let the command run on. */
  close(): Promise<void>;
}

const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, status: 3, size: 4 } as const;
const V5 = 'v5.channel.k8s.io';
/** The subprotocols of commands, the best first. */
export const COMMAND_PROTOCOLS: readonly string[] = [V5, 'v4.channel.k8s.io'];

interface ProcessParts {
  readonly socket: MessageSocket;
  readonly requests: PodRequests;
  readonly call: PodCall;
  readonly wants: Pick<AttachOptions, 'stdin' | 'stdout' | 'stderr' | 'tty'>;
}

export class ChannelProcess implements PodProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #parts: ProcessParts;
  readonly #streams: ChannelStreams;
  readonly #exited = deferred<number>();
  readonly #closed = deferred<void>();
  #over = false;

  constructor(parts: ProcessParts) {
    this.#parts = parts;
    const { socket, requests, call, wants } = parts;
    const streams = new ChannelStreams(socket);
    this.#streams = streams;
    this.stdin =
      wants.stdin === true ? streams.writable(CHANNEL.stdin, () => this.#endInput()) : noInput();
    this.stdout = wants.stdout === false ? noOutput() : streams.readable(CHANNEL.stdout);
    const separate = wants.stderr !== false && wants.tty !== true;
    this.stderr = separate ? streams.readable(CHANNEL.stderr) : noOutput();
    this.#exited.promise.catch(() => {});
    const status = new ExitStatus(requests.request(call));
    streams.onMessage(CHANNEL.status, (content) => this.#result(status, content));
    streams.start((error) => {
      this.#closed.resolve();
      this.#fail(error ?? status.unfinished());
    });
  }

  get exited(): Promise<number> {
    return this.#exited.promise;
  }

  /** Whether the end of the input can be sent. */
  get endsInput(): boolean {
    return this.#parts.socket.protocol === V5;
  }

  async resize(columns: number, rows: number): Promise<void> {
    for (const size of [columns, rows]) {
      if (Number.isInteger(size) && size > 0 && size <= 65_535) continue;
      const problem = `columns and rows must be whole numbers from 1 to 65535, not ${String(size)}`;
      throw new ListwatchError('INVALID_OPTION', `resize: ${problem}`);
    }
    const size = JSON.stringify({ Width: columns, Height: rows });
    await this.#streams.send(CHANNEL.size, Buffer.from(size));
  }

  /** Ends it with an error. */
  destroy(error: unknown): void {
    this.#settle(() => {
      this.#streams.end(error);
      this.#exited.reject(error);
    });
    this.#parts.socket.destroy(error);
  }

  async close(): Promise<void> {
    this.#settle(() => {
      const error = new ListwatchError('CLOSED', 'the stream to the pod was closed by its owner');
      this.#streams.end(error);
      this.#exited.reject(error);
    });
    this.#parts.socket.end();
    await this.#closed.promise;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #result(status: ExitStatus, content: Buffer): void {
    try {
      const code = status.take(content);
      if (code === undefined) return;
      this.#settle(() => {
        this.#streams.end();
        this.#exited.resolve(code);
      });
    } catch (error) {
      this.#fail(error);
    }
    // Nothing comes after the result. Servers close the socket too.
    this.#parts.socket.end();
  }

  /** The pod is looked at for the cause first; the streams fail together with `exited`. */
  #fail(error: unknown): void {
    this.#settle(() => void this.#failWithCause(error));
  }

  async #failWithCause(error: unknown): Promise<void> {
    const { requests, call } = this.#parts;
    const cause = await requests.explain(error, call);
    this.#streams.end(cause);
    this.#exited.reject(cause);
  }

  #settle(end: () => void): void {
    if (this.#over) return;
    this.#over = true;
    end();
  }

  async #endInput(): Promise<void> {
    const { socket, requests, call } = this.#parts;
    if (!this.endsInput) throw stdinStaysOpen(socket, requests.request(call));
    await this.#streams.sendEnd(CHANNEL.stdin);
  }
}

function noOutput(): Readable {
  return new Readable({
    read(): void {
      this.push(null);
    },
  });
}

function noInput(): Writable {
  const refuse = (done: (error: Error) => void): void =>
    done(new ListwatchError('INVALID_OPTION', 'the command gets no input; set option "stdin"'));
  const stream = new Writable({ write: (_chunk, _encoding, done) => refuse(done) });
  stream.on('error', () => {});
  return stream;
}
