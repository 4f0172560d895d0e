import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import {
  LARGEST_ANSWER_BYTES,
  WebhookCaller,
} from '../../../lib/server/webhooks/webhook-caller.ts';
import { LocalWebhook } from './local-webhook.ts';

const SECOND = { timeoutMs: 10_000 };

async function failureOf(work: Promise<unknown>): Promise<{ code?: string; message: string }> {
  try {
    await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

describe('WebhookCaller', () => {
  let hook: LocalWebhook;
  let caller: WebhookCaller;

  beforeEach(async () => {
    hook = await LocalWebhook.start(['127.0.0.1', 'hooks.shop.svc']);
    caller = new WebhookCaller({ runtime: realRuntime });
  });

  afterEach(async () => {
    caller.close();
    await hook.close();
  });

  const open = (more: object = {}): ReturnType<WebhookCaller['open']> =>
    caller.open({ url: `${hook.origin}/convert`, caBundle: hook.authority, ...more });

  it('posts JSON with the time limit in the query, and returns the object of the answer', async () => {
    hook.answer = () => ({ body: { kind: 'Answer', apiVersion: 'v1', size: 3 } });
    expect(await open().post({ question: 1 }, SECOND)).to.deep.equal({
      kind: 'Answer',
      apiVersion: 'v1',
      size: 3,
    });
    expect(hook.calls.map(({ path, body }) => [path, body])).to.deep.equal([
      ['/convert?timeout=10s', { question: 1 }],
    ]);
  });

  it('calls the path without empty segments, and without the query of its URL', async () => {
    hook.answer = () => ({ body: { kind: 'Answer', apiVersion: 'v1' } });
    await open({ url: `${hook.origin}//convert/?a=b` }).post({ question: 1 }, SECOND);
    expect(hook.calls.map(({ path }) => path)).to.deep.equal(['/convert?timeout=10s']);
  });

  for (const [title, answer, message] of [
    [
      '500',
      { status: 500, body: 'boom', headers: { 'content-type': 'text/plain' } },
      'an error on the server ("boom") has prevented the request from succeeding',
    ],
    [
      '500 with a body that is no text',
      { status: 500, body: 'boom' },
      'an error on the server ("unknown") has prevented the request from succeeding',
    ],
    ['404', { status: 404, body: '' }, 'the server could not find the requested resource'],
    [
      'a Status',
      { status: 500, body: { kind: 'Status', apiVersion: 'v1', message: 'sad' } },
      'sad',
    ],
    [
      'nothing',
      { body: '' },
      '0-length response with status code: 200 and content type: application/json',
    ],
    [
      'no JSON',
      { body: 'hello' },
      `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    ],
    [
      'no kind',
      { body: { apiVersion: 'v1' } },
      `Object 'Kind' is missing in '{"apiVersion":"v1"}'`,
    ],
  ] as const) {
    it(`says what is wrong with an answer: ${title}`, async () => {
      hook.answer = () => answer;
      const failure = await failureOf(open().post({}, SECOND));
      expect(failure.message).to.equal(message);
      expect(failure.code).to.equal('WEBHOOK_FAILED');
    });
  }

  it('does not follow a redirect', async () => {
    hook.answer = () => ({ status: 302, headers: { location: '/other' }, body: '' });
    const { message } = await failureOf(open().post({}, SECOND));
    expect(message).to.equal(
      `Post "${hook.origin}/convert?timeout=10s": redirect to "/other" refused`,
    );
    expect(hook.calls).to.have.length(1);
  });

  it('refuses a certificate that no authority of the bundle has signed', async () => {
    const { message } = await failureOf(open({ caBundle: undefined }).post({}, SECOND));
    expect(message).to.equal(
      `Post "${hook.origin}/convert?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    );
    expect(hook.calls).to.deep.equal([]);
  });

  it('trusts a certificate that is in the bundle itself, without its authority, as Go does', async () => {
    hook.answer = () => ({ body: { kind: 'Answer', apiVersion: 'v1' } });
    await open({ caBundle: hook.certificate }).post({}, SECOND);
    expect(hook.calls).to.have.length(1);
  });

  it('refuses a certificate when the bundle has that of another webhook', async () => {
    const other = await LocalWebhook.start();
    const { message } = await failureOf(open({ caBundle: other.certificate }).post({}, SECOND));
    await other.close();
    expect(message).to.contain('x509: certificate signed by unknown authority');
  });

  it('names the address that refuses connections', async () => {
    const url = `${hook.origin}/x`;
    const port = new URL(url).port;
    const client = open({ url });
    await hook.close();
    const { message } = await failureOf(client.post({}, SECOND));
    expect(message).to.equal(
      `Post "${url}?timeout=10s": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    );
    hook = await LocalWebhook.start();
  });

  it('refuses a URL without TLS', async () => {
    const { message } = await failureOf(open({ url: 'http://127.0.0.1:1/x' }).post({}, SECOND));
    expect(message).to.equal(
      'Post "http://127.0.0.1:1/x": the URL of a webhook must begin with https://',
    );
  });

  it('finds a service by the resolver, and compares the certificate with the name of the service', async () => {
    hook.answer = () => ({ body: { kind: 'Answer', apiVersion: 'v1' } });
    const asked: unknown[] = [];
    const resolving = new WebhookCaller({
      runtime: realRuntime,
      resolveService: (service) => {
        asked.push(service.name, service.namespace, service.port);
        return hook.origin;
      },
    });
    const service = { namespace: 'shop', name: 'hooks', port: 443, path: '/v1' };
    const caBundle = hook.authority;
    await resolving.open({ service, caBundle }).post({}, SECOND);
    expect(asked).to.deep.equal(['hooks', 'shop', 443]);
    expect(hook.calls.map(({ path, host }) => [path, host])).to.deep.equal([
      ['/v1?timeout=10s', 'hooks.shop.svc'],
    ]);
    const other = resolving.open({ service: { ...service, name: 'others' }, caBundle });
    const { message } = await failureOf(other.post({}, SECOND));
    expect(message).to.match(
      /^Post "https:\/\/others\.shop\.svc:443\/v1\?timeout=10s": tls: failed to verify certificate: x509: certificate is not valid for /,
    );
    resolving.close();
  });

  it('reads no more of an answer than the limit, unpacked', async () => {
    hook.answer = () => ({
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(Buffer.alloc(LARGEST_ANSWER_BYTES + 1, ' ')),
    });
    const { message } = await failureOf(open().post({}, { timeoutMs: 600_000 }));
    expect(message).to.equal(
      'unexpected error when reading response body. Please retry. Original error: the answer is larger than 33554432 bytes',
    );
  });

  it('ends a call at its time limit', async () => {
    const timers: (() => void)[] = [];
    const runtime: Runtime = {
      ...realRuntime,
      setTimer: (_, callback) => {
        timers.push(callback);
        return { cancel: () => {} };
      },
    };
    hook.answer = () => undefined;
    hook.onCall = () => {
      for (const fire of timers) fire();
    };
    const timed = new WebhookCaller({ runtime });
    const client = timed.open({ url: hook.origin, caBundle: hook.authority });
    const { message } = await failureOf(client.post({}, { timeoutMs: 30_000 }));
    expect(message).to.equal(
      `Post "${hook.origin}/?timeout=30s": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    );
    timed.close();
  });

  it('ends its calls when it is closed', async () => {
    hook.answer = () => undefined;
    hook.onCall = () => {
      caller.close();
    };
    const { code } = await failureOf(open().post({}, SECOND));
    expect(code).to.equal('CLOSED');
    expect((await failureOf(open().post({}, SECOND))).code).to.equal('CLOSED');
  });
});
