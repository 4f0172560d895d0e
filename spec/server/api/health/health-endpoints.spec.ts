import { expect } from 'chai';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { HealthEndpoints } from '../../../../lib/server/api/health/health-endpoints.ts';
import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import type { ApiHandler } from '../../../../lib/server/http/api-request.ts';
import { LateStore } from '../late-store.ts';
import { call, readAll } from '../support.ts';

async function ask(
  health: HealthEndpoints,
  url: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const { pathname, searchParams } = new URL(url, 'http://server');
  const { status, body } = await health.answer(pathname, searchParams);
  return { status, text: await readAll(body) };
}

const broken = {
  name: 'broken',
  check: (): never => {
    throw new Error('the disk is full');
  },
};

describe('health endpoints', () => {
  it('answer ok, and every check when asked to be verbose', async () => {
    const health = new HealthEndpoints(
      [
        { name: 'etcd', check: () => Promise.resolve() },
        { name: 'shutdown', endpoints: ['readyz'], check: () => {} },
      ],
      silentLogger,
    );
    expect(await ask(health, '/livez')).to.deep.equal({ status: 200, text: 'ok' });
    expect((await ask(health, '/healthz?verbose')).text).to.equal(
      '[+]ping ok\n[+]etcd ok\nhealthz check passed\n',
    );
    expect((await ask(health, '/readyz?verbose=1')).text).to.equal(
      '[+]ping ok\n[+]etcd ok\n[+]shutdown ok\nreadyz check passed\n',
    );
  });

  it('answer 500 with all checks when one fails, and keep the reason for the log', async () => {
    const logged: unknown[] = [];
    const logger = { ...silentLogger, warn: (...parts: unknown[]) => logged.push(parts) };
    const health = new HealthEndpoints([broken], logger);
    expect(await ask(health, '/livez')).to.deep.equal({
      status: 500,
      text: '[+]ping ok\n[-]broken failed: reason withheld\nlivez check failed\n',
    });
    expect(logged).to.deep.equal([
      ['a health check failed', { endpoint: 'livez', checks: { broken: 'the disk is full' } }],
    ]);
  });

  it('leave out excluded checks, and warn of unknown ones', async () => {
    const health = new HealthEndpoints([broken], silentLogger);
    expect(await ask(health, '/livez?verbose&exclude=broken&exclude=b&exclude=a')).to.deep.equal({
      status: 200,
      text: '[+]ping ok\n[+]broken excluded: ok\nwarn: some health checks cannot be excluded: no matches for "a", "b"\nlivez check passed\n',
    });
  });

  it('answer one check at its own path', async () => {
    const health = new HealthEndpoints([broken], silentLogger);
    expect(await ask(health, '/livez/ping')).to.deep.equal({ status: 200, text: 'ok' });
    expect(await ask(health, '/healthz/broken')).to.deep.equal({
      status: 500,
      text: 'internal server error: the disk is full\n',
    });
    for (const path of ['/livez/', '/livez/nope', '/livez/ping/']) {
      const error: unknown = await ask(health, path).catch((thrown: unknown) => thrown);
      expect(error, path).to.include({ httpStatus: 404 });
    }
  });
});

describe('the health of a server', () => {
  const text = async (handler: ApiHandler, path: string): Promise<string> =>
    (await call(handler, 'GET', path)).text;

  it('is healthy after its start, for any method', async () => {
    await using server = new ApiServer();
    expect(await text(server.handler, '/readyz?verbose')).to.equal(
      [
        '[+]ping ok',
        '[+]etcd ok',
        '[+]etcd-readiness ok',
        '[+]informer-sync ok',
        '[+]poststarthook/start-apiextensions-controllers ok',
        '[+]poststarthook/crd-informer-synced ok',
        '[+]poststarthook/start-system-namespaces-controller ok',
        '[+]poststarthook/storage-readiness ok',
        '[+]poststarthook/rbac/bootstrap-roles ok',
        '[+]poststarthook/scheduling/bootstrap-system-priority-classes ok',
        '[+]poststarthook/bootstrap-controller ok',
        '[+]poststarthook/start-kubernetes-service-cidr-controller ok',
        '[+]poststarthook/kube-apiserver-autoregistration ok',
        '[+]autoregister-completion ok',
        '[+]shutdown ok',
        'readyz check passed\n',
      ].join('\n'),
    );
    expect((await call(server.handler, 'POST', '/livez')).status).to.equal(200);
  });

  it('names what fails while its storage is down', async () => {
    await using keyValueStore = new LateStore({ runtime: realRuntime });
    await using server = new ApiServer({ keyValueStore });
    const { status, text: verdict } = await call(server.handler, 'GET', '/livez');
    expect(status).to.equal(500);
    expect(verdict).to.include('[+]ping ok\n[-]etcd failed: reason withheld\n');
    expect(verdict).to.match(/livez check failed\n$/);
    expect((await call(server.handler, 'GET', '/livez/ping')).status).to.equal(200);
    expect((await call(server.handler, 'GET', '/readyz/etcd-readiness')).status).to.equal(500);
    expect((await call(server.handler, 'GET', '/api/v1/pods')).status).to.equal(503);
  });

  it('ends with the server', async () => {
    const server = new ApiServer();
    expect((await call(server.handler, 'GET', '/readyz')).status).to.equal(200);
    await server.close();
    const { status, text: verdict } = await call(server.handler, 'GET', '/readyz');
    expect(status).to.equal(500);
    expect(verdict).to.include('[-]shutdown failed: reason withheld\n');
  });
});
