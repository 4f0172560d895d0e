import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '../../../../lib/client/rest/client.ts';
import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../../../lib/client/transport/contract/transport.ts';
import type { Runtime } from '../../../../lib/kernel/time/runtime.ts';

/** Discovery documents of a kube-apiserver 1.36.3, with some of its resources. */
export const DISCOVERY = JSON.parse(
  readFileSync(join(import.meta.dirname, 'recorded-discovery.json'), 'utf8'),
) as Readonly<Record<string, unknown>>;

export interface RecordedServerOptions {
  readonly status: number;
  /** Sent as JSON, unless it is a text. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly credential?: string | undefined;
  /** By path; undefined is a 404. @defaultValue the recorded documents */
  readonly discovery?: ((path: string) => Promise<unknown>) | undefined;
  readonly runtime?: Runtime | undefined;
}

/** A transport that gives one recorded answer to every call, and discovery documents. */
export class RecordedServer implements Transport {
  readonly server = 'https://10.0.0.1:6443';
  readonly paths: string[] = [];
  readonly client: Client;
  readonly #options: RecordedServerOptions;

  constructor(options: RecordedServerOptions) {
    this.#options = options;
    this.client = new Client({ transport: this, runtime: options.runtime });
  }

  async send({ path }: TransportRequest): Promise<TransportResponse> {
    this.paths.push(path);
    const { status, body, headers = {}, credential, discovery } = this.#options;
    if (!isDiscovery(path)) return { status, headers, credential, body: pieces(body) };
    const document = await (discovery ?? recorded)(path);
    return document === undefined
      ? { status: 404, headers: {}, body: pieces('404 page not found\n') }
      : { status: 200, headers: {}, body: pieces(document) };
  }

  /** The discovery documents that were requested. */
  get lookUps(): string[] {
    return this.paths.filter(isDiscovery);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function isDiscovery(path: string): boolean {
  return /^\/api(?:\/[^/]+)?$|^\/apis(?:\/[^/]+\/[^/]+)?$/.test(path);
}

function recorded(path: string): Promise<unknown> {
  return Promise.resolve(DISCOVERY[path]);
}

async function* pieces(body: unknown): AsyncGenerator<Uint8Array, undefined> {
  if (body === undefined || body === '') return;
  yield await Promise.resolve(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
}
