import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { failureOf } from '../support/failure-of.ts';
import { RecordedMetrics } from '../support/recorded-metrics.ts';
import { json, RawServer } from '../support/raw-server.ts';
import { ScratchDirectory } from '../support/scratch-directory.ts';
import { ScriptedTransport } from '../support/scripted-transport.ts';

describe('connect', () => {
  it('reaches the server of a kubeconfig with its token and namespace', async () => {
    await using server = await RawServer.start((_, response) => json(response, { major: '1' }));
    await using scratch = await ScratchDirectory.make();
    const path = await scratch.write(
      'config',
      `
current-context: here
contexts: [{ name: here, context: { cluster: c, user: u, namespace: shop } }]
clusters: [{ name: c, cluster: { server: "${server.url}" } }]
users: [{ name: u, user: { token: canary } }]
`,
    );
    await using client = await connect({ env: { KUBECONFIG: path } });
    expect(client.namespace).to.equal('shop');
    expect(await client.version()).to.deep.equal({ major: '1' });
    expect(server.requests[0]?.headers.authorization).to.equal('Bearer canary');
  });

  it('names the program in the user agent, unless the option replaces it', async () => {
    await using server = await RawServer.start((_, response) => json(response, { major: '1' }));
    for (const userAgent of [undefined, 'shop/1.0']) {
      await using client = await connect({ server: server.url, userAgent });
      await client.version();
    }
    const [named, replaced] = server.requests.map(({ headers }) => headers['user-agent']);
    expect(named).to.match(/^\S+ listwatch\/\d+\.\d+\.\d+\S* \(\w+\/\w+\)$/);
    expect(replaced).to.equal('shop/1.0');
    const refused = await failureOf(connect({ server: server.url, userAgent: 'a\r\nb: c' }));
    expect(refused.code).to.equal('INVALID_OPTION');
  });

  it('asks for plain bodies if the kubeconfig disables compression', async () => {
    await using server = await RawServer.start((_, response) => json(response, { major: '1' }));
    for (const disable of [false, true]) {
      const cluster = { server: server.url, 'disable-compression': disable };
      const kubeconfig = {
        'current-context': 'a',
        contexts: [{ name: 'a', context: { cluster: 'c' } }],
        clusters: [{ name: 'c', cluster }],
      };
      await using client = await connect({ kubeconfig });
      await client.version();
    }
    const encodings = server.requests.map(({ headers }) => headers['accept-encoding']);
    expect(encodings).to.deep.equal(['gzip', 'identity']);
  });

  it('tries again later when the server asks for it', async () => {
    const runtime = new VirtualRuntime();
    const transport = new ScriptedTransport((_, index) =>
      index === 0 ? { status: 429, headers: { 'retry-after': '1' } } : { body: { major: '1' } },
    );
    const client = await connect({ transport, runtime, namespace: 'shop' });
    expect(await runtime.run(client.version())).to.deep.equal({ major: '1' });
    expect(runtime.monotonicMs()).to.be.within(1_000, 1_200);
    expect(client.namespace).to.equal('shop');
  });

  it('puts metrics, trace, limiter and limits of tries around a given transport', async () => {
    const runtime = new VirtualRuntime();
    const metrics = new RecordedMetrics();
    const names: string[] = [];
    const transport = new ScriptedTransport(() => ({ body: { major: '1' } }));
    const client = await connect({
      transport,
      runtime,
      metrics,
      limiter: { queriesPerSecond: 2, burst: 1 },
      retry: { maxRetries: 0 },
      onRequest: ({ name, durationMs }) => void names.push(`${name} ${durationMs}`),
    });
    await runtime.run(Promise.all([client.version(), client.version()]));
    expect(names).to.deep.equal(['GET /version 0', 'GET /version 500']);
    expect(metrics.sum('rest_client_requests_total', { resource: '/version' })).to.equal(2);
  });

  it('lets the lists and watches of its informers pass the limiter', async () => {
    const runtime = new VirtualRuntime();
    const metrics = new RecordedMetrics();
    const transport = new ScriptedTransport(() => ({ body: { metadata: {}, items: [] } }));
    const limiter = { queriesPerSecond: 1, burst: 1 };
    const client = await connect({ transport, runtime, limiter, metrics });
    const pods = client.listerWatcher({ apiVersion: 'v1', resource: 'pods' });
    const { signal } = new AbortController();
    const list = pods.list({ signal });
    const watch = pods.watch({ signal });
    await runtime.run(Promise.all([list, watch]));
    expect(runtime.monotonicMs()).to.equal(1_000);
    const waited = metrics.values('rest_client_rate_limiter_duration_seconds', { verb: 'watch' });
    expect(waited).to.deep.equal([1]);
  });

  it('refuses a limiter that is none', async () => {
    const transport = new ScriptedTransport(() => ({}));
    const options: object = { transport, limiter: 5 };
    expect((await failureOf(connect(options))).message).to.contain('option "limiter" must be');
  });

  it('opens no connection by itself', async () => {
    const client = await connect({ server: 'http://127.0.0.1:1' });
    expect((await failureOf(client.version())).code).to.equal('CONNECTION_REFUSED');
    await client.close();
    expect((await failureOf(client.version())).code).to.equal('CLOSED');
  });

  it('refuses options that contradict each other or do not exist', async () => {
    const transport = new ScriptedTransport(() => ({}));
    const beside = await failureOf(connect({ transport, token: 't' }));
    expect(beside.message).to.contain('"token" has no effect beside "transport"');
    const misspelt: object = { severUrl: 'x' };
    expect((await failureOf(connect(misspelt))).code).to.equal('INVALID_OPTION');
  });
});
