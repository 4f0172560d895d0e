import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CertificateAuthority } from '../../lib/kernel/certificates/certificate-authority.ts';

export type Json = Readonly<Record<string, unknown>>;

/** An `AdmissionReview` as a webhook gets it. */
export interface Review {
  readonly apiVersion: string;
  readonly request: Json & { readonly uid: string; readonly object: Json | null };
}

/** Answers a call: with the `response` of a review, or by writing an answer of its own. */
export type Answer = (review: Review, response: ServerResponse) => Json | undefined;

/** HTTPS webhooks on this machine, by path. */
export class WebhookProcess {
  readonly #answers = new Map<string, Answer>();
  readonly #reviews = new Map<string, Review[]>();
  readonly #server: Server;
  readonly #authority: string;

  private constructor() {
    const nowMs = Date.now();
    const authority = new CertificateAuthority({ name: 'webhooks', nowMs });
    const leaf = authority.issue({ usage: 'server', name: 'hook', hosts: ['127.0.0.1'], nowMs });
    this.#authority = authority.stored().certificate;
    this.#server = createServer(
      { key: leaf.privateKey, cert: leaf.certificate },
      (request, response) => void this.#serve(request, response),
    );
  }

  static async start(): Promise<WebhookProcess> {
    const started = new WebhookProcess();
    await new Promise<void>((resolve) => {
      started.#server.listen(0, '127.0.0.1', resolve);
    });
    return started;
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get caBundle(): string {
    return Buffer.from(this.#authority).toString('base64');
  }

  /** Answers calls of a path from now on. */
  set(path: string, answer: Answer): void {
    this.#answers.set(path, answer);
    this.#reviews.set(path, []);
  }

  /** The requests that a path has got. */
  seen(path: string): readonly Review['request'][] {
    return (this.#reviews.get(path) ?? []).map(({ request }) => request);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (request.url ?? '').split('?', 1);
    let text = '';
    for await (const piece of request as AsyncIterable<Buffer>) text += piece.toString();
    const review = JSON.parse(text || '{}') as Review;
    this.#reviews.get(path)?.push(review);
    const answer = this.#answers.get(path)?.(review, response);
    if (answer === undefined) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    const body = { uid: review.request.uid, allowed: true, ...answer };
    const { apiVersion } = review;
    response.end(JSON.stringify({ apiVersion, kind: 'AdmissionReview', response: body }));
  }
}

/** The `response` of a review with a JSON patch. */
export function patching(...operations: readonly Json[]): Json {
  return { patchType: 'JSONPatch', patch: base64(JSON.stringify(operations)) };
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
