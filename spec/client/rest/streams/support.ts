import { createHash } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import {
  tarHeader,
  tarPadding,
  type TarMember,
} from '../../../../lib/client/rest/streams/copy/tar-writer.ts';
import { connect as connectClient } from '../../../../lib/client/rest/connect.ts';
import type { Client } from '../../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../../lib/client/rest/resource-client.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import type { PodHandler } from '../../../../lib/server/api/pods/pod-handlers.ts';

/** A server with the pod `web`, a client of it, and what stands in for a node. */
export interface PodCluster extends AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
  readonly pods: ResourceClient<UnstructuredObject>;
}

export async function podCluster(
  handler: PodHandler,
  containers: readonly string[] = ['app'],
): Promise<PodCluster> {
  const server = new ApiServer({ logger: silentLogger });
  await server.listen();
  server.pods.handle(handler);
  const client = await connectClient({ ...server.clientConfig(), logger: silentLogger });
  const pods = client.resource<UnstructuredObject>('v1', 'pods', { namespace: 'default' });
  await pods.create({
    metadata: { name: 'web' },
    spec: { containers: containers.map((name) => ({ name, image: 'web:1' })) },
  });
  return {
    server,
    client,
    pods,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server.close();
    },
  };
}

/** `bytes` that no compression and no repetition makes small. */
export function noise(bytes: number): Buffer {
  const pieces: Buffer[] = [];
  for (let made = 0, last = Buffer.from('seed'); made < bytes; made += last.length) {
    last = createHash('sha512').update(last).digest();
    pieces.push(last);
  }
  return Buffer.concat(pieces).subarray(0, bytes);
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export async function bytesFrom(source: AsyncIterable<unknown>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of source) pieces.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(pieces);
}

/** A member of a tar archive with content, as bytes. */
export function tarMember(
  name: string,
  content: string | Buffer,
  more: Partial<TarMember> = {},
): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const { length: size } = bytes;
  const header = { name, isFolder: false, size, mode: 0o644, modifiedMs: 1000, ...more };
  return Buffer.concat([tarHeader(header), bytes, tarPadding(size)]);
}

/** A member whose header has another type. */
export function typedMember(flag: string, name: string, content: string | Buffer): Buffer {
  const all = tarMember(name, content);
  all.write(flag, 156, 'latin1');
  all.write('        ', 148, 'latin1');
  const sum = all.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  all.write(`${sum.toString(8).padStart(6, '0')}\0`, 148, 'latin1');
  return all;
}

/** Stands between a client and a server, and cuts connections. */
export class Relay implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();

  private constructor(target: number, edit: ((head: string) => string) | undefined) {
    this.#server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      const pair = [near, far] as const;
      this.#pairs.add(pair);
      for (const [one, other] of [pair, [far, near] as const]) {
        one.on('error', () => {});
        if (one === far || edit === undefined) one.pipe(other);
        one.on('close', (hadError) => {
          // Bytes read before the end are still on their way to the other side, on a busy machine for a while.
          if (hadError) other.destroy();
          else other.destroySoon();
          if (other.destroyed) this.#pairs.delete(pair);
        });
      }
      if (edit === undefined) return;
      near.once('data', (head: Buffer) => {
        far.write(Buffer.from(edit(head.toString('latin1')), 'latin1'));
        near.pipe(far);
      });
    });
  }

  /** `edit` changes the first bytes of each connection, which hold the head of a request. */
  static async to(url: string, edit?: (head: string) => string): Promise<Relay> {
    const relay = new Relay(Number(new URL(url).port), edit);
    await new Promise<void>((resolve) => void relay.#server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** Resets all connections. */
  cut(): void {
    for (const [near, far] of this.#pairs) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }
}
