import { connect as connectSocket, type Socket } from 'node:net';
import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import { nextTask } from '../../../lib/kernel/time/wait.ts';
import type { ApiRequest } from '../../../lib/server/http/api-request.ts';
import { adminUser } from '../../../lib/server/registry/contract/user-info.ts';
import { apiRequest } from './support.ts';

/** Both connections are of one client. */
const AGENT = 'operator/1.0';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

const configMap = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
});

/** The bytes that came in on one connection, as text. */
class Connection {
  readonly socket: Socket;
  text = '';
  #arrived: () => void = () => {};

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connectSocket(Number(port), hostname);
    this.socket.setNoDelay(true);
    this.socket.on('data', (bytes: Buffer) => {
      this.text += bytes.toString();
      this.#arrived();
    });
  }

  send(server: ApiServer, method: string, path: string, body?: object): void {
    const text = body === undefined ? '' : JSON.stringify(body);
    this.socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.token}\r\n` +
        `user-agent: ${AGENT}\r\n` +
        `content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
  }

  async until(condition: (text: string) => boolean): Promise<void> {
    while (!condition(this.text)) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
  }
}

function isWhole(text: string): boolean {
  const [head = '', body] = text.split('\r\n\r\n', 2);
  return body?.length === Number(/content-length: (\d+)/i.exec(head)?.[1]);
}

/** The watch of one client, and how an operator of that client creates children: at once when its cache does not show them. */
class Operator {
  readonly #server: ApiServer;
  readonly #abort = new AbortController();
  readonly #shown = new Set<string>();
  /** Creations that were refused because the child was there already. */
  alreadyExists = 0;

  constructor(server: ApiServer) {
    this.#server = server;
  }

  #request(method: string, path: string, agent: string, body?: object): ApiRequest {
    const { signal } = this.#abort;
    const request = apiRequest(method, path, { signal, ...(body === undefined ? {} : { body }) });
    const headers = { ...request.headers, 'user-agent': agent };
    return { ...request, headers, user: 'admin', identity: adminUser('admin') };
  }

  async watch(agent: string, onText: (text: string) => void = () => {}): Promise<void> {
    const { body } = await this.#server.handler(
      this.#request('GET', `${CONFIG_MAPS}?watch=true`, agent),
    );
    void (async () => {
      for await (const piece of body as AsyncIterable<Uint8Array>) {
        onText(Buffer.from(piece).toString());
      }
    })();
  }

  async start(): Promise<void> {
    await this.watch(AGENT, (text) => {
      for (const [, name = ''] of text.matchAll(/"name":"(child-\d+)"/g)) this.#shown.add(name);
    });
  }

  /** Runs until the cache shows the child. */
  async reconcile(name: string): Promise<void> {
    while (!this.#shown.has(name)) {
      const { status } = await this.#server.handler(
        this.#request('POST', CONFIG_MAPS, AGENT, configMap(name)),
      );
      if (status === 409) {
        this.alreadyExists += 1;
        await nextTask(realRuntime);
      } else expect(status).to.equal(201);
    }
  }

  stop(): void {
    this.#abort.abort();
  }
}

/** Writes one after the other; returns the names whose events were not there when the answer was. */
async function lateInProcess(server: ApiServer, writers: number): Promise<string[]> {
  const abort = new AbortController();
  const { body } = await server.handler(
    apiRequest('GET', `${CONFIG_MAPS}?watch=true`, { signal: abort.signal }),
  );
  let seen = '';
  const reading = (async () => {
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      seen += Buffer.from(piece).toString();
    }
  })();
  const late: string[] = [];
  const write = async (writer: number): Promise<void> => {
    for (let index = 0; index < 20; index += 1) {
      const name = `c-${writer}-${index}`;
      const { status } = await server.handler(
        apiRequest('POST', CONFIG_MAPS, { body: configMap(name) }),
      );
      expect(status).to.equal(201);
      if (!seen.includes(`"name":"${name}"`)) late.push(name);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  abort.abort();
  await reading;
  return late;
}

describe('the event of a write', () => {
  for (const writers of [1, 30]) {
    it(`is with the reader of a watch before the write is answered, in process, with ${writers} at a time`, async () => {
      await using server = new ApiServer();
      expect(await lateInProcess(server, writers)).to.deep.equal([]);
    });
  }

  it('lets an operator over 500 objects create each child once, beside 100 watches of other clients', async () => {
    await using server = new ApiServer();
    const operator = new Operator(server);
    await operator.start();
    for (let index = 0; index < 100; index += 1) await operator.watch(`observer-${index % 3}`);
    const names = Array.from({ length: 500 }, (_, index) => `child-${index}`);
    const worker = async (): Promise<void> => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        await operator.reconcile(name);
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    operator.stop();
    expect(operator.alreadyExists).to.equal(0);
  });

  it('is on the connection of a watch when the answer is on its own', async () => {
    await using server = new ApiServer();
    await server.listen();
    const watch = new Connection(server.url);
    const writer = new Connection(server.url);
    watch.send(server, 'GET', `${CONFIG_MAPS}?watch=true`);
    await watch.until((text) => text.startsWith('HTTP/1.1 200'));
    const late: string[] = [];
    const verbs: readonly [string, string, string, string][] = [
      ['POST', CONFIG_MAPS, 'HTTP/1.1 201', 'ADDED'],
      ['PUT', `${CONFIG_MAPS}/NAME`, 'HTTP/1.1 200', 'MODIFIED'],
      ['DELETE', `${CONFIG_MAPS}/NAME`, 'HTTP/1.1 200', 'DELETED'],
    ];
    for (let index = 0; index < 30; index += 1) {
      const name = `c${index}`;
      for (const [method, path, status, type] of verbs) {
        const body = method === 'DELETE' ? undefined : { ...configMap(name), data: { method } };
        writer.text = '';
        watch.text = '';
        writer.send(server, method, path.replace('NAME', name), body);
        await writer.until(isWhole);
        expect(writer.text.startsWith(status), writer.text).to.equal(true);
        // Both connections are read in the same turn of the event loop.
        await nextTask(realRuntime);
        if (!watch.text.includes(`"type":"${type}"`)) late.push(`${type} ${name}`);
      }
    }
    watch.socket.destroy();
    writer.socket.destroy();
    expect(late).to.deep.equal([]);
  });
});
