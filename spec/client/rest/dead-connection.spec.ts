import { expect } from 'chai';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import { AxiosTransport } from '../../../lib/client/transport/axios-transport.ts';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { TcpProxy } from '../../faults/storms/tcp-proxy.ts';
import { until } from '../../support/until.ts';

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

const COLLECTION = { apiVersion: 'v1', resource: 'configmaps' };
const NAMESPACE = { namespace: 'default' };
const STEP_MS = 100;

interface World extends AsyncDisposable {
  readonly proxy: TcpProxy;
  /** Goes past the proxy. */
  readonly maps: ResourceClient<ConfigMap>;
  readonly transport: AxiosTransport;
  readonly informer: SharedIndexInformer<ConfigMap>;
  /** Codes of what the informer has reported. */
  readonly errors: string[];
  /** The notifications of the handler. */
  readonly seen: string[];
  /** Virtual milliseconds since the start. */
  readonly elapsedMs: () => number;
  readonly advance: (ms: number) => Promise<void>;
  /** Waits in real time. Tasks that are due run meanwhile, and the clock stands still. */
  readonly standing: (what: string, condition: () => boolean) => Promise<void>;
}

/** An informer with default options and a clock of its own, behind a proxy. */
async function world(http2: boolean): Promise<World> {
  const server = new ApiServer({ logger: silentLogger });
  await server.listen();
  const proxy = new TcpProxy({ host: '127.0.0.1', port: Number(new URL(server.url).port) });
  await proxy.up();
  const writer = await connect({ ...server.clientConfig(), logger: silentLogger });
  const runtime = new VirtualRuntime();
  const transport = new AxiosTransport({
    server: `https://127.0.0.1:${proxy.port}`,
    token: server.token,
    tls: { ca: server.certificateAuthority },
    http2,
    runtime,
  });
  const client = new Client({ transport, runtime });
  const errors: string[] = [];
  const seen: string[] = [];
  const informer = new SharedIndexInformer<ConfigMap>({
    listerWatcher: client.listerWatcher<ConfigMap>(COLLECTION, NAMESPACE),
    runtime,
    onError: (error) => void errors.push(isListwatchError(error) ? error.code : String(error)),
  });
  informer.addHandler({
    onAdd: ({ metadata }) => void seen.push(`+${metadata.name}`),
    onUpdate: (_, { metadata }) => void seen.push(`~${metadata.name}`),
    onDelete: ({ metadata }) => void seen.push(`-${metadata.name}`),
  });
  const running = informer.run();
  return {
    proxy,
    maps: writer.resource<ConfigMap>('v1', 'configmaps', NAMESPACE),
    transport,
    informer,
    errors,
    seen,
    elapsedMs: () => runtime.monotonicMs(),
    advance: (ms) => runtime.advance(ms),
    standing: (what, condition) =>
      until(what, async () => {
        await runtime.advance(0);
        return condition();
      }),
    [Symbol.asyncDispose]: async () => {
      await informer.close();
      await running;
      await client.close();
      await writer.close();
      await proxy.down();
      await server.close();
    },
  };
}

/** Strands the connections of an informer that is synced, and changes four times what it mirrors. */
async function strand({ proxy, maps, seen, standing, elapsedMs }: World): Promise<void> {
  await maps.create({ metadata: { name: 'early' } });
  await maps.create({ metadata: { name: 'gone' } });
  await standing('the first two', () => seen.length === 2);
  expect(elapsedMs()).to.equal(0);
  proxy.strand();
  await maps.create({ metadata: { name: 'late' } });
  await maps.patch('early', { data: { a: 'b' } });
  await maps.delete('gone');
  await maps.create({ metadata: { name: 'last' } });
}

const FIRST = ['+early', '+gone'];
const ALL = [...FIRST, '+late', '~early', '-gone', '+last'];

describe('an informer whose connection is gone without a word', () => {
  it('notices it 34 s later over HTTP/2, and resumes with every event', async () => {
    await using one = await world(true);
    const { transport, informer, errors, seen, advance, standing } = one;
    await strand(one);
    // Neither the ping nor the probe of the informer is answered; both use the dead session.
    await advance(33_999);
    expect([errors, seen, transport.connectionsOpened]).to.deep.equal([[], FIRST, 1]);
    await advance(1);
    await standing('the report', () => errors.length > 0);
    // The back-off; everything after it is answered.
    await advance(2000);
    await standing('the events', () => seen.length === ALL.length);
    expect([errors, seen]).to.deep.equal([['CONNECTION_FAILED'], ALL]);
    expect(informer.inspect()).to.include({ connected: true, relists: 0, objects: 3 });
    expect(transport.connectionsOpened).to.equal(2);
    expect(transport.inspect().sessions.map(({ streams }) => streams)).to.deep.equal([1]);
  });

  it('notices it within 35 s over HTTP/1.1, by asking over another connection, and resumes with every event', async () => {
    await using one = await world(false);
    const { transport, informer, errors, seen, elapsedMs, advance, standing } = one;
    await strand(one);
    await advance(29_999);
    expect([errors, transport.inspect().requests]).to.deep.equal([[], 1]);
    // The clock stands while the server answers the probe. The dead watch is the one request that stays.
    while (errors.length === 0 && elapsedMs() < 60_000) {
      await standing('the answers', () => transport.inspect().requests === 1);
      await advance(STEP_MS);
    }
    expect(elapsedMs()).to.be.greaterThan(30_000).and.at.most(35_000);
    await advance(2000);
    await standing('the events', () => seen.length === ALL.length);
    expect([errors, seen]).to.deep.equal([['STREAM_IDLE'], ALL]);
    expect(informer.inspect()).to.include({ connected: true, relists: 0, objects: 3 });
    expect(transport.inspect().requests).to.equal(1);
  });
});
