import { logLine } from '../../../../lib/kernel/report/log-line.ts';
import { expect } from 'chai';
import { AxiosTransport } from '../../../../lib/client/transport/axios-transport.ts';
import { Credential } from '../../../../lib/client/transport/contract/credential.ts';
import type { Transport } from '../../../../lib/client/transport/contract/transport.ts';
import { TransportError } from '../../../../lib/client/transport/contract/transport-error.ts';
import { flowTransport } from '../../../../lib/client/transport/flow/flow-transport.ts';
import { ObservingTransport } from '../../../../lib/client/transport/flow/observing-transport.ts';
import type { RequestTrace } from '../../../../lib/client/transport/flow/request-trace.ts';
import { silentLogger, type Logger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { rejectionOf } from '../../support/failure-of.ts';
import { json, RawServer } from '../../support/raw-server.ts';
import { RecordedMetrics } from '../../support/recorded-metrics.ts';
import { ScriptedTransport, type ScriptedAnswer } from '../../support/scripted-transport.ts';

const PATH = '/api/v1/namespaces/shop/pods/web-1';
const GET = { method: 'GET', path: `${PATH}?labelSelector=canary` } as const;
const START_MS = Date.UTC(2024, 0, 1);

/** A server whose answers take `latencyMs`. */
function slow(
  runtime: VirtualRuntime,
  latencyMs: number,
  script: (index: number) => ScriptedAnswer,
  server: string = 'https://10.0.0.1:6443/k8s',
): Transport {
  const transport = new ScriptedTransport((_, index) => script(index));
  return {
    server,
    send: async (request) => {
      const startMs = runtime.monotonicMs();
      await sleep(runtime, latencyMs, { signal: request.signal });
      request.timing?.add('connection', runtime.monotonicMs() - startMs - 10);
      request.timing?.add('credential', 10);
      return await transport.send(request);
    },
    close: () => transport.close(),
  };
}

describe('ObservingTransport', () => {
  it('describes a request as a span, with its waits, and without its query', async () => {
    const runtime = new VirtualRuntime();
    await runtime.advance(5_000);
    const traces: RequestTrace[] = [];
    const transport = slow(runtime, 40, () => ({ body: {} }));
    const onRequest = (trace: RequestTrace): void => void traces.push(trace);
    await runtime.run(new ObservingTransport(transport, { runtime, onRequest }).send(GET));
    expect(traces).to.deep.equal([
      {
        name: 'GET /api/v1/namespaces/{namespace}/pods/{name}',
        startMs: START_MS + 5_000,
        durationMs: 40,
        attributes: {
          'http.request.method': 'GET',
          'http.response.status_code': 200,
          'server.address': '10.0.0.1',
          'server.port': 6443,
          'url.path': PATH,
          'url.template': '/api/v1/namespaces/{namespace}/pods/{name}',
          'listwatch.verb': 'get',
          'listwatch.resource': 'pods',
          'listwatch.wait.limiter_ms': 0,
          'listwatch.wait.retry_ms': 0,
          'listwatch.wait.credential_ms': 10,
          'listwatch.wait.connection_ms': 30,
        },
      },
    ]);
    expect(JSON.stringify(traces)).not.to.contain('canary');
  });

  it('shows why a request took long: the turn, the wait before it was sent again, and the tries', async () => {
    const runtime = new VirtualRuntime();
    const traces: RequestTrace[] = [];
    const inner = slow(runtime, 10, (index) =>
      index === 1 ? { status: 429, headers: { 'retry-after': '3' } } : { body: {} },
    );
    const transport = flowTransport(inner, {
      runtime,
      limiter: { queriesPerSecond: 1, burst: 1 },
      onRequest: (trace) => void traces.push(trace),
    });
    await runtime.run(Promise.all([transport.send(GET), transport.send(GET)]));
    const [first, second] = traces.map(({ attributes }) => attributes);
    expect(first?.['listwatch.wait.limiter_ms']).to.equal(0);
    expect(first).not.to.have.property('http.request.resend_count');
    expect(second?.['listwatch.wait.limiter_ms']).to.equal(1_000);
    expect(second?.['listwatch.wait.retry_ms']).to.be.within(3_000, 3_600);
    expect(second?.['http.request.resend_count']).to.equal(1);
    expect(traces[1]?.durationMs).to.equal(
      1_020 + (second?.['listwatch.wait.retry_ms'] ?? Number.NaN),
    );
  });

  it('names the code of an error, its class if it has none, and a status of 400 and more', async () => {
    const runtime = new VirtualRuntime();
    const traces: RequestTrace[] = [];
    const target = { server: '', ...GET };
    const outcomes: (Error | number)[] = [
      new TransportError('CONNECTION_REFUSED', target, 'refused'),
      new TypeError('x'),
      404,
      204,
    ];
    const transport = new ScriptedTransport((_, index) => {
      const outcome = outcomes[index];
      if (typeof outcome !== 'number') throw outcome as Error;
      return { status: outcome };
    });
    const observing = new ObservingTransport(
      {
        server: 'in-process',
        send: async (request) => await transport.send(request),
        close: () => Promise.resolve(),
      },
      { runtime, onRequest: (trace) => void traces.push(trace) },
    );
    expect(await rejectionOf(observing.send(GET))).to.equal(outcomes[0]);
    expect(await rejectionOf(observing.send(GET))).to.equal(outcomes[1]);
    await observing.send(GET);
    await observing.send(GET);
    const seen = traces.map(({ attributes }) => [
      attributes['error.type'],
      attributes['http.response.status_code'],
    ]);
    expect(seen).to.deep.equal([
      ['CONNECTION_REFUSED', undefined],
      ['TypeError', undefined],
      ['404', 404],
      [undefined, 204],
    ]);
    expect(traces[0]?.attributes['server.address']).to.equal('in-process');
    expect(traces[0]?.attributes).not.to.have.property('server.port');
  });

  it('reports an aborted request with the time until then', async () => {
    const runtime = new VirtualRuntime();
    const traces: RequestTrace[] = [];
    const controller = new AbortController();
    const transport = slow(runtime, 1_000, () => ({}));
    const onRequest = (trace: RequestTrace): void => void traces.push(trace);
    const observing = new ObservingTransport(transport, { runtime, onRequest });
    const sent = rejectionOf(observing.send({ ...GET, signal: controller.signal }));
    await runtime.advance(300);
    controller.abort();
    await sent;
    expect(traces[0]?.durationMs).to.equal(300);
    expect(traces[0]?.attributes['error.type']).to.equal('AbortError');
  });

  it('reports a watch once, when it is open, and passes its body on unchanged', async () => {
    const runtime = new VirtualRuntime();
    const traces: RequestTrace[] = [];
    const metrics = new RecordedMetrics();
    const inner = slow(runtime, 20, () => ({ body: ['one', 'two'] }));
    let opened: unknown;
    const observing = new ObservingTransport(
      {
        ...inner,
        send: async (request) => {
          const response = await inner.send(request);
          opened = response;
          return response;
        },
      },
      { runtime, metrics, onRequest: (trace) => void traces.push(trace) },
    );
    const watch = { method: 'GET', path: '/api/v1/pods?watch=true', stream: true } as const;
    const response = await runtime.run(observing.send(watch));
    expect(response).to.equal(opened);
    const before = metrics.all.length;
    for await (const _ of response.body) await runtime.advance(60_000);
    expect(traces).to.have.length(1);
    expect(traces[0]?.attributes['listwatch.verb']).to.equal('watch');
    expect(traces[0]?.durationMs).to.equal(20);
    expect(metrics.all).to.have.length(before);
  });

  it('counts requests and observes their duration by verb and resource', async () => {
    const runtime = new VirtualRuntime();
    const metrics = new RecordedMetrics();
    const transport = slow(runtime, 250, (index) => ({ status: index === 2 ? 404 : 200 }));
    const observing = new ObservingTransport(transport, { runtime, metrics });
    for (let count = 0; count < 3; count += 1) await runtime.run(observing.send(GET));
    const labels = { host: '10.0.0.1:6443', verb: 'get', resource: 'pods' };
    const requests = (code: string): number =>
      metrics.sum('rest_client_requests_total', { ...labels, method: 'GET', code });
    expect(requests('200')).to.equal(2);
    expect(requests('404')).to.equal(1);
    const durations = metrics.values('rest_client_request_duration_seconds', labels);
    expect(durations).to.deep.equal([0.25, 0.25, 0.25]);
    expect(metrics.values('rest_client_rate_limiter_duration_seconds')).to.deep.equal([]);
  });

  it('has no label with a name, a namespace or a query', async () => {
    const metrics = new RecordedMetrics();
    const transport = new ScriptedTransport(() => ({ body: {} }));
    const observing = new ObservingTransport(transport, { metrics });
    for (let index = 0; index < 50; index += 1) {
      await observing.send({
        method: 'GET',
        path: `/api/v1/namespaces/n${index}/pods/p${index}?q=${index}`,
      });
    }
    const series = new Set(metrics.all.map(({ name, labels }) => JSON.stringify([name, labels])));
    expect(series.size).to.equal(2);
  });

  it('observes the wait for the limiter of requests that waited', async () => {
    const runtime = new VirtualRuntime();
    const metrics = new RecordedMetrics();
    const limiter = { queriesPerSecond: 2, burst: 1 };
    const inner = new ScriptedTransport(() => ({ body: {} }));
    const transport = flowTransport(inner, { runtime, limiter, metrics });
    await runtime.run(Promise.all([transport.send(GET), transport.send(GET)]));
    const waits = metrics.values('rest_client_rate_limiter_duration_seconds', { verb: 'get' });
    expect(waits).to.deep.equal([0.5]);
  });

  it('logs a hook and metrics that throw, and the request is not affected', async () => {
    const lines: string[] = [];
    const logger: Logger = {
      ...silentLogger,
      error: (text, fields) => void lines.push(`${text} ${String(fields?.['error'])}`),
    };
    const broken = (): never => {
      throw new Error('broken library');
    };
    const transport = new ScriptedTransport(() => ({ body: {} }));
    const observing = new ObservingTransport(transport, {
      logger,
      metrics: { count: broken, gauge: broken, observe: broken },
      onRequest: () => {
        throw new Error('broken hook');
      },
    });
    expect((await observing.send(GET)).status).to.equal(200);
    expect(
      lines.filter((line) => line.includes('metrics failed Error: broken library')),
    ).to.have.length(2);
    expect(lines.join('\n')).to.include('hook threw Error: broken hook');
    expect(lines).to.have.length(3);
  });

  it('handles the rejection of a hook that is an async function', async () => {
    const lines: unknown[] = [];
    const logger: Logger = {
      ...silentLogger,
      error: (message, fields) => void lines.push(logLine(message, fields).line),
    };
    const transport = new ScriptedTransport(() => ({ body: {} }));
    // oxlint-disable-next-line typescript/no-misused-promises -- JavaScript allows it
    const onRequest: () => void = () => Promise.reject(new Error('later'));
    await new ObservingTransport(transport, { logger, onRequest }).send(GET);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(lines).to.deep.equal(['hook threw: later (hook=onRequest)']);
  });

  describe('over HTTP', () => {
    it('shows the connection that a first request opens, and counts one for a hundred requests', async () => {
      await using server = await RawServer.start((_, response) => json(response, {}));
      const metrics = new RecordedMetrics();
      const traces: RequestTrace[] = [];
      const onRequest = (trace: RequestTrace): void => void traces.push(trace);
      const http = new AxiosTransport({ server: server.url });
      const observing = new ObservingTransport(http, { metrics, onRequest });
      for (let count = 0; count < 100; count += 1) {
        const { body } = await observing.send(GET);
        for await (const _ of body);
      }
      await observing.close();
      const waits = traces.map(({ attributes }) => attributes['listwatch.wait.connection_ms']);
      expect(waits[0]).to.be.greaterThan(0);
      expect(waits.slice(1).every((ms) => ms === 0)).to.equal(true);
      expect(metrics.sum('listwatch_client_connections_opened_total')).to.equal(1);
      expect(server.connections).to.equal(1);
      const { attributes } = traces[0] as RequestTrace;
      expect(attributes['server.port']).to.equal(server.port);
    });

    it('counts the credentials that were replaced after 401, and shows no credential', async () => {
      await using server = await RawServer.start((request, response) => {
        json(response, {}, request.headers.authorization === 'Bearer canary-2' ? 200 : 401);
      });
      const metrics = new RecordedMetrics();
      const traces: RequestTrace[] = [];
      let current = Credential.bearer('canary-1', 'a token of this spec');
      const http = new AxiosTransport({
        server: server.url,
        credentials: {
          source: 'a token of this spec',
          current: () => current,
          refresh: () => {
            current = Credential.bearer('canary-2', 'a token of this spec');
            return Promise.resolve(current);
          },
        },
      });
      const onRequest = (trace: RequestTrace): void => void traces.push(trace);
      const observing = new ObservingTransport(http, { metrics, onRequest });
      for (let count = 0; count < 3; count += 1) {
        const { body } = await observing.send(GET);
        for await (const _ of body);
      }
      await observing.close();
      expect(metrics.sum('listwatch_client_credential_refreshes_total')).to.equal(1);
      const resent = traces.map(({ attributes }) => attributes['http.request.resend_count']);
      expect(resent).to.deep.equal([1, undefined, undefined]);
      expect(JSON.stringify([traces, metrics.all])).not.to.contain('canary');
    });
  });
});
