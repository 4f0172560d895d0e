import { expect } from 'chai';
import { json, RawServer, type Script } from '../../../client/support/raw-server.ts';
import { DoctorFixture, expectFailure, tokenWith, TOKEN } from '../../support/doctor-fixture.ts';
import { examine } from '../../support/examine.ts';
import { fakeApi, forbidden, refusal } from '../../support/fake-api.ts';
import { wrongClock } from '../../support/held-timers.ts';

describe('the steps of listwatch doctor that send requests', () => {
  let doctor: DoctorFixture;
  beforeEach(async () => {
    doctor = await DoctorFixture.make();
  });
  afterEach(async () => {
    await doctor[Symbol.asyncDispose]();
  });

  describe('with a server that answers something else', () => {
    it('fails at the version when a portal answers with a web page, and shows its title', async () => {
      const page = '<html><head><title>Hotel WiFi login</title></head><body></body></html>';
      const script: Script = (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end(page);
      };
      expectFailure(await doctor.examineApi(script), 'version', {
        code: 'MALFORMED_RESPONSE',
        detail:
          'the answer is no JSON object but text/html, 70 bytes, with the title "Hotel WiFi login"',
        remedy: /a login page, a portal or a proxy/,
      });
    });

    it('fails at the version when the server redirects', async () => {
      const script: Script = (_request, response) => {
        response.writeHead(302, { location: 'https://login.example/' }).end();
      };
      expectFailure(await doctor.examineApi(script), 'version', {
        code: 'REDIRECT_REFUSED',
        detail: /redirect \(HTTP 302\)/,
        remedy: /^use the address of the API server itself/,
      });
    });

    it('fails at the version when the server is another one', async () => {
      const script: Script = (_request, response) => json(response, { hello: 'world' });
      expectFailure(await doctor.examineApi(script), 'version', {
        code: 'MALFORMED_RESPONSE',
        detail: 'the answer to /version has no gitVersion: this is not an API server',
        remedy: /browser/,
      });
    });

    it('fails at who am I with 401, names the source of the credentials, and no secret', async () => {
      const examined = await doctor.examineApi(
        fakeApi({ '*': (response) => refusal(response, 401, 'Unauthorized', 'Unauthorized') }),
      );
      expectFailure(examined, 'authentication', {
        code: 'UNAUTHORIZED',
        detail: /^the server does not accept the credentials from .* \(HTTP 401\)$/,
        remedy: /^log in again, or replace the credentials/,
      });
      expect(examined.text).to.not.include(TOKEN);
    });

    it('fails at the permission alone when all is forbidden, with the rule to add', async () => {
      expectFailure(await doctor.examineApi(fakeApi({ '*': forbidden })), 'permission/pods', {
        code: 'FORBIDDEN',
        detail: 'jane may not list and watch pods in all namespaces (HTTP 403)',
        remedy:
          /^add \{apiGroups: \[""\], resources: \["pods"\], verbs: \["list","watch"\]\} to a ClusterRole$/,
      });
    });

    it('fails at the permission when one verb is missing, and says in which namespace both are allowed', async () => {
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      const examined = await doctor.examineApi(
        fakeApi({
          [path]: (response, _request, body) => {
            const review = JSON.parse(body.toString()) as {
              spec: { resourceAttributes: { verb: string; namespace?: string } };
            };
            const { verb, namespace } = review.spec.resourceAttributes;
            const allowed = verb === 'list' || namespace === 'shop';
            json(response, { status: { allowed } }, 201);
          },
        }),
      );
      expectFailure(examined, 'permission/pods', {
        code: 'FORBIDDEN',
        detail: 'jane may not watch pods in all namespaces (HTTP 403)',
        remedy: /^give --namespace shop, and the namespace to the informer/,
      });
      expect(examined.step('permission/pods').data).to.deep.equal({
        allowed: ['list'],
        missing: ['watch'],
      });
    });

    it('goes on with the other resources after a permission that is missing', async () => {
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      const examined = await doctor.examineApi(
        fakeApi({
          [path]: (response, _request, body) =>
            json(response, { status: { allowed: !body.toString().includes('"pods"') } }, 201),
        }),
        ['-r', 'pods', '-r', 'nodes'],
      );
      expect(examined.ids('failed')).to.deep.equal(['permission/pods']);
      expect(examined.ids('skipped')).to.deep.equal(['list/pods', 'watch/pods', 'features']);
      expect(examined.step('watch/nodes').status).to.equal('ok');
    });

    it('fails at discovery for a resource that is misspelled, with the closest name', async () => {
      expectFailure(await doctor.examineApi(fakeApi(), ['-r', 'deploymnets.apps']), 'discovery', {
        code: 'RESOURCE_UNKNOWN',
        detail: 'the server serves no resource deploymnets.apps',
        remedy: /^did you mean --resource deployments\.apps\?$/,
      });
    });

    it('fails at discovery for a right name in a wrong group, and for a misspelt kind', async () => {
      for (const [given, meant] of [
        ['nodes.apps', 'nodes'],
        ['deploymet', 'deployments.apps'],
      ] as const) {
        expectFailure(await doctor.examineApi(fakeApi(), ['-r', given]), 'discovery', {
          code: 'RESOURCE_UNKNOWN',
          detail: `the server serves no resource ${given}`,
          remedy: new RegExp(`^did you mean --resource ${meant}\\?$`),
        });
      }
    });

    it('fails at discovery for a resource that no informer can read', async () => {
      expectFailure(
        await doctor.examineApi(fakeApi(), ['-r', 'pods.metrics.k8s.io']),
        'discovery',
        {
          code: 'METHOD_NOT_ALLOWED',
          detail: 'pods.metrics.k8s.io offers no watch, so no informer can read it',
          remedy: /kubectl api-resources --verbs=list,watch$/,
        },
      );
    });

    it('warns about an API version that does not answer, and names it', async () => {
      const examined = await doctor.examineApi(
        fakeApi({
          '/apis/metrics.k8s.io/v1beta1': (response) =>
            refusal(response, 503, 'ServiceUnavailable', 'no endpoints available'),
        }),
      );
      expect(examined.ids('warning')).to.deep.equal(['discovery']);
      const { detail, remedy } = examined.step('discovery');
      expect(detail).to.include('no answer for metrics.k8s.io/v1beta1: no endpoints available');
      expect(remedy).to.include('kubectl get apiservice v1beta1.metrics.k8s.io');
    });

    it('warns about an API version whose answer is no list of resources', async () => {
      const path = '/apis/metrics.k8s.io/v1beta1';
      const examined = await doctor.examineApi(
        fakeApi({ [path]: (response) => json(response, { hello: 'world' }) }),
      );
      expect(examined.step('discovery').detail).to.include(
        'no answer for metrics.k8s.io/v1beta1: the answer is no list of resources',
      );
    });

    it('warns without bookmarks and streamed lists, and reads a short watch instead', async () => {
      const queries: string[] = [];
      const examined = await doctor.examineApi(
        fakeApi({
          '/api/v1/pods': (response, request) => {
            const { searchParams } = new URL(request.url ?? '', 'http://api');
            if (searchParams.get('watch') !== 'true') {
              return json(response, { metadata: { resourceVersion: '3' }, items: [] });
            }
            queries.push(searchParams.get('timeoutSeconds') ?? '');
            if (searchParams.has('sendInitialEvents')) {
              return refusal(response, 422, 'Invalid', 'sendInitialEvents is forbidden');
            }
            response.writeHead(200, { 'content-type': 'application/json' }).end();
          },
        }),
      );
      expect(queries).to.deep.equal(['60', '5']);
      expect(examined.ids('warning')).to.deep.equal(['watch/pods']);
      expect(examined.step('watch/pods').detail).to.include('the server does not stream lists');
      expect(examined.step('features').data).to.deep.equal({
        watchList: false,
        bookmarks: false,
        resourceVersionMatch: false,
      });
    });

    it('fails at the watch when the server sends an error event', async () => {
      const status = {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'Expired',
        code: 410,
        message: 'old',
      };
      const examined = await doctor.examineApi(
        fakeApi({
          '/api/v1/pods': (response, request) =>
            request.url?.includes('watch=true') === true
              ? json(response, { type: 'ERROR', object: status })
              : json(response, { metadata: { resourceVersion: '3' }, items: [] }),
        }),
      );
      expect(examined.ids('failed')).to.deep.equal(['watch/pods']);
      expect(examined.step('watch/pods')).to.include({ code: 'EXPIRED', detail: 'old' });
    });

    it('fails at a list that has no resourceVersion', async () => {
      const examined = await doctor.examineApi(
        fakeApi({
          '/api/v1/pods': (response, request) =>
            request.url?.includes('watch=true') === true
              ? response.writeHead(200).end()
              : json(response, { metadata: {}, items: [] }),
        }),
      );
      expect(examined.ids('failed')).to.deep.equal(['list/pods']);
    });

    it('distinguishes an http address from a port that speaks TLS', async () => {
      const script: Script = (_request, response) => {
        response.writeHead(400).end('Client sent an HTTP request to an HTTPS server.\n');
      };
      await using server = await RawServer.start(script);
      const file = await doctor.kubeconfig({ server: server.url });
      expectFailure(await examine(['--kubeconfig', file]), 'version', {
        code: 'BAD_REQUEST',
        detail: 'the server speaks TLS at this port, and the address is http://',
        remedy: /^write https:\/\//,
      });
    });
  });

  describe('with a clock that is wrong', () => {
    it('fails at the clock when it is an hour off', async () => {
      const examined = await doctor.examineApi(fakeApi(), [], { runtime: wrongClock(-3_600_000) });
      expectFailure(examined, 'clock', {
        code: 'UNAUTHORIZED',
        detail: /^the clock of the server is 3[56]\d\d\.\d s ahead of that of this machine$/,
        remedy: /timedatectl/,
      });
    });

    it('warns when it is 20 seconds off', async () => {
      const examined = await doctor.examineApi(fakeApi(), [], { runtime: wrongClock(20_000) });
      expect(examined.ids('warning'), examined.text).to.deep.equal(['clock']);
      expect(examined.step('clock').detail).to.include('behind that of this machine');
    });

    it('fails when a token is valid by one clock only', async () => {
      // By this machine's clock, which is a minute behind, the token is still valid.
      const user = { token: tokenWith({ exp: Date.now() / 1000 - 10 }) };
      const examined = await doctor.examineApi(
        fakeApi(),
        [],
        { runtime: wrongClock(-60_000) },
        user,
      );
      expect(examined.ids('failed')).to.deep.equal(['clock']);
      expect(examined.step('clock').detail).to.include('by one of them the token is not valid');
    });
  });
});
