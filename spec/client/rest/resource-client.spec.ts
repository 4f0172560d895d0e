import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import { ApiError } from '../../../lib/meta/failure/api-error.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { failureOf, rejectionOf, thrownBy } from '../support/failure-of.ts';
import { ScriptedTransport, type ScriptedAnswer } from '../support/scripted-transport.ts';
import { statusOf } from '../support/status-failures.ts';

interface Pod extends KubernetesObject {
  readonly spec?: { readonly nodeName?: string };
}

describe('ResourceClient', () => {
  let transport: ScriptedTransport;
  let pods: ResourceClient<Pod>;

  const answer = (...answers: ScriptedAnswer[]): void => {
    transport = new ScriptedTransport((_, index) => answers[Math.min(index, answers.length - 1)]!);
    const client = new Client({ transport });
    pods = client.resource<Pod>('v1', 'pods', { namespace: 'shop' });
  };
  const sent = (): string[] => transport.requests.map((one) => `${one.method} ${one.path}`);
  const bodies = (): unknown[] =>
    transport.requests.map((one) =>
      one.body === undefined ? undefined : JSON.parse(Buffer.from(one.body).toString()),
    );
  const contentTypes = (): unknown[] =>
    transport.requests.map((one) => one.headers?.['content-type']);

  const web: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };

  it('applies, deletes collections and sends strategic patches as the API has it', async () => {
    answer({ body: { ...web, items: [web] } });
    const options = { fieldManager: 'me', force: true, fieldValidation: 'Strict' } as const;
    await pods.apply({ ...web, apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } }, options);
    await pods.patch('web', { spec: {} }, { type: 'strategic' });
    expect(
      await pods.deleteCollection({ labelSelector: 'a=b', gracePeriodSeconds: 0 }),
    ).to.have.length(1);
    const collection = '/api/v1/namespaces/shop/pods';
    expect(sent()).to.deep.equal([
      `PATCH ${collection}/web?fieldManager=me&fieldValidation=Strict&force=true`,
      `PATCH ${collection}/web`,
      `DELETE ${collection}?labelSelector=a%3Db`,
    ]);
    expect(contentTypes()).to.deep.equal([
      'application/apply-patch+yaml',
      'application/strategic-merge-patch+json',
      'application/json',
    ]);
    expect(bodies()[2]).to.deep.include({ kind: 'DeleteOptions', gracePeriodSeconds: 0 });
  });

  it('deletes what may be gone already, on request', async () => {
    answer({ status: 404, body: statusOf('NotFound', 404) });
    expect(await pods.delete('web', { ignoreNotFound: true })).to.equal(undefined);
    expect(await failureOf(pods.delete('web'))).to.include({ code: 'NOT_FOUND' });
  });

  it('addresses each verb as the API has it', async () => {
    answer({ body: web });
    await pods.get('web', { resourceVersion: '0' });
    await pods.create(web, { fieldManager: 'me', dryRun: true });
    await pods.update(web);
    await pods.updateStatus(web);
    await pods.patch('web', { metadata: { labels: { a: null } } });
    await pods.patch('web', [{ op: 'remove', path: '/a' }], { subresource: 'status' });
    await pods.delete('web', {
      preconditions: { uid: 'u', resourceVersion: '5' },
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
    });
    const pod = '/api/v1/namespaces/shop/pods/web';
    expect(sent()).to.deep.equal([
      `GET ${pod}?resourceVersion=0`,
      'POST /api/v1/namespaces/shop/pods?dryRun=All&fieldManager=me',
      `PUT ${pod}`,
      `PUT ${pod}/status`,
      `PATCH ${pod}`,
      `PATCH ${pod}/status`,
      `DELETE ${pod}`,
    ]);
    expect(contentTypes()).to.deep.equal([
      undefined,
      'application/json',
      'application/json',
      'application/json',
      'application/merge-patch+json',
      'application/json-patch+json',
      'application/json',
    ]);
    expect(bodies().slice(-3)).to.deep.equal([
      { metadata: { labels: { a: null } } },
      [{ op: 'remove', path: '/a' }],
      {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid: 'u', resourceVersion: '5' },
        propagationPolicy: 'Foreground',
        gracePeriodSeconds: 0,
      },
    ]);
  });

  it('takes the namespace of the call, then of the object, then its own; the empty one is all', async () => {
    answer({ body: { items: [] } });
    await pods.get('a', { namespace: 'other' });
    await pods.create({ ...web, metadata: { name: 'web', namespace: 'object' } });
    await pods.list({ namespace: '' });
    expect(sent()).to.deep.equal([
      'GET /api/v1/namespaces/other/pods/a',
      'POST /api/v1/namespaces/object/pods',
      'GET /api/v1/pods',
    ]);
  });

  it('lists one page, and completes its items with apiVersion and kind', async () => {
    answer({
      body: {
        apiVersion: 'v1',
        kind: 'PodList',
        metadata: { resourceVersion: '7', continue: 'more', remainingItemCount: 3 },
        items: [{ metadata: { name: 'a' } }, { kind: 'Odd', metadata: { name: 'b' } }],
      },
    });
    const page = await pods.list({ limit: 2, labelSelector: 'app=web', fieldSelector: 'a=b' });
    expect(sent()).to.deep.equal([
      'GET /api/v1/namespaces/shop/pods?labelSelector=app%3Dweb&fieldSelector=a%3Db&limit=2',
    ]);
    expect(page).to.deep.equal({
      items: [
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } },
        { apiVersion: 'v1', kind: 'Odd', metadata: { name: 'b' } },
      ],
      resourceVersion: '7',
      continueToken: 'more',
      remainingItemCount: 3,
    });
  });

  it('leaves the items of a mixed list alone, and takes null for no items', async () => {
    answer(
      { body: { apiVersion: 'v1', kind: 'List', items: [{ metadata: {} }] } },
      { body: { apiVersion: 'v1', kind: 'PodList', items: null } },
    );
    expect((await pods.list()).items).to.deep.equal([{ metadata: {} }]);
    expect((await pods.list()).items).to.deep.equal([]);
  });

  it('goes through all pages, item by item or at once', async () => {
    const first = {
      metadata: { resourceVersion: '7', continue: 'x' },
      items: [{ metadata: { name: 'a' } }],
    };
    const second = { metadata: { resourceVersion: '7' }, items: [{ metadata: { name: 'b' } }] };
    answer({ body: first }, { body: second }, { body: first }, { body: second });
    const names: (string | undefined)[] = [];
    for await (const pod of pods.items({ limit: 1 })) names.push(pod.metadata?.name);
    expect(names).to.deep.equal(['a', 'b']);
    expect((await pods.listAll({ limit: 1 })).items).to.have.length(2);
    expect(sent()[1]).to.equal('GET /api/v1/namespaces/shop/pods?limit=1&continue=x');
  });

  it('reads pages ahead when asked to', async () => {
    const first = { metadata: { resourceVersion: '7', continue: 'x' }, items: [web] };
    answer({ body: first }, { body: { metadata: { resourceVersion: '7' }, items: [web] } });
    for await (const pod of pods.items({ limit: 1, prefetchPages: 1 })) {
      expect(pod.metadata?.name).to.equal('web');
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      expect(sent()).to.have.length(2);
    }
  });

  it('follows changes one by one', async () => {
    const lines = [
      { type: 'ADDED', object: web },
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: '8' } } },
      { type: 'DELETED', object: web },
    ];
    answer({ body: lines.map((line) => `${JSON.stringify(line)}\n`) });
    const events: unknown[] = [];
    for await (const event of pods.watch({ resourceVersion: '7', allowWatchBookmarks: true })) {
      events.push(event);
    }
    expect(events).to.deep.equal([
      { type: 'ADDED', object: web },
      { type: 'BOOKMARK', resourceVersion: '8', initialEventsEnd: false },
      { type: 'DELETED', object: web },
    ]);
    expect(sent()).to.deep.equal([
      'GET /api/v1/namespaces/shop/pods?watch=true&resourceVersion=7&allowWatchBookmarks=true',
    ]);
  });

  it('distinguishes a deletion that is under way from one that is done', async () => {
    answer({ body: web }, { body: { kind: 'Status', apiVersion: 'v1', status: 'Success' } });
    expect(await pods.delete('web')).to.deep.equal(web);
    expect(await pods.delete('web')).to.equal(undefined);
  });

  it('refuses names that would lead to another path, before anything is sent', async () => {
    answer({ body: web });
    for (const name of ['', '.', '..', 'a/b', 'a%2Fb']) {
      expect((await failureOf(pods.get(name))).code, name).to.equal('INVALID_OPTION');
    }
    expect((await failureOf(pods.get('a', { namespace: '..' }))).message).to.contain('namespace');
    const client = new Client({ transport });
    expect(thrownBy(() => client.resource<Pod>('v1', 'pods/../secrets')).code).to.equal(
      'INVALID_OPTION',
    );
    expect(thrownBy(() => client.resource('../v1', 'pods')).code).to.equal('INVALID_API_VERSION');
    expect(transport.requests).to.deep.equal([]);
  });

  it('sends nothing for a name that is missing: the path without it is that of all objects', async () => {
    answer({ body: {} });
    // A mistake that an assertion such as `pod.metadata!.name!` may hide.
    const name = undefined as unknown as string;
    for (const call of [pods.get(name), pods.patch(name, {}), pods.delete(name)]) {
      expect(await rejectionOf(call)).to.include({ code: 'INVALID_OPTION' });
    }
    expect(sent()).to.deep.equal([]);
  });

  it('sends nothing for an option that does not exist', async () => {
    answer({ body: {} });
    const wrong = { labelSeletor: 'app=web' };
    const calls: readonly Promise<unknown>[] = [
      pods.get('web', wrong as object),
      pods.list(wrong as object),
      pods.listAll(wrong as object),
      pods.items(wrong as object).next(),
      pods.watch(wrong as object).next(),
      pods.create(web, wrong as object),
      pods.update(web, wrong as object),
      pods.updateStatus(web, wrong as object),
      pods.patch('web', {}, wrong as object),
      pods.delete('web', wrong as object),
    ];
    for (const call of calls) {
      const { code, message } = (await rejectionOf(call)) as Error & { code: string };
      expect(code).to.equal('INVALID_OPTION');
      expect(message).to.include('unknown option "labelSeletor"');
    }
    expect(sent()).to.deep.equal([]);
  });

  it('encodes names that are unusual but allowed', async () => {
    answer({ body: web });
    await pods.get('system:node?x=1&y#z');
    expect(sent()[0]).to.equal('GET /api/v1/namespaces/shop/pods/system%3Anode%3Fx%3D1%26y%23z');
  });

  it('rejects an update of an object without name', async () => {
    answer({ body: web });
    expect((await failureOf(pods.update({ metadata: {} }))).code).to.equal('KEY');
  });

  describe('refusals', () => {
    it('become the ApiError of their Status', async () => {
      answer({ status: 404, body: statusOf('NotFound', 404, 'pods "web" not found') });
      const error = await rejectionOf(pods.get('web'));
      expect(error).to.be.instanceOf(ApiError);
      expect(error).to.include({
        code: 'NOT_FOUND',
        message:
          'get pods "web" in namespace "shop" (GET http://scripted/api/v1/namespaces/shop/pods/web): it does not exist; create it, or correct name and namespace',
        httpStatus: 404,
      });
      expect((error as ApiError).status.message).to.equal('pods "web" not found');
    });

    it('without a Status say what was asked and what came, on one line', async () => {
      const page = `<html>\n<title>502 Bad\tGateway</title>${'x'.repeat(5_000)}`;
      answer({ status: 502, body: page, headers: { server: 'nginx/1.2' } });
      const error = (await rejectionOf(pods.get('web'))) as ApiError;
      expect(error).to.be.instanceOf(ApiError);
      expect(error.message).to.equal(
        'get pods "web" in namespace "shop" (GET http://scripted/api/v1/namespaces/shop/pods/web): ' +
          'an HTML page with HTTP 502 from "nginx/1.2", not from an API server: 502 Bad Gateway; ' +
          'check that the API server behind this proxy runs',
      );
      expect(error).to.include({ code: 'UNKNOWN_STATUS', httpStatus: 502 });
    });

    it('without a Status still have the code of their HTTP status, and the time to wait', async () => {
      const headers = { 'retry-after': '3' };
      const cases = {
        401: 'UNAUTHORIZED',
        410: 'EXPIRED',
        429: 'TOO_MANY_REQUESTS',
        503: 'SERVICE_UNAVAILABLE',
      };
      for (const [status, code] of Object.entries(cases)) {
        answer({ status: Number(status), headers });
        const error = (await rejectionOf(pods.get('web'))) as ApiError;
        expect(error.code).to.equal(code);
        expect(error.retryAfterMs).to.equal(3_000);
      }
    });

    it('keep a long Status whole', async () => {
      const causes = Array.from({ length: 200 }, (_, index) => ({
        field: `spec.f${index}`,
        message: 'bad',
      }));
      answer({ status: 422, body: { ...statusOf('Invalid', 422), details: { causes } } });
      const error = (await rejectionOf(pods.create(web))) as ApiError;
      expect(error.code).to.equal('INVALID');
      expect(error.causes).to.have.length(200);
    });
  });

  it('rejects an answer that is not what was asked for, without showing it', async () => {
    const canary = 'c2VjcmV0';
    for (const body of [canary, `"${canary}"`]) {
      answer({ body });
      const error = await failureOf(pods.get('web'));
      expect(error.code).to.equal('MALFORMED_RESPONSE');
      expect(error.message).not.to.contain(canary);
    }
    for (const body of [`{"items": [${canary}`, `{"a":"${canary}"}`, '{"items":7}', 'null']) {
      answer({ body });
      const error = await failureOf(pods.list());
      expect(error.code, body).to.equal('MALFORMED_RESPONSE');
      expect(error.message).to.contain('GET http://scripted/').and.not.to.contain(canary);
    }
    for (const body of ['', `{"metadata":{"name":"${canary}`]) {
      answer({ body });
      const error = await failureOf(pods.get('web'));
      expect(error.code).to.equal('CONNECTION_FAILED');
      const problem = body === '' ? 'the answer is empty' : 'ended in the middle';
      expect(error.message).to.contain(problem).and.not.to.contain(canary);
    }
  });

  it('keeps hostile keys as the data they are', async () => {
    answer({
      body: '{"kind":"PodList","items":[{"metadata":{"labels":{"__proto__":"a","constructor":"b"}},"__proto__":{"x":1}}]}',
    });
    const [pod] = (await pods.list()).items;
    expect(Object.keys(pod?.metadata?.labels ?? {})).to.deep.equal(['__proto__', 'constructor']);
    expect(({} as { x?: number }).x).to.equal(undefined);
  });
});
