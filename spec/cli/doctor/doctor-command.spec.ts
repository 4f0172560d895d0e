import { expect } from 'chai';
import { RawServer, type Script } from '../../client/support/raw-server.ts';
import { until } from '../../support/until.ts';
import { certificateThatEnds, DoctorFixture, tokenWith, TOKEN } from '../support/doctor-fixture.ts';
import { examine } from '../support/examine.ts';
import { fakeApi } from '../support/fake-api.ts';

describe('listwatch doctor', () => {
  let doctor: DoctorFixture;
  beforeEach(async () => {
    doctor = await DoctorFixture.make();
  });
  afterEach(async () => {
    await doctor[Symbol.asyncDispose]();
  });

  describe('with a server that is well', () => {
    it('has no failure and no warning, and measures list, watch and latency', async () => {
      const examined = await doctor.examineApi(fakeApi());
      expect(examined.ids('failed'), examined.text).to.deep.equal([]);
      expect(examined.ids('warning')).to.deep.equal([]);
      expect(examined.ids('skipped')).to.deep.equal([]);
      expect([examined.code, examined.document.ok]).to.deep.equal([0, true]);
      expect(examined.document.steps.map(({ id }) => id)).to.deep.equal([
        'configuration',
        'credentials',
        'proxy',
        'address',
        'tcp',
        'tls',
        'version',
        'clock',
        'authentication',
        'latency',
        'discovery',
        'permission/pods',
        'list/pods',
        'watch/pods',
        'features',
      ]);
    });

    it('says where the configuration is from, and which user the server sees', async () => {
      const examined = await doctor.examineApi(fakeApi());
      expect(examined.step('configuration').detail).to.match(
        /^https:\/\/127\.0\.0\.1:\d+, namespace shop, from context dev in .*config, cluster dev, user jane$/,
      );
      expect(examined.step('authentication').data).to.deep.equal({
        username: 'jane',
        groups: ['developers'],
      });
      expect(examined.step('version').data).to.include({ gitVersion: 'v1.36.0' });
    });

    it('counts the objects and pages of a list, and the bytes of all pages', async () => {
      const { data } = (await doctor.examineApi(fakeApi())).step('list/pods');
      expect(data).to.include({ objects: 3, pages: 2, complete: true, resourceVersion: '7' });
      expect(data['bytes']).to.be.greaterThan(100);
    });

    it('reads a watch to the end of its initial events, and leaves it then', async () => {
      const examined = await doctor.examineApi(fakeApi());
      expect(examined.step('watch/pods').data).to.include({
        events: 1,
        initialEventsEnd: true,
        streamedList: true,
      });
      expect(examined.step('features').data).to.deep.equal({
        watchList: true,
        bookmarks: true,
        resourceVersionMatch: true,
      });
    });

    it('checks permission, list and watch of each given resource, by any name that kubectl takes', async () => {
      const examined = await doctor.examineApi(fakeApi(), [
        '-r',
        'po',
        '-r',
        'deployments.apps',
        '-r',
        'node',
      ]);
      expect(examined.ids('ok').slice(11, -1)).to.deep.equal([
        'permission/po',
        'list/po',
        'watch/po',
        'permission/deployments.apps',
        'list/deployments.apps',
        'watch/deployments.apps',
        'permission/node',
        'list/node',
        'watch/node',
      ]);
    });

    it('asks in one namespace when one is given', async () => {
      const paths: string[] = [];
      const api = fakeApi();
      const examined = await doctor.examineApi(
        (request, response, body) => {
          paths.push(request.url ?? '');
          return api(request, response, body);
        },
        ['--namespace', 'shop'],
      );
      expect(examined.step('permission/pods').detail).to.equal(
        'list and watch pods in namespace shop',
      );
      expect(paths.filter((path) => path.startsWith('/api/v1/pods'))).to.deep.equal([]);
      expect(paths.some((path) => path.startsWith('/api/v1/namespaces/shop/pods'))).to.equal(true);
    });

    it('opens one connection for its requests, and one for the watch', async () => {
      const { cert, key, authority: ca } = certificateThatEnds(1000);
      await using server = await RawServer.start(fakeApi(), { cert, key });
      const file = await doctor.kubeconfig({ server: server.url, ca });
      await examine(['--kubeconfig', file]);
      // The step TLS has one of its own. Discovery sends several requests at a time.
      expect(server.connections).to.be.lessThan(12);
      await until('all connections are closed', () => server.sockets.size === 0);
    });

    it('shows no secret', async () => {
      const token = tokenWith({ sub: 'jane', exp: Date.now() / 1000 + 3600 });
      const examined = await doctor.examineApi(fakeApi(), ['--verbose'], {}, { token });
      expect(examined.text).to.not.include(token.split('.')[2]);
      expect(examined.text).to.not.include(TOKEN);
      expect(examined.step('credentials').data['token']).to.include({ subject: 'jane' });
    });
  });

  it('ends at an interruption with 130, and says so in the document', async () => {
    const interruption = new AbortController();
    const script: Script = () => interruption.abort(new Error('interrupted'));
    const examined = await doctor.examineApi(script, [], { signal: interruption.signal });
    expect(examined.code).to.equal(130);
    expect(examined.document).to.include({
      format: 1,
      version: '1.2.3',
      ok: false,
      interrupted: true,
    });
    expect(examined.document.steps.at(-1)).to.include({ id: 'version', detail: 'interrupted' });
  });
});
