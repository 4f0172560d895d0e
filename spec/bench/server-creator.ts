import { connect, type Socket } from 'node:net';
import { sharedClockMs } from './bench.ts';
import { configMap } from './requests.ts';
import type { Served } from './server-served.ts';

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

const HEAD_END = '\r\n\r\n';
const LENGTH = /content-length: (\d+)/i;

/** Creates objects over bare keep-alive connections, one request at a time on each: the least a client can cost. */
export class ObjectCreator {
  readonly #lanes: Lane[] = [];
  #created = 0;

  async connect(served: Served, inFlight: number): Promise<void> {
    for (let lane = 0; lane < inFlight; lane += 1) this.#lanes.push(await Lane.open(served));
  }

  /** Resolves with the time, by `sharedClockMs`, when the first request was sent and the last answer came. */
  async create(count: number): Promise<{ readonly startMs: number; readonly endMs: number }> {
    let left = count;
    const startMs = sharedClockMs();
    const work = async (lane: Lane): Promise<void> => {
      while (left > 0) {
        left -= 1;
        this.#created += 1;
        await lane.post(`c${this.#created}`);
      }
    };
    await Promise.all(this.#lanes.map(work));
    return { startMs, endMs: sharedClockMs() };
  }

  close(): void {
    for (const lane of this.#lanes) lane.close();
    this.#lanes.length = 0;
  }
}

class Lane {
  readonly #socket: Socket;
  readonly #head: string;
  #answered = (_error?: Error): void => {};
  /** Bytes of the answer that are still to come; before its head is complete, what there is of it. */
  #missing: number | undefined;
  #text = '';

  private constructor(socket: Socket, { port, token }: Served) {
    this.#socket = socket;
    this.#head = [
      `POST ${CONFIG_MAPS} HTTP/1.1`,
      `Host: localhost:${port}`,
      `Authorization: Bearer ${token}`,
      'Accept: application/json',
      'Content-Type: application/json',
      'Content-Length: ',
    ].join('\r\n');
    socket.on('data', (chunk: Buffer) => {
      this.#take(chunk);
    });
    socket.on('error', (error) => {
      this.#answered(error);
    });
  }

  static async open(served: Served): Promise<Lane> {
    const socket = connect({ port: served.port, host: '127.0.0.1', noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new Lane(socket, served);
  }

  async post(name: string): Promise<void> {
    const body = JSON.stringify(configMap(name));
    this.#socket.write(`${this.#head}${body.length}${HEAD_END}${body}`, 'latin1');
    await new Promise<void>((resolve, reject) => {
      this.#answered = (error): void => {
        if (error === undefined) resolve();
        else reject(error);
      };
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#missing === undefined) {
      this.#text += chunk.toString('latin1');
      const end = this.#text.indexOf(HEAD_END);
      if (end < 0) return;
      if (!this.#text.startsWith('HTTP/1.1 201')) {
        this.#answered(new Error(this.#text));
        return;
      }
      const length = Number(LENGTH.exec(this.#text)?.[1]);
      this.#missing = length - (this.#text.length - end - HEAD_END.length);
    } else {
      this.#missing -= chunk.length;
    }
    if (this.#missing > 0) return;
    this.#missing = undefined;
    this.#text = '';
    this.#answered();
  }
}
