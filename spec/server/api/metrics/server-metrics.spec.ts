import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { MetricLabels } from '../../../../lib/kernel/report/metrics.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { LateStore } from '../late-store.ts';
import { call } from '../support.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

async function linesOf(server: ApiServer): Promise<string[]> {
  const { status, headers, text } = await call(server.handler, 'GET', '/metrics');
  expect(status).to.equal(200);
  expect(headers['content-type']).to.equal(
    'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
  );
  return text.split('\n');
}

const labels = (verb: string, scope: string, more = ''): string =>
  `component="apiserver",${more}group="",resource="configmaps",scope="${scope}",subresource="",verb="${verb}",version="v1"`;

describe('/metrics', () => {
  let server: ApiServer;
  beforeEach(() => {
    server = new ApiServer();
  });
  afterEach(() => server.close());

  it('counts requests by verb, resource, scope and code, with their time and size', async () => {
    await call(server.handler, 'POST', MAPS, { body: { metadata: { name: 'a' } } });
    await call(server.handler, 'POST', MAPS, { body: { metadata: { name: 'a' } } });
    await call(server.handler, 'POST', `${MAPS}?dryRun=All`, { body: { metadata: { name: 'b' } } });
    const { text } = await call(server.handler, 'GET', MAPS);
    await call(server.handler, 'GET', `${MAPS}/none`);
    const lines = await linesOf(server);
    expect(lines).to.include.members([
      `apiserver_request_total{code="201",${labels('POST', 'resource', 'dry_run="",')}} 1`,
      `apiserver_request_total{code="409",${labels('POST', 'resource', 'dry_run="",')}} 1`,
      `apiserver_request_total{code="201",${labels('POST', 'resource', 'dry_run="All",')}} 1`,
      `apiserver_request_total{code="200",${labels('LIST', 'namespace', 'dry_run="",')}} 1`,
      `apiserver_request_total{code="404",${labels('GET', 'resource', 'dry_run="",')}} 1`,
      `apiserver_request_duration_seconds_count{${labels('POST', 'resource', 'dry_run="",')}} 2`,
      `apiserver_response_sizes_sum{${labels('LIST', 'namespace')}} ${Buffer.byteLength(text)}`,
      'apiserver_current_inflight_requests{request_kind="readOnly"} 1',
      'apiserver_resource_objects{group="",resource="configmaps"} 1',
      'apiserver_storage_objects{resource="deployments.apps"} 0',
    ]);
    expect(
      lines.some((line) =>
        line.startsWith(
          'etcd_request_duration_seconds_count{group="",operation="create",resource="configmaps"}',
        ),
      ),
    ).to.equal(true);
  });

  it('shows open watches, and counts their events and themselves', async () => {
    const abort = new AbortController();
    const url = `${MAPS}?watch=true&resourceVersion=0`;
    const { body } = await server.handler({
      method: 'GET',
      url,
      headers: {},
      body: new Uint8Array(),
      signal: abort.signal,
    });
    const pieces = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    await call(server.handler, 'POST', MAPS, { body: { metadata: { name: 'a' } } });
    const first = await pieces.next();
    const watch = labels('WATCH', 'namespace');
    const collection = 'group="",resource="configmaps",version="v1"';
    expect(await linesOf(server)).to.include.members([
      `apiserver_longrunning_requests{${watch}} 1`,
      `apiserver_watch_events_total{${collection}} 1`,
      `apiserver_watch_events_sizes_sum{${collection}} ${(first.value as Uint8Array).byteLength}`,
    ]);
    abort.abort(new Error('the client has gone'));
    expect((await pieces.next()).done).to.equal(true);
    const lines = await linesOf(server);
    expect(lines.some((line) => line.startsWith('apiserver_longrunning_requests{'))).to.equal(
      false,
    );
    expect(lines).to.include(
      `apiserver_request_total{code="200",${labels('WATCH', 'namespace', 'dry_run="",')}} 1`,
    );
  });

  it('never has a path of a client in a label', async () => {
    for (const path of [
      '/secret-path',
      '/api/v1/secret-path',
      '/livez/secret-path',
      '/apis/secret-path/v1/x',
    ]) {
      await call(server.handler, 'GET', path);
    }
    await call(server.handler, 'SECRET-PATH', '/api/v1/pods');
    const lines = await linesOf(server);
    expect(lines.filter((line) => /secret-path/i.test(line))).to.deep.equal([]);
    const ofNone = 'component="",dry_run="",group="",resource="",scope=""';
    expect(lines).to.include.members([
      `apiserver_request_total{code="404",${ofNone},subresource="",verb="GET",version=""} 1`,
      `apiserver_request_total{code="404",${ofNone},subresource="/livez",verb="GET",version=""} 1`,
    ]);
  });

  it('starts again when it is deleted', async () => {
    await call(server.handler, 'GET', MAPS);
    const { text } = await call(server.handler, 'DELETE', '/metrics');
    expect(text).to.equal('metrics reset\n');
    expect((await linesOf(server)).join('\n')).not.to.include('resource="configmaps",scope');
  });

  it('counts failures of the storage', async () => {
    await using keyValueStore = new LateStore({ runtime: new VirtualRuntime() });
    keyValueStore.down = false;
    await using late = new ApiServer({ keyValueStore });
    // The first reading fills the caches, which read the storage too.
    await linesOf(late);
    keyValueStore.down = true;
    const { status } = await call(late.handler, 'GET', `${MAPS}/a`);
    expect(status).to.be.at.least(500);
    expect(await linesOf(late)).to.include(
      'etcd_request_errors_total{group="",operation="get",resource="configmaps"} 1',
    );
  });

  it('passes what is reported on to the metrics of the user', async () => {
    const reported: (readonly [string, MetricLabels | undefined])[] = [];
    const metrics = {
      count: (name: string, _by?: number, labels?: MetricLabels) => reported.push([name, labels]),
      gauge: () => {},
      observe: () => {},
    };
    await using own = new ApiServer({ metrics });
    await call(own.handler, 'GET', MAPS);
    expect(reported).to.deep.include([
      'apiserver_request_total',
      {
        verb: 'LIST',
        group: '',
        version: 'v1',
        resource: 'configmaps',
        subresource: '',
        scope: 'namespace',
        component: 'apiserver',
        dry_run: '',
        code: '200',
      },
    ]);
  });

  it('shows the use of the process, but not in a virtual runtime', async () => {
    expect((await linesOf(server)).join('\n')).to.match(/^process_resident_memory_bytes \d/m);
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      await using virtual = new ApiServer({ runtime });
      expect((await linesOf(virtual)).join('\n')).not.to.include('process_');
    });
  });
});
