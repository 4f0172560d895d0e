import { trace } from '@opentelemetry/api';
import { expect } from 'chai';
import { Client } from '../../../../lib/client/rest/client.ts';
import { connect } from '../../../../lib/client/rest/connect.ts';
import type {
  Transport,
  TransportRequest,
} from '../../../../lib/client/transport/contract/transport.ts';
import { inProcessTransport } from '../../../../lib/client/transport/in-process/in-process-transport.ts';
import { piecesOf } from '../../../../lib/client/transport/in-process/plain-answer.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { LeaderElector } from '../../../../lib/controller/election/leader-elector.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import type { Tracer } from '../../../../lib/kernel/report/tracer.ts';
import { RecordedSpans } from '../../../support/recorded-spans.ts';
import { refused } from '../../../support/refused.ts';

const GET_MAP = 'GET /api/v1/namespaces/{namespace}/configmaps/{name}';
const POST_MAP = 'POST /api/v1/namespaces/{namespace}/configmaps';
const MAP = { metadata: { name: 'web' } };

describe('A client with a tracer', () => {
  let spans: RecordedSpans;
  let server: ApiServer;
  let sent: TransportRequest[];

  beforeEach(() => {
    spans = new RecordedSpans();
    server = new ApiServer();
    sent = [];
  });
  afterEach(async () => {
    spans[Symbol.dispose]();
    await server.close();
  });

  /** Notes the requests; `tries` answers of 429 come before that of the server. */
  function transport(tries = 0): Transport {
    const below = inProcessTransport(server.handler);
    let left = tries;
    return {
      server: 'https://10.0.0.1:6443',
      close: () => below.close(),
      send: async (request) => {
        sent.push(request);
        if (left === 0) return await below.send(request);
        left -= 1;
        return { status: 429, headers: { 'retry-after': '0' }, body: piecesOf(new Uint8Array()) };
      },
    };
  }

  const mapsOf = (client: Client) => client.resource('v1', 'configmaps', { namespace: 'default' });

  it('makes a span of each request, with the attributes of onRequest', async () => {
    await using client = await connect({ transport: transport(), tracer: spans.tracer });
    await mapsOf(client).create(MAP);
    const [span] = spans.named(POST_MAP);
    expect(span?.kind).to.equal(2);
    expect(span?.status.code).to.equal(0);
    expect(span?.attributes).to.deep.include({
      'http.request.method': 'POST',
      'http.response.status_code': 201,
      'server.address': '10.0.0.1',
      'server.port': 6443,
      'url.path': '/api/v1/namespaces/default/configmaps',
      'listwatch.verb': 'create',
      'listwatch.resource': 'configmaps',
    });
  });

  it('passes the span on in the header traceparent, below the span that is active', async () => {
    await using client = await connect({ transport: transport(), tracer: spans.tracer });
    await spans.tracer.startActiveSpan('work', {}, async (work) => {
      await mapsOf(client).create(MAP);
      work.end();
    });
    const [work] = spans.named('work');
    const [span] = spans.named(POST_MAP);
    const { traceId, spanId } = span!.spanContext();
    expect(span?.parentSpanContext?.spanId).to.equal(work?.spanContext().spanId);
    expect(sent[0]?.headers?.['traceparent']).to.equal(`00-${traceId}-${spanId}-01`);
    expect(traceId).to.equal(work?.spanContext().traceId);
  });

  it('marks the span of a request that failed, and counts how often it was sent again', async () => {
    await using client = await connect({
      transport: transport(1),
      tracer: spans.tracer,
      logger: silentLogger,
    });
    await refused(mapsOf(client).get('web'));
    const [span] = spans.named(GET_MAP);
    expect(span?.status).to.deep.equal({ code: 2, message: 'HTTP 404' });
    expect(span?.attributes).to.include({ 'error.type': '404', 'http.request.resend_count': 1 });
    const parents = new Set(sent.map(({ headers }) => headers?.['traceparent']));
    expect(sent).to.have.length(2);
    expect(parents.size).to.equal(1);
  });

  it('begins a trace with a watch, which goes on after the work that has opened it', async () => {
    await using client = await connect({ transport: transport(), tracer: spans.tracer });
    await spans.tracer.startActiveSpan('work', {}, async (work) => {
      await mapsOf(client).create(MAP);
      for await (const { type } of mapsOf(client).watch({ resourceVersion: '0' })) {
        if (type === 'ADDED') break;
      }
      work.end();
    });
    const [span] = spans.named('GET /api/v1/namespaces/{namespace}/configmaps');
    expect(span?.attributes['listwatch.verb']).to.equal('watch');
    expect(span?.parentSpanContext).to.equal(undefined);
  });

  it('makes no span of requests with traced: false, such as those for the Lease of a leader', async () => {
    await using client = await connect({ transport: transport(), tracer: spans.tracer });
    const options = { namespace: 'default', traced: false };
    await client.resource('v1', 'configmaps', options).create(MAP);
    const stop = new AbortController();
    const elector = new LeaderElector(client, { name: 'shop', logger: silentLogger });
    const lead = async (): Promise<void> => {
      await mapsOf(client).get('web');
      stop.abort();
    };
    await elector.run({ signal: stop.signal, lead });
    const leases = sent.filter(({ path }) => path.includes('/leases'));
    expect(leases).to.have.length.above(0);
    for (const { headers } of leases) expect(headers).to.not.have.property('traceparent');
    expect(spans.named(/./).map(({ name }) => name)).to.deep.equal([GET_MAP]);
  });

  it('sends no header for a span that is not valid, such as those of an API without an SDK', async () => {
    spans[Symbol.dispose]();
    const tracer = trace.getTracer('none');
    await using client = await connect({ transport: transport(), tracer });
    await mapsOf(client).create(MAP);
    expect(sent[0]?.headers).to.not.have.property('traceparent');
  });

  it('makes nothing of it without a tracer: the transport gets the request as it is', async () => {
    await using client = new Client({ transport: transport() });
    await mapsOf(client).create(MAP);
    await mapsOf(client).get('web');
    expect(client.tracing).to.equal(undefined);
    expect(client.causes.count).to.equal(0);
    for (const { headers, timing } of sent) {
      expect(timing).to.equal(undefined);
      expect(Object.keys(headers ?? {})).to.have.members(
        headers?.['content-type'] === undefined ? ['accept'] : ['accept', 'content-type'],
      );
    }
  });

  it('refuses what is no tracer, such as the API itself, and names getTracer', async () => {
    const { code, message } = await refused(
      connect({ transport: transport(), tracer: trace as unknown as Tracer }),
    );
    expect(code).to.equal('INVALID_OPTION');
    expect(message).to.equal(
      'connect: option "tracer" must be a tracer of @opentelemetry/api, such as trace.getTracer(\'shop\'), not an object',
    );
  });
});
