import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ROOT, readManifest } from '../package/manifest.ts';
import { npm, run } from '../package/packed-package.ts';

/** A registry of npm in which the packed package is published. Other packages come from the registry of this machine. */
export class Registry {
  readonly #server: Server;
  readonly url: string;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(tarball: string): Promise<Registry> {
    const { stdout } = await npm(['config', 'get', 'registry'], ROOT);
    const bytes = readFileSync(tarball);
    const manifest = await manifestIn(tarball);
    const { version } = readManifest();
    const server = createServer((request, response) => {
      const { url = '/', headers } = request;
      if (url === '/listwatch.tgz') return void response.end(bytes);
      if (url !== '/listwatch') {
        const answer = fetch(new URL(url, stdout.trim()), {
          headers: { accept: headers.accept ?? '*/*' },
        });
        return void answer.then(
          async (found) => {
            response.writeHead(found.status, {
              'content-type': found.headers.get('content-type') ?? '',
            });
            response.end(Buffer.from(await found.arrayBuffer()));
          },
          () => response.writeHead(502).end(),
        );
      }
      const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
      const dist = { tarball: `http://${headers.host}/listwatch.tgz`, integrity };
      const versions = { [version]: { ...manifest, dist } };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ name: 'listwatch', 'dist-tags': { latest: version }, versions }),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Registry(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function manifestIn(tarball: string): Promise<object> {
  const { stdout } = await run('tar', ['-xOzf', tarball, 'package/package.json']);
  return JSON.parse(stdout) as object;
}
