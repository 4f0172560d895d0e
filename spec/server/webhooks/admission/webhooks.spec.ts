import { expect } from 'chai';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import type { ApiHandler } from '../../../../lib/server/http/api-request.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { call, type CallOptions } from '../../api/support.ts';
import { LocalWebhook } from '../local-webhook.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const REGISTRATION = 'admissionregistration.k8s.io/v1';
const MUTATING = `/apis/${REGISTRATION}/mutatingwebhookconfigurations`;
const VALIDATING = `/apis/${REGISTRATION}/validatingwebhookconfigurations`;
/** Only a hang reaches it. */
const DEADLINE_MS = 60_000;

type Json = Readonly<Record<string, unknown>>;

const map = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

describe('webhooks of admission', () => {
  let hook: LocalWebhook;
  let server: ApiServer;

  beforeEach(async () => {
    hook = await LocalWebhook.start();
    server = new ApiServer();
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await hook.close();
  });

  async function send(method: string, url: string, options: CallOptions = {}): Promise<Json> {
    const { status, json } = await call(server.handler, method, url, options);
    return { ...json(), status };
  }

  async function register(url: string, webhook: Json, name: string = 'test'): Promise<Json> {
    return await send('POST', url, { body: configuration(url, webhook, name) });
  }

  function configuration(url: string, webhook: Json, name: string): object {
    const webhooks = [
      {
        name: 'check.example.com',
        clientConfig: {
          url: `${hook.origin}/check`,
          caBundle: Buffer.from(hook.authority).toString('base64'),
        },
        rules: [
          { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
        ],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...webhook,
      },
    ];
    const kind =
      url === MUTATING ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration';
    return { apiVersion: REGISTRATION, kind, metadata: { name }, webhooks };
  }

  /** The answer to a review with this `response`. */
  function responding(response: (request: Json) => Json): void {
    hook.answer = (body) => {
      const { request } = body as { request: Json };
      return {
        body: {
          apiVersion: 'admission.k8s.io/v1',
          kind: 'AdmissionReview',
          response: { uid: request['uid'], allowed: true, ...response(request) },
        },
      };
    };
  }

  it('that hang hold up no other request, and end with the request that waits', async () => {
    await register(VALIDATING, { objectSelector: { matchLabels: { slow: 'yes' } } });
    await register(MUTATING, { objectSelector: { matchLabels: { slow: 'yes' } } });
    hook.answer = () => undefined;
    const called = new Promise<void>((resolve) => {
      hook.onCall = resolve;
    });
    const client = new AbortController();
    const slow = { ...map('slow'), metadata: { name: 'slow', labels: { slow: 'yes' } } };
    let ended = false;
    const waiting = send('POST', MAPS, { body: slow, signal: client.signal }).finally(() => {
      ended = true;
    });
    await called;
    expect((await send('POST', MAPS, { body: map('quick') }))['status']).to.equal(201);
    expect((await send('GET', `${MAPS}/quick`))['status']).to.equal(200);
    expect((await send('DELETE', `${MAPS}/quick`))['status']).to.equal(200);
    expect(ended).to.equal(false);
    client.abort();
    expect((await waiting)['status']).not.to.equal(201);
    expect((await send('GET', `${MAPS}/slow`))['status']).to.equal(404);
  }).timeout(DEADLINE_MS);

  /** The audit annotations of a new config map, and its status. */
  async function annotated(name: string): Promise<{ status: unknown; found: string[][] }> {
    const found: string[][] = [];
    const annotate = (...pair: [key: string, value: string]): void => {
      found.push(pair);
    };
    const handler: ApiHandler = (request) => server.handler({ ...request, annotate });
    const { status } = await call(handler, 'POST', MAPS, { body: map(name) });
    return { status, found };
  }

  it('annotate the record of a request that they see, also of one that they deny', async () => {
    await register(MUTATING, { name: 'change.example.com' });
    await register(VALIDATING, {});
    responding(({ name }) => ({
      allowed: name !== 'bad',
      auditAnnotations: { why: `it is ${String(name)}`, 'a/b': 'no key', none: null },
    }));
    const noted = (hook: string, name: string): string[][] => [
      [`${hook}.example.com/why`, `it is ${name}`],
      [`${hook}.example.com/none`, ''],
    ];
    const good = [...noted('change', 'good'), ...noted('check', 'good')];
    expect(await annotated('good')).to.deep.equal({ status: 201, found: good });
    expect(await annotated('bad')).to.deep.equal({ status: 400, found: noted('change', 'bad') });
  });

  it('whose audit annotations are no texts are not understood', async () => {
    await register(VALIDATING, {});
    responding(() => ({ auditAnnotations: { count: 1 } }));
    expect((await send('POST', MAPS, { body: map('a') }))['message']).to.equal(
      'Internal error occurred: failed calling webhook "check.example.com": failed to call webhook: json: cannot unmarshal number into Go struct field AdmissionResponse.response.auditAnnotations of type string',
    );
  });

  it('that redirect are refused, and the other address is not called', async () => {
    const other = await LocalWebhook.start();
    await register(VALIDATING, {});
    for (const status of [302, 307]) {
      hook.answer = () => ({ status, headers: { location: `${other.origin}/x` }, body: '' });
      const { message, code } = await send('POST', MAPS, { body: map('a') });
      expect([code, message]).to.deep.equal([
        500,
        `Internal error occurred: failed calling webhook "check.example.com": failed to call webhook: Post "${hook.origin}/check?timeout=10s": redirect to "${other.origin}/x" refused`,
      ]);
    }
    expect(other.calls).to.deep.equal([]);
    await other.close();
  });

  it('are in effect when their configuration is written, changed and deleted', async () => {
    responding(() => ({ allowed: false, status: { message: 'no' } }));
    await register(VALIDATING, {});
    const refused = await send('POST', MAPS, { body: map('a') });
    expect(refused['message']).to.equal(
      'admission webhook "check.example.com" denied the request: no',
    );
    const change = async (objectSelector: object): Promise<void> => {
      const [webhook] = (await send('GET', `${VALIDATING}/test`))['webhooks'] as [Json];
      const { status } = await send('PATCH', `${VALIDATING}/test`, {
        body: { webhooks: [{ ...webhook, objectSelector }] },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      expect(status).to.equal(200);
    };
    await change({ matchLabels: { x: 'y' } });
    expect((await send('POST', MAPS, { body: map('a') }))['status']).to.equal(201);
    await change({});
    expect((await send('POST', MAPS, { body: map('b') }))['status']).to.equal(400);
    await send('DELETE', `${VALIDATING}/test`);
    expect((await send('POST', MAPS, { body: map('b') }))['status']).to.equal(201);
  });

  it('that another server on the same storage registers are called too', async () => {
    const keyValueStore = new EmbeddedKeyValueStore({});
    await using first = new ApiServer({ keyValueStore });
    await using second = new ApiServer({ keyValueStore });
    await second.start();
    responding(() => ({ allowed: false }));
    const called = new Promise<void>((resolve) => {
      hook.onCall = resolve;
    });
    const body = configuration(VALIDATING, {}, 'test');
    await call(first.handler, 'POST', VALIDATING, { body });
    let isCalled = false;
    void called.then(() => {
      isCalled = true;
    });
    for (let attempt = 0; !isCalled; attempt += 1) {
      await call(second.handler, 'POST', MAPS, { body: map(`m${attempt}`) });
    }
    expect(hook.calls.length).to.equal(1);
  }).timeout(DEADLINE_MS);

  it('with matchConditions fail by their policy, with a message that names them', async () => {
    const matchConditions = [{ name: 'x', expression: 'true' }];
    await register(VALIDATING, { matchConditions });
    const { code, message } = await send('POST', MAPS, { body: map('a') });
    expect([code, message]).to.deep.equal([
      403,
      'configmaps "a" is forbidden: the matchConditions of webhook "check.example.com" cannot be evaluated, because this server has no CEL engine: remove them, or set its failurePolicy to Ignore',
    ]);
    await send('DELETE', `${VALIDATING}/test`);
    await register(VALIDATING, { matchConditions, failurePolicy: 'Ignore' });
    expect((await send('POST', MAPS, { body: map('a') }))['status']).to.equal(201);
    expect(hook.calls).to.deep.equal([]);
  });

  it('see custom objects in the version of their rule', async () => {
    await server.start();
    const version = (name: string, storage: boolean): object => ({
      name,
      storage,
      served: true,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    });
    await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'gadgets.example.io' },
        spec: {
          group: 'example.io',
          scope: 'Namespaced',
          names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget' },
          versions: [version('v1', true), version('v2', false)],
        },
      },
    });
    responding(() => ({
      patchType: 'JSONPatch',
      patch: Buffer.from('[{"op":"add","path":"/size","value":7}]').toString('base64'),
    }));
    const rule = { operations: ['*'], apiGroups: ['example.io'], apiVersions: ['v1'] };
    await register(MUTATING, { rules: [{ ...rule, resources: ['gadgets'] }] });
    const made = await send('POST', '/apis/example.io/v2/namespaces/default/gadgets', {
      body: { apiVersion: 'example.io/v2', kind: 'Gadget', metadata: { name: 'a' } },
    });
    expect([made['status'], made['apiVersion'], made['size']]).to.deep.equal([
      201,
      'example.io/v2',
      7,
    ]);
    const [{ request }] = hook.calls.map(({ body }) => body) as [{ request: Json }];
    const { apiVersion } = request['object'] as Json;
    expect([apiVersion, (request['requestKind'] as Json)['version']]).to.deep.equal([
      'example.io/v1',
      'v2',
    ]);
  });
});
