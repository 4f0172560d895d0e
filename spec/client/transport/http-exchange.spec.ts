import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import { AxiosTransport } from '../../../lib/client/transport/axios-transport.ts';
import { RequestTiming } from '../../../lib/client/transport/contract/request-timing.ts';
import type { Timeouts } from '../../../lib/client/transport/contract/timeouts.ts';
import type { TransportRequest } from '../../../lib/client/transport/contract/transport.ts';
import { flowTransport } from '../../../lib/client/transport/flow/flow-transport.ts';
import { HttpExchange } from '../../../lib/client/transport/http-exchange.ts';
import { resolveTimeouts } from '../../../lib/client/transport/resolve-timeouts.ts';
import type { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { silentLogger, type Logger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { until } from '../../support/until.ts';
import { failureOf } from '../support/failure-of.ts';
import { json, RawServer } from '../support/raw-server.ts';

const GET = { method: 'GET', path: '/api/v1/pods?labelSelector=canary' } as const;

interface Opened {
  readonly exchange: HttpExchange;
  readonly runtime: VirtualRuntime;
  /** The error code and message with which it ended; undefined while it runs. */
  readonly ended: () => string | undefined;
}

function open(timeouts: Timeouts = {}, request: Partial<TransportRequest> = {}): Opened {
  const runtime = new VirtualRuntime();
  const exchange = new HttpExchange({
    request: { ...GET, ...request },
    server: 'http://server',
    timeouts: resolveTimeouts('spec', timeouts),
    runtime,
  });
  const ended = (): string | undefined => {
    const { aborted, reason } = exchange.signal;
    if (!aborted) return undefined;
    const { code, message } = reason as ListwatchError;
    return `${code}: ${message}`;
  };
  return { exchange, runtime, ended };
}

/** Checks that the exchange ends after exactly `limitMs` from now. */
async function expectEnd({ runtime, ended }: Opened, limitMs: number, text: string): Promise<void> {
  await runtime.advance(limitMs - 1);
  expect(ended(), `${limitMs - 1} ms`).to.equal(undefined);
  await runtime.advance(1);
  expect(ended()).to.contain(text);
}

describe('HttpExchange', () => {
  it('waits 75 s for headers, and 30 s for those of a stream', async () => {
    for (const [stream, limitMs] of [
      [false, 75_000],
      [true, 30_000],
    ] as const) {
      const opened = open({}, { stream });
      opened.exchange.sent();
      await expectEnd(opened, limitMs, `within ${limitMs} ms`);
    }
  });

  it('takes headersMs for a stream as well', async () => {
    for (const stream of [false, true]) {
      const opened = open({ headersMs: 40_000 }, { stream });
      opened.exchange.sent();
      await expectEnd(opened, 40_000, 'timeouts.headersMs');
    }
  });

  it('names method and address without the query, the limit, and the option to raise', async () => {
    const opened = open({ headersMs: 1_000 });
    opened.exchange.sent();
    await opened.runtime.advance(1_000);
    expect(opened.ended()).to.equal(
      'REQUEST_TIMEOUT: GET http://server/api/v1/pods: no answer within 1000 ms; check that the server is reachable, or raise timeouts.headersMs',
    );
  });

  it('does not count the time before the request is sent', async () => {
    const opened = open({ headersMs: 1_000, totalMs: 1_500 });
    await opened.runtime.advance(3_600_000);
    expect(opened.runtime.pending).to.equal(0);
    opened.exchange.sent();
    await expectEnd(opened, 1_000, 'timeouts.headersMs');
  });

  it('does not count the time in which another credential is looked up', async () => {
    const opened = open({ headersMs: 1_000 });
    opened.exchange.sent();
    await opened.runtime.advance(900);
    opened.exchange.headers.pause();
    await opened.runtime.advance(60_000);
    opened.exchange.sent();
    await expectEnd(opened, 1_000, 'timeouts.headersMs');
  });

  it('counts the total from the first time that the request is sent', async () => {
    const opened = open({ headersMs: 1_000, totalMs: 1_500 });
    opened.exchange.sent();
    await opened.runtime.advance(900);
    opened.exchange.sent();
    await expectEnd(opened, 600, 'no complete answer within 1500 ms');
    expect(opened.ended()).to.contain('timeouts.totalMs');
  });

  it('has a total only if one is given, and never for a stream', async () => {
    for (const [timeouts, stream] of [
      [{}, false],
      [{ totalMs: 1_000 }, true],
    ] as const) {
      const opened = open(timeouts, { stream });
      opened.exchange.sent();
      opened.exchange.headers.stop();
      await opened.runtime.advance(3_600_000);
      expect(opened.ended()).to.equal(undefined);
      expect(opened.runtime.pending).to.equal(0);
    }
  });

  it('waits 30 s for the next piece of a body, as long as one is awaited', async () => {
    const opened = open();
    opened.exchange.sent();
    opened.exchange.headers.stop();
    const { body } = opened.exchange;
    body.expect();
    await opened.runtime.advance(29_000);
    body.pause();
    await opened.runtime.advance(3_600_000);
    body.expect();
    await expectEnd(opened, 30_000, 'timeouts.idleMs');
  });

  it('waits for a piece of a stream for any time', async () => {
    const opened = open({ idleMs: 1_000 }, { stream: true });
    opened.exchange.sent();
    opened.exchange.headers.stop();
    opened.exchange.body.expect();
    await opened.runtime.advance(3_600_000);
    expect(opened.ended()).to.equal(undefined);
  });

  it('arms no timer for limits that are Infinity', () => {
    const opened = open({ headersMs: Infinity, idleMs: Infinity, totalMs: Infinity });
    opened.exchange.sent();
    opened.exchange.body.expect();
    expect(opened.runtime.pending).to.equal(0);
  });

  it('leaves no timer and no listener when it has finished', async () => {
    const controller = new AbortController();
    const opened = open({ totalMs: 10_000 }, { signal: controller.signal });
    opened.exchange.sent();
    // After an answer 401 it is sent again.
    opened.exchange.sent();
    opened.exchange.body.expect();
    opened.exchange.finish();
    expect(opened.runtime.pending).to.equal(0);
    controller.abort();
    expect(opened.exchange.signal.aborted).to.equal(false);
  });

  it('explains a failure by the reason of an abort, and otherwise by its cause', () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    const { exchange } = open({}, { signal: controller.signal });
    const broken = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    expect((exchange.explain(broken) as ListwatchError).code).to.equal('CONNECTION_FAILED');
    controller.abort(reason);
    expect(exchange.explain(broken)).to.equal(reason);
  });

  it('counts how often the request is sent', () => {
    const timing = new RequestTiming();
    const { exchange } = open({}, { timing });
    exchange.sent();
    exchange.sent();
    exchange.finish();
    expect(timing.attempts).to.equal(2);
  });
});

describe('the time limits of AxiosTransport', () => {
  it('end a connection that is not made within connectMs', async () => {
    const runtime = new VirtualRuntime();
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => {});
      sockets.push(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const timeouts = { connectMs: 700 };
    const transport = new AxiosTransport({
      server: `https://127.0.0.1:${port}`,
      runtime,
      timeouts,
    });
    const sent = failureOf(transport.send(GET));
    await once(server, 'connection');
    await runtime.advance(699);
    expect(runtime.pending, 'it still waits').to.be.greaterThan(0);
    await runtime.advance(1);
    expect((await sent).message).to.contain('no connection within 700 ms');
    expect(runtime.pending).to.equal(0);
    await transport.close();
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  it('do not count the wait for a turn of the limiter', async () => {
    await using server = await RawServer.start((_, response) => json(response, {}));
    const runtime = new VirtualRuntime();
    const timeouts = { headersMs: 1_000, totalMs: 1_000 };
    const http = new AxiosTransport({ server: server.url, runtime, timeouts });
    const limiter = { queriesPerSecond: 0.01, burst: 1 };
    const transport = flowTransport(http, { runtime, limiter });
    const first = await transport.send(GET);
    for await (const _ of first.body) continue;
    const second = transport.send(GET);
    await runtime.advance(100_000);
    expect((await second).status).to.equal(200);
    await transport.close();
  });

  it('do not count the wait before a request is sent again', async () => {
    await using server = await RawServer.start((_, response) => {
      if (server.requests.length > 1) return json(response, {});
      response.writeHead(429, { 'retry-after': '60' }).end();
    });
    const runtime = new VirtualRuntime();
    const waits: string[] = [];
    const logger: Logger = { ...silentLogger, info: (text) => waits.push(text) };
    const timeouts = { headersMs: 1_000, totalMs: 1_000 };
    const http = new AxiosTransport({ server: server.url, runtime, timeouts });
    const retry = { maxDelayMs: 60_000 };
    const transport = flowTransport(http, { runtime, logger, retry, limiter: false });
    const sent = transport.send(GET);
    await until('it waits', () => waits.length === 1);
    await runtime.advance(72_000);
    expect((await sent).status).to.equal(200);
    expect(server.requests).to.have.length(2);
    await transport.close();
  });

  it('leave a GET whose connection broke time to be sent once more on another connection', async () => {
    await using server = await RawServer.start((_, response) => {
      if (server.requests.length > 1) return json(response, {});
      response.socket?.resetAndDestroy();
    });
    const runtime = new VirtualRuntime();
    const waits: string[] = [];
    const logger: Logger = { ...silentLogger, info: (text) => waits.push(text) };
    const http = new AxiosTransport({ server: server.url, runtime });
    const transport = flowTransport(http, { runtime, logger });
    const sent = transport.send(GET);
    await until('it waits', () => waits.length === 1);
    await runtime.advance(120);
    expect((await sent).status).to.equal(200);
    expect([server.requests.length, server.connections]).to.deep.equal([2, 2]);
    await transport.close();
  });
});
