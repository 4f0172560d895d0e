import { request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { WebhookListener } from '../../../../lib/controller/webhook/port/webhook-listener.ts';
import { WebhookMeter } from '../../../../lib/controller/webhook/port/webhook-meter.ts';
import { prometheusMetrics } from '../../../../lib/controller/manager/manager-metrics.ts';
import {
  CertificateAuthority,
  type Certificate,
} from '../../../../lib/kernel/certificates/certificate-authority.ts';
import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import { RecordedLog } from '../../../client/support/recorded-log.ts';
import { until, within } from '../../../support/until.ts';

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly connection: string | undefined;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const LARGEST_BYTES = 1_000;

describe('WebhookListener', () => {
  const authority = new CertificateAuthority({ name: 'one', nowMs: Date.now() });
  const issue = (name: string): Certificate =>
    authority.issue({ usage: 'server', name, hosts: ['127.0.0.1'], nowMs: Date.now() });
  const first = issue('first');
  let listener: WebhookListener;
  let logger: RecordedLog;
  let calls: string[];
  let aborted: number;
  let meter: WebhookMeter;

  beforeEach(async () => {
    logger = new RecordedLog();
    calls = [];
    aborted = 0;
    const echo = async ({ body }: { readonly body: Buffer }) => {
      calls.push(body.toString());
      return { status: 200, body: { said: body.toString() } };
    };
    const routes = new Map([
      ['/echo', { largestBytes: LARGEST_BYTES, answer: echo }],
      [
        '/never',
        {
          largestBytes: LARGEST_BYTES,
          answer: ({ signal }: { readonly signal: AbortSignal }) =>
            new Promise<never>(() => {
              calls.push('never');
              signal.addEventListener('abort', () => (aborted += 1));
            }),
        },
      ],
      [
        '/throws',
        {
          largestBytes: LARGEST_BYTES,
          answer: () => Promise.reject(new Error('out of memory')),
        },
      ],
    ]);
    meter = new WebhookMeter(realRuntime);
    listener = new WebhookListener({ routes, meter, runtime: realRuntime, logger });
    listener.present(first);
    await listener.listen('127.0.0.1', 0);
  });

  afterEach(async () => {
    await within(listener.close(0), 'the listener to close');
  });

  function send(
    path: string,
    body: string | Buffer,
    options: RequestOptions = {},
  ): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const sent = request({
        host: '127.0.0.1',
        port: listener.port,
        path,
        method: 'POST',
        headers: JSON_TYPE,
        ca: authority.certificate,
        ...options,
      });
      sent.on('error', reject);
      sent.on('response', (response: IncomingMessage) => {
        let text = '';
        response.on('data', (piece: Buffer) => (text += piece.toString()));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode: status = 0, headers } = response;
          resolve({ status, text, connection: headers.connection });
        });
      });
      sent.end(body);
    });
  }

  async function messageOf(answer: Promise<Answered>): Promise<[number, string]> {
    const { status, text } = await answer;
    const { kind, message, code } = JSON.parse(text) as Record<string, unknown>;
    expect([kind, code]).to.deep.equal(['Status', status]);
    return [status, String(message)];
  }

  it('answers a call with any parameters', async () => {
    const { status, text } = await send('/echo?timeout=10s', '{}', {
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    expect([status, text]).to.deep.equal([200, '{"said":"{}"}']);
  });

  it('measures the calls of each webhook, and none of other paths', async () => {
    const metrics = prometheusMetrics();
    meter.reportTo(metrics);
    await send('/echo', '{}');
    await send('/echo', 'x'.repeat(LARGEST_BYTES + 1)).catch(() => {});
    await send('/throws?timeout=1s', '{}');
    await send('/other', '{}');
    const waiting = send('/never?timeout=1s', '{}');
    await until('the call to arrive', () => calls.includes('never'));
    const line = (name: string): string[] =>
      metrics
        .text()
        .split('\n')
        .filter((text) => text.startsWith(`controller_runtime_webhook_${name}{`))
        .toSorted();
    expect(line('requests_in_flight')).to.deep.equal([
      'controller_runtime_webhook_requests_in_flight{webhook="/echo"} 0',
      'controller_runtime_webhook_requests_in_flight{webhook="/never"} 1',
      'controller_runtime_webhook_requests_in_flight{webhook="/throws"} 0',
    ]);
    await waiting;
    expect(line('requests_total')).to.deep.equal([
      'controller_runtime_webhook_requests_total{code="200",webhook="/echo"} 1',
      'controller_runtime_webhook_requests_total{code="413",webhook="/echo"} 1',
      'controller_runtime_webhook_requests_total{code="500",webhook="/throws"} 1',
      'controller_runtime_webhook_requests_total{code="504",webhook="/never"} 1',
    ]);
    expect(line('latency_seconds_count')).to.deep.equal([
      'controller_runtime_webhook_latency_seconds_count{webhook="/echo"} 2',
      'controller_runtime_webhook_latency_seconds_count{webhook="/never"} 1',
      'controller_runtime_webhook_latency_seconds_count{webhook="/throws"} 1',
    ]);
  });

  const refused: readonly (readonly [
    title: string,
    path: string,
    options: RequestOptions,
    status: number,
    message: string,
  ])[] = [
    [
      'another path',
      '/ech',
      {},
      404,
      'no webhook has the path "/ech"; there are /echo, /never, /throws',
    ],
    ['another method', '/echo', { method: 'PUT' }, 405, 'webhooks take POST only'],
    [
      'another content type',
      '/echo',
      { headers: { 'content-type': 'text/yaml' } },
      415,
      'the Content-Type must be application/json, not "text/yaml"',
    ],
    [
      'no content type',
      '/echo',
      { headers: {} },
      415,
      'the Content-Type must be application/json, not ""',
    ],
    [
      'a compressed body',
      '/echo',
      { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } },
      415,
      'the body must not have a Content-Encoding',
    ],
    ['a route that throws', '/throws', {}, 500, 'out of memory'],
  ];
  for (const [title, path, options, status, message] of refused) {
    it(`refuses ${title} with a Status of one line`, async () => {
      expect(await messageOf(send(path, '{}', options))).to.deep.equal([status, message]);
    });
  }

  it('refuses a body that is too large, announced or not, and serves the next call', async () => {
    const body = Buffer.alloc(LARGEST_BYTES + 1, ' ');
    const text = `the body is larger than ${LARGEST_BYTES} bytes`;
    expect(await messageOf(send('/echo', body))).to.deep.equal([413, text]);
    const chunked = { headers: { ...JSON_TYPE, 'transfer-encoding': 'chunked' } };
    expect(await messageOf(send('/echo', body, chunked))).to.deep.equal([413, text]);
    expect((await send('/echo', '{}')).status).to.equal(200);
    expect(calls).to.deep.equal(['{}']);
  });

  it('refuses a body that is too large while the client still sends it', async () => {
    const sent = request({
      host: '127.0.0.1',
      port: listener.port,
      path: '/echo',
      method: 'POST',
      headers: { ...JSON_TYPE, 'transfer-encoding': 'chunked' },
      ca: authority.certificate,
    });
    const status = new Promise((resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', (response: IncomingMessage) => {
        response.resume();
        resolve(response.statusCode);
      });
    });
    sent.write(Buffer.alloc(LARGEST_BYTES + 1, ' '));
    expect(await within(status, 'the answer')).to.equal(413);
    sent.destroy();
  });

  it('does not read 64 MiB where less is allowed', async () => {
    const huge = send('/echo', Buffer.alloc(64 * 1024 * 1024)).then(
      ({ status }) => status,
      (error: NodeJS.ErrnoException) => error.code,
    );
    // The connection ends while the client still sends.
    expect(await huge).to.be.oneOf([413, 'EPIPE', 'ECONNRESET']);
    expect(calls).to.deep.equal([]);
    expect((await send('/echo', '{}')).status).to.equal(200);
  });

  it('answers a call in time whose route does not, and aborts its signal', async () => {
    const [status, message] = await messageOf(send('/never?timeout=100ms', '{}'));
    expect(status).to.equal(504);
    expect(message).to.equal(
      'there was no answer to the webhook within 80 ms; raise timeoutSeconds, or let the function pass on its signal',
    );
    expect(aborted).to.equal(1);
    expect(logger.warnings).to.have.length(1);
  });

  it('aborts the signal of a call whose client goes away', async () => {
    const sent = request({
      port: listener.port,
      path: '/never',
      method: 'POST',
      headers: JSON_TYPE,
      ca: authority.certificate,
      host: '127.0.0.1',
    });
    sent.on('error', () => {});
    sent.end('{}');
    await until('the call to arrive', () => calls.length > 0);
    sent.destroy();
    await until('the signal to abort', () => aborted === 1);
    await until('the call to end', () => listener.running === 0);
  });

  async function open(): Promise<TLSSocket> {
    const { port } = listener;
    const socket = connectTls({ host: '127.0.0.1', port, ca: authority.certificate });
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    return socket;
  }

  it('serves others while clients send nothing, half a head, or half a body', async () => {
    const slow = [await open(), await open(), await open()];
    slow[1]?.write('POST /echo HTTP/1.1\r\nHost: a\r\n');
    slow[2]?.write(
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"a"',
    );
    expect((await send('/echo', '{}')).status).to.equal(200);
    expect(calls).to.deep.equal(['{}']);
    for (const socket of slow) socket.destroy();
  });

  it('answers garbage and plain HTTP by the end of the connection, and logs no error', async () => {
    const socket = await open();
    socket.resume().write('\0\0\0\r\n\r\n');
    await within(new Promise((resolve) => socket.once('close', resolve)), 'the connection to end');
    const response = await fetch(`http://127.0.0.1:${listener.port}/echo`).catch(() => undefined);
    expect(response).to.equal(undefined);
    expect((await send('/echo', '{}')).status).to.equal(200);
    expect(logger.lines.filter(({ level }) => level !== 'debug')).to.deep.equal([]);
  });

  it('presents a new certificate to new connections without a failed call', async () => {
    const seen = new Set<string>();
    let [done, failed, stop] = [0, 0, false];
    const load = async (): Promise<void> => {
      while (!stop) {
        await send('/echo', '{}', { agent: false }).then(
          ({ status }) => (status === 200 ? (done += 1) : (failed += 1)),
          () => (failed += 1),
        );
      }
    };
    const look = async (): Promise<void> => {
      const socket = await open();
      const { subject } = socket.getPeerCertificate();
      seen.add(String(subject.CN));
      socket.destroy();
    };
    const loads = [load(), load(), load(), load()];
    for (const name of ['second', 'third', 'fourth']) {
      const before = done;
      await until('calls to be made', () => done >= before + 20);
      await look();
      listener.present(issue(name));
    }
    await look();
    stop = true;
    await Promise.all(loads);
    expect([...seen]).to.deep.equal(['first', 'second', 'third', 'fourth']);
    expect([failed, done >= 60]).to.deep.equal([0, true]);
  });

  it('answers running calls when it closes, and takes no further ones', async () => {
    const running = send('/never?timeout=500ms', '{}');
    await until('the call to arrive', () => calls.length > 0);
    const closed = listener.close(60_000);
    expect((await running).status).to.equal(504);
    await within(closed, 'the listener to close');
    const later = await send('/echo', '{}').catch((error: NodeJS.ErrnoException) => error.code);
    expect(later).to.equal('ECONNREFUSED');
  });

  it('ends calls that take longer than the time it has to close', async () => {
    const running = send('/never', '{}').catch((error: NodeJS.ErrnoException) => error.code);
    await until('the call to arrive', () => calls.length > 0);
    await within(listener.close(1), 'the listener to close');
    expect(await running).to.equal('ECONNRESET');
    await until('the signal to abort', () => aborted === 1);
  });

  it('names a port that is taken', async () => {
    const parts = { meter, runtime: realRuntime, logger };
    const other = new WebhookListener({ routes: new Map(), ...parts });
    other.present(first);
    const error = await other.listen('127.0.0.1', listener.port).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'PORT_IN_USE' });
  });
});
