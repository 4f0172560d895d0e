import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

const UNAVAILABLE = 14;
/** A message without fields: a frame of no bytes. */
const EMPTY = Buffer.alloc(5);
/** The answer to a watch: `created`. */
const CREATED = Buffer.from([0, 0, 0, 0, 2, 0x18, 1]);

/** A member of etcd that is empty, and does not carry out writes. */
export class UnwritableEtcd implements AsyncDisposable {
  writes = 0;
  readonly #server: Http2Server;

  private constructor() {
    this.#server = createServer();
    this.#server.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      const path = headers[':path'] ?? '';
      if (path.endsWith('/Txn')) this.writes += 1;
      answer(stream, path);
    });
  }

  static async start(): Promise<UnwritableEtcd> {
    const member = new UnwritableEtcd();
    member.#server.listen(0, '127.0.0.1');
    await once(member.#server, 'listening');
    return member;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function answer(stream: ServerHttp2Stream, path: string): void {
  const code = path.endsWith('/Txn') ? UNAVAILABLE : 0;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => {
    stream.sendTrailers({ 'grpc-status': code.toString(), 'grpc-message': 'no leader' });
  });
  if (path.endsWith('/Watch')) stream.write(CREATED);
  else if (code === 0) stream.end(EMPTY);
  else stream.end();
}
