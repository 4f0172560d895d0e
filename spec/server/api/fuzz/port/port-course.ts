import { readdirSync, readlinkSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import type { IncomingMessage } from 'node:http';
import { Draw } from '../../../../compare/draw.ts';
import { drawHttp2 } from './draw-http2.ts';
import { drawExchange } from './draw-raw.ts';
import { answerOf, ask, type PortTarget } from './port-target.ts';
import { HANG_MS, runHttp2, runRaw, type Outcome } from './run-exchange.ts';

export interface PortTally {
  inputs: number;
  connections: number;
  /** Answers by status; 2 counts those of HTTP/2 that are no 500. */
  readonly statuses: Map<number, number>;
}

export interface PortCourseOptions {
  readonly target: PortTarget;
  readonly seed: string;
  /** Connections at a time. */
  readonly connections: number;
  /** Of the server's process, bytes. */
  readonly mostMemoryBytes: number;
}

/** Longer than any run: a watch without a time of its own ends after half an hour or later. */
const WATCH_SECONDS = 7 * 24 * 3600;
const CANARY = '/api/v1/namespaces/canary/configmaps';
/** Sockets that the server may hold besides those of the start, e.g. for the watch of this course. */
const SPARE_SOCKETS = 8;
/** Sockets of clients that left, which the server may hold until it has noticed. */
const LEFT_SOCKETS = 1_000;

/**
 * Sends bytes over real connections to a server, several at a time, and checks after each batch that the server is as well as before:
 * an object that no input names is unchanged, a watch still delivers, memory and sockets are bounded.
 */
export class PortCourse implements AsyncDisposable {
  readonly tally: PortTally = { inputs: 0, connections: 0, statuses: new Map() };
  readonly #options: PortCourseOptions;
  #canary = '';
  #events: { readonly response: IncomingMessage; readonly lines: Interface } | undefined;
  #last = '';
  #beats = 0;
  #sockets = 0;

  constructor(options: PortCourseOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { target } = this.#options;
    const made = await answerOf(target, 'POST', '/api/v1/namespaces', {
      metadata: { name: 'canary' },
    });
    if (!made.includes('"canary"')) throw new Error(`no namespace: ${made}`);
    for (const name of ['bird', 'beat']) {
      await answerOf(target, 'POST', CANARY, { metadata: { name }, data: { sings: 'yes' } });
    }
    this.#canary = await answerOf(target, 'GET', `${CANARY}/bird`);
    const response = await ask(target, 'GET', `${CANARY}?watch=1&timeoutSeconds=${WATCH_SECONDS}`);
    const lines = createInterface({ input: response });
    lines.on('line', (line) => (this.#last = line));
    this.#events = { response, lines };
    this.#sockets = socketsOf(target.pid);
  }

  /**
   * @param first the number of the first connection: the same one sends the same bytes
   * @param onInput called after each connection
   * @returns what is wrong, a line each
   */
  async run(first: number, inputs: number, onInput: () => void = () => {}): Promise<string[]> {
    const problems: string[] = [];
    const end = this.tally.inputs + inputs;
    let next = first;
    const work = async (): Promise<void> => {
      while (this.tally.inputs < end && problems.length === 0) {
        const number = next;
        next += 1;
        const { problem } = await this.#connection(number);
        onInput();
        if (problem !== undefined) problems.push(`connection ${number}: ${problem}`);
      }
    };
    await Promise.all(Array.from({ length: this.#options.connections }, work));
    return [...problems, ...(await this.check(LEFT_SOCKETS))];
  }

  async #connection(number: number): Promise<Outcome> {
    const { target, seed } = this.#options;
    const draw = new Draw(`${seed}/${number}`);
    const { tally } = this;
    tally.connections += 1;
    let outcome: Outcome;
    if (draw.chance(0.25)) {
      const exchange = drawHttp2(draw, target.token);
      outcome = await runHttp2(target, exchange);
      tally.inputs += exchange.inputs;
    } else {
      const tls = target.plain === false || draw.chance(0.2);
      const exchange = drawExchange(draw, target.token);
      outcome = await runRaw(target, tls, exchange);
      tally.inputs += exchange.inputs.length;
    }
    for (const status of outcome.statuses) {
      tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    }
    return outcome;
  }

  /**
   * The faults of the server, a line each.
   *
   * @param spare sockets that it may hold besides those of the start. It finds within 45 s that the client of a broken HTTP/2
   * connection is gone: few, and this waits for that
   */
  async check(spare: number = SPARE_SOCKETS): Promise<string[]> {
    const { target, mostMemoryBytes } = this.#options;
    const problems: string[] = [];
    const now = await answerOf(target, 'GET', `${CANARY}/bird`);
    if (now !== this.#canary) problems.push(`the canary has changed: ${now.slice(0, 500)}`);
    this.#beats += 1;
    const beat = { metadata: { name: 'beat' }, data: { beat: `beat-${this.#beats}` } };
    await answerOf(target, 'PUT', `${CANARY}/beat`, beat);
    const text = `"beat-${this.#beats}"`;
    if (!(await eventually(() => this.#last.includes(text)))) {
      problems.push(`the watch does not deliver: ${this.#last.slice(0, 500)}`);
    }
    const metrics = await answerOf(target, 'GET', '/metrics');
    const memory = Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
    if (!(memory < mostMemoryBytes)) problems.push(`the server takes ${memory} bytes`);
    const most = this.#sockets + spare;
    if (!(await eventually(() => socketsOf(target.pid) <= most))) {
      problems.push(`${socketsOf(target.pid)} sockets are open, ${this.#sockets} at the start`);
    }
    return problems;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#events?.lines.close();
    this.#events?.response.destroy();
    return Promise.resolve();
  }
}

async function eventually(holds: () => boolean): Promise<boolean> {
  const deadline = performance.now() + HANG_MS;
  while (!holds()) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
  return true;
}

/** 0 where there is no `/proc`. */
function socketsOf(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return 0;
  const folder = `/proc/${pid}/fd`;
  let count = 0;
  for (const name of readdirSync(folder)) {
    try {
      if (readlinkSync(`${folder}/${name}`).startsWith('socket:')) count += 1;
    } catch {
      // Closed since.
    }
  }
  return count;
}
