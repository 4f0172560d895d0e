import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { TargetOptions } from '../compare/target/target.ts';

type Curl = ChildProcessByStdio<Writable, Readable, Readable>;

/** The program as a client names it; both servers print JSON for people if they see curl's own name. */
const AGENT = 'listwatch-bench';
const NEWLINE = 0x0a;

/**
 * A client that takes little of the processor: where the servers and their client share two cores, its work is part of each figure. curl
 * sends the requests, and this process only counts lines. One request differs from the next in a parameter that no server reads.
 */
export class CurlClient implements AsyncDisposable {
  readonly #options: TargetOptions;
  readonly #folder: string;
  readonly #running = new Set<Curl>();
  #isStopped = false;

  private constructor(options: TargetOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
  }

  static async open(options: TargetOptions): Promise<CurlClient> {
    const folder = await mkdtemp(join(tmpdir(), 'listwatch-curl-'));
    if (options.ca !== undefined) await writeFile(join(folder, 'ca.crt'), options.ca);
    return new CurlClient(options, folder);
  }

  /** Posts a document again and again. @throws unless each answer is 201. */
  async post(path: string, document: object, count: number, inFlight: number): Promise<void> {
    const body = join(this.#folder, 'body.json');
    await writeFile(body, JSON.stringify(document));
    const lines = [`data = "@${body}"`, 'header = "content-type: application/json"'];
    await this.#each(path, { count, inFlight, status: 201, lines });
  }

  /** Reads a collection again and again. @throws unless each answer is 200. */
  async get(path: string, count: number): Promise<void> {
    await this.#each(path, { count, inFlight: 1, status: 200, lines: [] });
  }

  /** Opens watches, each with a connection of its own. */
  watch(path: string, count: number): CurlWatches {
    return new CurlWatches(
      this.#start(`${path}&n=[1-${count}]`, [
        'parallel',
        'parallel-immediate',
        `parallel-max = ${count}`,
        'no-buffer',
      ]),
    );
  }

  /** Ends what is under way, which fails, and starts nothing more. */
  stop(): void {
    this.#isStopped = true;
    for (const curl of this.#running) curl.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #each(
    path: string,
    options: {
      readonly count: number;
      readonly inFlight: number;
      readonly status: number;
      readonly lines: readonly string[];
    },
  ): Promise<void> {
    const { count, inFlight, status, lines } = options;
    const mark = path.includes('?') ? '&' : '?';
    const parallel = inFlight > 1 ? ['parallel', `parallel-max = ${inFlight}`] : [];
    const curl = this.#start(`${path}${mark}n=[1-${count}]`, [
      'output = "/dev/null"',
      'write-out = "%{http_code}\\n"',
      ...parallel,
      ...lines,
    ]);
    const [codes, errors] = await Promise.all([textOf(curl.stdout), textOf(curl.stderr)]);
    const wrong = codes.split('\n').filter((code) => code !== '' && code !== String(status));
    const answers = codes.split('\n').length - 1;
    if (wrong.length === 0 && answers === count) return;
    throw new Error(`${path}: ${answers} answers, ${wrong.length} not ${status} ${errors}`);
  }

  #start(path: string, lines: readonly string[]): Curl {
    if (this.#isStopped) throw new Error(`${path}: the client was stopped`);
    const { server, token, ca } = this.#options;
    // The token goes through a pipe: the arguments of a process are visible to all.
    const config = [
      'silent',
      'show-error',
      'http1.1',
      `user-agent = "${AGENT}"`,
      ...(token === undefined ? [] : [`header = "authorization: Bearer ${token}"`]),
      ca === undefined ? 'insecure' : `cacert = "${join(this.#folder, 'ca.crt')}"`,
      ...lines,
      `url = "${server}${path}"`,
    ];
    const curl = spawn('curl', ['--disable', '--config', '-'], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#running.add(curl);
    curl.on('close', () => this.#running.delete(curl));
    curl.on('error', (error) => {
      throw new Error(`curl does not start: install it (${error.message})`);
    });
    curl.stdin.end(config.join('\n'));
    return curl;
  }
}

/** Watches of one process of curl. */
export class CurlWatches implements AsyncDisposable {
  readonly #curl: Curl;
  readonly #closed: Promise<unknown>;
  #errors = '';
  #events = 0;
  #wanted = Infinity;
  #wake = (): void => {};

  constructor(curl: Curl) {
    this.#curl = curl;
    this.#closed = once(curl, 'close');
    curl.stderr.on('data', (bytes: Buffer) => {
      this.#errors = String(bytes);
    });
    curl.stdout.on('data', (bytes: Buffer) => {
      this.#count(bytes);
    });
  }

  /** Resolves when so many events have arrived in all watches together. @throws when one of them ends before. */
  async until(events: number): Promise<void> {
    if (this.#events >= events) return;
    this.#wanted = events;
    const reached = new Promise<void>((resolve) => (this.#wake = resolve));
    const ended = this.#closed.then(() => {
      throw new Error(`a watch ended after ${this.#events} events ${this.#errors}`);
    });
    await Promise.race([reached, ended]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#curl.kill();
    await this.#closed;
  }

  #count(bytes: Buffer): void {
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
      this.#events += 1;
    }
    if (this.#events >= this.#wanted) this.#wake();
  }
}

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}
