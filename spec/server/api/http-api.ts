import { Agent, request, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import { nextTask } from '../../../lib/kernel/time/wait.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { within } from '../../support/until.ts';
import { apiRequest, readAll } from './support.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { ApiServerOptions } from '../../../lib/server/api/api-server-options.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';

/** The real thing, on a clock that goes so many times as fast. */
function fastRuntime(times: number): Runtime {
  return {
    ...realRuntime,
    monotonicMs: () => realRuntime.monotonicMs() * times,
    setTimer: (delayMs, callback, options) =>
      realRuntime.setTimer(delayMs / times, callback, options),
  };
}

export const HURRIED: Runtime = fastRuntime(10);

/** Bookmarks are due every 0.6 seconds, long before a watch of an hour ends after 36. */
export const RUSHED: Runtime = fastRuntime(100);

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

export interface WatchLine {
  readonly type: string;
  readonly object: UnstructuredObject & {
    readonly code?: number;
    readonly reason?: string;
    readonly data?: Readonly<Record<string, string>>;
  };
}

export interface ListBody {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly UnstructuredObject[];
}

export function configMap(name: string, data: object = {}, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

export const versionOf = ({ object }: WatchLine): string => object.metadata?.resourceVersion ?? '';
export const nameOf = ({ object }: WatchLine): string => object.metadata?.name ?? '';

/** `ADDED a`, `BOOKMARK`, … */
export const notified = (lines: readonly WatchLine[]): string[] =>
  lines.map((line) => `${line.type} ${nameOf(line)}`.trim());

/** One watch over a socket, read line by line; what is not read stays where it is. */
export class HttpWatch implements AsyncDisposable {
  readonly #response: IncomingMessage;
  readonly #pieces: AsyncIterator<Buffer, undefined>;
  readonly #decoder = new TextDecoder();
  readonly #lines: WatchLine[] = [];
  #rest = '';

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.#pieces = response[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  }

  /** The next line; undefined when the server has ended the stream cleanly. */
  async next(): Promise<WatchLine | undefined> {
    while (this.#lines.length === 0) {
      const { done, value } = await within(this.#pieces.next(), 'the next event of a watch');
      if (done === true) {
        expect(this.#rest, 'a line was cut off').to.equal('');
        return undefined;
      }
      const lines = (this.#rest + this.#decoder.decode(value, { stream: true })).split('\n');
      this.#rest = lines.pop() as string;
      for (const line of lines) this.#lines.push(JSON.parse(line) as WatchLine);
    }
    return this.#lines.shift();
  }

  async take(count: number): Promise<WatchLine[]> {
    return await this.until((lines) => lines.length === count);
  }

  /** Lines up to the one that `enough` holds for. */
  async until(enough: (lines: readonly WatchLine[]) => boolean): Promise<WatchLine[]> {
    const lines: WatchLine[] = [];
    while (!enough(lines)) {
      const line = await this.next();
      if (line === undefined)
        throw new Error(`the watch ended after ${notified(lines).join(', ')}`);
      lines.push(line);
    }
    return lines;
  }

  /** Everything up to the end of the stream. */
  async rest(): Promise<WatchLine[]> {
    const lines: WatchLine[] = [];
    for (let line = await this.next(); line !== undefined; line = await this.next()) {
      lines.push(line);
    }
    return lines;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#response.destroy();
    return Promise.resolve();
  }
}

/** The parts of a request besides its path. */
export interface HttpRequest {
  readonly method?: string;
  readonly body?: object;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** A server on a port, and a client of it that knows nothing but HTTP. */
export class HttpApi implements AsyncDisposable {
  readonly server: ApiServer;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(options: ApiServerOptions) {
    this.server = new ApiServer({ logger: silentLogger, ...options });
  }

  static async start(options: ApiServerOptions = {}): Promise<HttpApi> {
    const api = new HttpApi(options);
    await api.server.listen();
    return api;
  }

  /** Sends a request and reads the whole answer. */
  async call(path: string, init: HttpRequest = {}): Promise<HttpAnswer> {
    const response = await this.#send(path, init);
    response.setEncoding('utf8');
    let text = '';
    for await (const piece of response) text += piece as string;
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  }

  /** The answer to a successful request. */
  async json<T>(path: string, init: HttpRequest = {}): Promise<T> {
    const { status, text } = await this.call(path, init);
    expect(status, text).to.be.within(200, 299);
    return JSON.parse(text) as T;
  }

  async list(query: string = '', path: string = CONFIG_MAPS): Promise<ListBody> {
    return await this.json<ListBody>(`${path}?${query}`);
  }

  /** Creates a ConfigMap; returns its version. */
  async create(name: string, data: object = {}, metadata: object = {}): Promise<string> {
    const body = configMap(name, data, metadata);
    return await this.#write(CONFIG_MAPS, { method: 'POST', body });
  }

  async patch(name: string, body: object): Promise<string> {
    return await this.#write(`${CONFIG_MAPS}/${name}`, { method: 'PATCH', body });
  }

  /** As `patch`, past the socket, and in a task of its own as a request is. */
  async patchDirectly(name: string, patch: object): Promise<string> {
    await nextTask(realRuntime);
    const headers = { 'content-type': 'application/merge-patch+json' };
    const request = apiRequest('PATCH', `${CONFIG_MAPS}/${name}`, { headers, body: patch });
    const { status, body } = await this.server.handler(request);
    const text = await readAll(body);
    expect(status, text).to.equal(200);
    return (JSON.parse(text) as UnstructuredObject).metadata?.resourceVersion ?? '';
  }

  async remove(name: string): Promise<void> {
    await this.json(`${CONFIG_MAPS}/${name}`, { method: 'DELETE' });
  }

  async watch(query: string, path: string = CONFIG_MAPS): Promise<HttpWatch> {
    const response = await this.#send(`${path}?watch=1&${query}`, {});
    expect(response.statusCode).to.equal(200);
    return new HttpWatch(response);
  }

  /** All lines of a watch that the server ends at once. */
  async watched(query: string, path: string = CONFIG_MAPS): Promise<WatchLine[]> {
    await using watch = await this.watch(`${query}&timeoutSeconds=1`, path);
    return await watch.rest();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    this.#agent.destroy();
  }

  async #write(path: string, init: HttpRequest): Promise<string> {
    const { metadata } = await this.json<UnstructuredObject>(path, init);
    return metadata?.resourceVersion ?? '';
  }

  async #send(path: string, { method = 'GET', body }: HttpRequest): Promise<IncomingMessage> {
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const text = body === undefined ? '' : JSON.stringify(body);
      request(
        `${this.server.url}${path}`,
        {
          method,
          agent: this.#agent,
          headers: {
            authorization: `Bearer ${this.server.token}`,
            'content-type': contentType,
            // Node leaves it out of a DELETE.
            ...(text === '' ? {} : { 'content-length': Buffer.byteLength(text) }),
          },
        },
        resolve,
      )
        .on('error', reject)
        .end(text);
    });
    return await within(answered, `${method} ${path}`);
  }
}

/** Ten writers on ten names; resolves with how many writes were acknowledged. */
export async function writeMuch(api: HttpApi, rounds: number): Promise<number> {
  let writes = 0;
  const write = async (name: string): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      await api.create(name, { round: String(round) });
      await api.patch(name, { data: { more: 'x' } });
      await api.remove(name);
      await api.create(name);
      await api.remove(name);
      writes += 5;
    }
  };
  await Promise.all(Array.from({ length: 10 }, (_, index) => write(`w${index}`)));
  return writes;
}
