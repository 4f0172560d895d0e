import { createServer, type Server } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CertificateAuthority } from '../../../lib/kernel/certificates/certificate-authority.ts';

export interface WebhookAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, unless it is a text or bytes. */
  readonly body: unknown;
  /** Whether the body is sent and then not ended. @defaultValue false */
  readonly isEndless?: boolean;
}

interface ReceivedCall {
  readonly path: string;
  readonly host: string | undefined;
  readonly body: unknown;
}

/** An HTTPS server on this machine, with an authority of its own, that answers calls as a spec says. */
export class LocalWebhook {
  readonly calls: ReceivedCall[] = [];
  /** The answer to a call; undefined: none at all. */
  answer: (body: unknown) => WebhookAnswer | undefined = () => ({ body: {} });
  /** Called when a call has arrived. */
  onCall: () => void = () => {};
  /** The certificate of the authority, PEM. */
  readonly authority: string;
  /** The certificate that it presents, PEM. */
  readonly certificate: string;
  readonly #server: Server;

  private constructor(hosts: readonly string[]) {
    const nowMs = Date.now();
    const authority = new CertificateAuthority({ name: 'webhooks', nowMs });
    const leaf = authority.issue({ usage: 'server', name: 'hook', hosts, nowMs });
    this.authority = authority.stored().certificate;
    this.certificate = leaf.certificate;
    this.#server = createServer(
      { key: leaf.privateKey, cert: leaf.certificate },
      (request, response) => {
        void received(request).then((body) => {
          this.calls.push({ path: request.url ?? '', host: request.headers.host, body });
          const answer = this.answer(body);
          this.onCall();
          if (answer === undefined) return;
          const { status = 200, headers = { 'content-type': 'application/json' } } = answer;
          response.writeHead(status, headers);
          response.write(bytesOf(answer.body));
          if (answer.isEndless !== true) response.end();
        });
      },
    );
  }

  static async start(hosts: readonly string[] = ['127.0.0.1']): Promise<LocalWebhook> {
    const hook = new LocalWebhook(hosts);
    await new Promise<void>((resolve) => {
      hook.#server.listen(0, '127.0.0.1', resolve);
    });
    return hook;
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}

function bytesOf(body: unknown): string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}

async function received(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const piece of request as AsyncIterable<Buffer>) text += piece.toString();
  return JSON.parse(text);
}
