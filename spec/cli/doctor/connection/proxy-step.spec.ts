import { expect } from 'chai';
import { realNetwork } from '../../../../lib/cli/doctor/connection/real-network.ts';
import type { Network } from '../../../../lib/cli/doctor/contract/network.ts';
import { RawServer } from '../../../client/support/raw-server.ts';
import { TestProxy, type TestProxyOptions } from '../../../client/support/test-proxy.ts';
import { until } from '../../../support/until.ts';
import { certificateThatEnds, DoctorFixture, expectFailure } from '../../support/doctor-fixture.ts';
import { examine, type Examined } from '../../support/examine.ts';
import { fakeApi } from '../../support/fake-api.ts';
import { HeldTimers } from '../../support/held-timers.ts';

describe('the proxy of listwatch doctor', () => {
  let doctor: DoctorFixture;
  beforeEach(async () => {
    doctor = await DoctorFixture.make();
  });
  afterEach(async () => {
    await doctor[Symbol.asyncDispose]();
  });

  interface Through {
    readonly examined: Examined;
    readonly proxy: TestProxy;
    readonly lookedUp: readonly string[];
  }

  /** Examines a server with a name that only the proxy knows. */
  async function examineThrough(
    options: TestProxyOptions,
    urlOf: (proxy: TestProxy) => string,
    host: Parameters<typeof examine>[1] & { readonly parameters?: readonly string[] } = {},
  ): Promise<Through> {
    const { cert, key, authority } = certificateThatEnds(1000);
    await using server = await RawServer.start(fakeApi(), { cert, key });
    await using proxy = await TestProxy.start(options);
    const file = await doctor.kubeconfig({
      server: `https://api.invalid:${server.port}`,
      ca: authority,
      cluster: { 'proxy-url': urlOf(proxy), 'tls-server-name': '127.0.0.1' },
    });
    const lookedUp: string[] = [];
    const network: Network = {
      ...realNetwork,
      lookup: async (name) => {
        lookedUp.push(name);
        return [];
      },
    };
    const { parameters = [], ...rest } = host;
    const examined = await examine(['--kubeconfig', file, ...parameters], { network, ...rest });
    return { examined, proxy, lookedUp };
  }

  const refusedPort = (): string => 'http://127.0.0.1:1';

  it('is used for the TLS probe and for all requests, and resolves the name of the server', async () => {
    const { examined, proxy, lookedUp } = await examineThrough(
      {},
      ({ port }) => `http://127.0.0.1:${port}`,
    );
    expect(examined.ids('failed'), examined.text).to.deep.equal([]);
    expect(examined.ids('skipped')).to.deep.equal(['address', 'tcp']);
    expect(examined.step('proxy').detail).to.match(
      /^http:\/\/127\.0\.0\.1:\d+ from proxy-url of the cluster, tunnel in /,
    );
    expect(examined.step('address').detail).to.equal('the proxy resolves api.invalid');
    expect(lookedUp).to.deep.equal([]);
    expect(proxy.tunnels).to.be.at.least(3);
  });

  it('works with SOCKS5 and a user, and shows neither user nor password', async () => {
    const { examined } = await examineThrough(
      { protocol: 'socks5', user: 'proxy-user', password: 'proxy-secret' },
      ({ port }) => `socks5://proxy-user:proxy-secret@127.0.0.1:${port}`,
    );
    expect(examined.ids('failed'), examined.text).to.deep.equal([]);
    expect(examined.text).to.not.include('proxy-secret').and.not.include('proxy-user');
  });

  it('fails alone when it refuses the tunnel', async () => {
    const { examined } = await examineThrough(
      { refuse: 403 },
      ({ port }) => `http://127.0.0.1:${port}`,
    );
    expectFailure(examined, 'proxy', { code: 'PROXY', detail: /403/, remedy: /./ });
    expect(examined.step('tls').status).to.equal('skipped');
  });

  it('fails alone when it wants a password, and says how to give one', async () => {
    const { examined } = await examineThrough(
      { user: 'proxy-user', password: 'proxy-secret' },
      ({ port }) => `http://127.0.0.1:${port}`,
    );
    expectFailure(examined, 'proxy', { code: 'PROXY', detail: /407/, remedy: /USER:PASSWORD/i });
  });

  it('fails alone when it cannot be reached', async () => {
    const { examined } = await examineThrough({}, refusedPort);
    expectFailure(examined, 'proxy', { code: 'PROXY', detail: /ECONNREFUSED/, remedy: /./ });
  });

  it('fails alone when it is silent, at the time limit', async () => {
    const timers = new HeldTimers(77_000);
    const running = examineThrough(
      { silent: 'request' },
      (proxy) => {
        void until('the proxy has the request', () => proxy.received > 0).then(() => timers.fire());
        return `http://127.0.0.1:${proxy.port}`;
      },
      { runtime: timers.runtime, parameters: ['--timeout', '77s'] },
    );
    const { examined } = await running;
    expect(examined.ids('failed'), examined.text).to.deep.equal(['proxy']);
    expect(examined.step('proxy').detail).to.include('77000 ms');
  });

  it('is none without proxy-url and variables', async () => {
    const examined = await doctor.examineApi(fakeApi());
    expect(examined.step('proxy')).to.include({
      status: 'ok',
      detail: 'none: the cluster has no proxy-url, and HTTPS_PROXY is not set',
    });
  });

  it('is none for this machine, and for hosts of NO_PROXY, and says why', async () => {
    const env = { HTTPS_PROXY: 'http://user:secret@proxy.invalid:3128' };
    const local = await doctor.examineApi(fakeApi(), [], { env });
    expect(local.step('proxy').detail).to.equal(
      'none: HTTPS_PROXY is set, and 127.0.0.1 is this machine',
    );
    expect(local.text).to.not.include('secret@');
    const file = await doctor.kubeconfig({ server: 'https://api.invalid' });
    const network: Network = { ...realNetwork, lookup: () => Promise.reject(new Error('no name')) };
    const excluded = await examine(['--kubeconfig', file], {
      network,
      env: { ...env, NO_PROXY: '.invalid' },
    });
    expect(excluded.step('proxy').detail).to.equal(
      'none: HTTPS_PROXY is set, and NO_PROXY excludes api.invalid',
    );
  });

  it('names the variable that it is from', async () => {
    const file = await doctor.kubeconfig({ server: 'https://api.invalid' });
    await using proxy = await TestProxy.start({});
    const examined = await examine(['--kubeconfig', file], {
      env: { https_proxy: `127.0.0.1:${proxy.port}` },
    });
    expect(examined.step('proxy').data).to.include({ from: 'https_proxy' });
  });
});
