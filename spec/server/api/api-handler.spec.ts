import { expect } from 'chai';
import { deferred } from '../../../lib/kernel/time/latch.ts';
import { conflict, tooManyRequests } from '../../../lib/meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import type { ApiHandler } from '../../../lib/server/http/api-request.ts';
import type { RestStorage } from '../../../lib/server/registry/contract/rest-storage.ts';
import {
  call,
  FakeRegistry,
  fakeStorage,
  handlerOf,
  nodes,
  readAll,
  apiRequest,
  serve,
  storedObject,
  widget,
  widgetVerbs,
  type CallOptions,
} from './support.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

const SHOP = '/apis/example.io/v1/namespaces/shop/widgets';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

interface Rig {
  readonly runtime: VirtualRuntime;
  readonly handler: ApiHandler;
  readonly objects: Map<string, UnstructuredObject>;
  readonly verbs: ReturnType<typeof widgetVerbs>;
}

function rig(extra: Partial<RestStorage> = {}): Rig {
  const objects = new Map([['a', widget('a', '5', { spec: { size: 1 } })]]);
  const verbs = widgetVerbs(objects);
  const { handler, runtime } = serve(fakeStorage({ ...verbs, ...extra }));
  return { handler, runtime, objects, verbs };
}

async function codeOf(
  handler: ApiHandler,
  method: string,
  url: string,
  options?: CallOptions,
): Promise<string> {
  const answer = await call(handler, method, url, options);
  const { kind, reason, code } = answer.json();
  expect(kind).to.equal('Status');
  expect(code).to.equal(answer.status);
  return `${answer.status} ${String(reason)}`;
}

/** The spec of a widget. */
const WIDGET = { apiVersion: 'example.io/v1', kind: 'Widget' };

describe('api handler', () => {
  it('answers an object with the very bytes of the storage', async () => {
    const { handler, objects } = rig();
    const answer = await call(handler, 'GET', `${SHOP}/a`);
    expect(answer.status).to.equal(200);
    expect(answer.text).to.equal(`${JSON.stringify(objects.get('a'))}\n`);
    expect(answer.headers['content-type']).to.equal('application/json');
  });

  it('puts list metadata and item bytes together', async () => {
    const { handler, objects } = rig();
    objects.set('b', widget('b', '6'));
    const { text } = await call(handler, 'GET', SHOP);
    const items = [...objects.values()].map((object) => JSON.stringify(object)).join(',');
    expect(text).to.equal(
      '{"kind":"WidgetList","apiVersion":"example.io/v1","metadata":{"resourceVersion":"100","continue":"next",' +
        `"remainingItemCount":5},"items":[${items}]}\n`,
    );
  });

  it('streams a list that is larger than a chunk, whole and in order', async () => {
    const { handler, objects, runtime } = rig();
    for (let index = 0; index < 5_000; index += 1) {
      objects.set(`w${index}`, widget(`w${index}`, String(index), { text: 'x'.repeat(100) }));
    }
    const { body } = await handler(apiRequest('GET', SHOP));
    expect(body).not.to.be.instanceOf(Uint8Array);
    const text = await runtime.run(readAll(body));
    const { items } = JSON.parse(text) as { items: UnstructuredObject[] };
    expect(items.map(({ metadata }) => metadata?.name)).to.deep.equal([...objects.keys()]);
  });

  it('answers YAML and indented JSON on request', async () => {
    const { handler } = rig();
    const yaml = await call(handler, 'GET', `${SHOP}/a`, {
      headers: { accept: 'application/yaml' },
    });
    expect(yaml.headers['content-type']).to.equal('application/yaml');
    expect(yaml.text).to.contain('metadata:\n  name: a\n');
    const no = {
      body: { ...WIDGET, metadata: { name: 'no', labels: { country: 'no', mode: '0644' } } },
    };
    const quoted = await call(handler, 'POST', SHOP, {
      ...no,
      headers: { accept: 'application/yaml' },
    });
    expect(quoted.text).to.contain('country: "no"').and.contain('mode: "0644"');
    const pretty = await call(handler, 'GET', `${SHOP}/a?pretty=true`);
    expect(pretty.text).to.contain('{\n  "apiVersion": "example.io/v1",\n');
    expect(pretty.json()).to.deep.equal((await call(handler, 'GET', `${SHOP}/a`)).json());
  });

  it('creates with 201 and hands warnings on, quoted', async () => {
    const { handler, verbs } = rig();
    const answer = await call(handler, 'POST', SHOP, {
      body: { ...WIDGET, metadata: { name: 'new' } },
    });
    expect(answer.status).to.equal(201);
    expect(answer.json()).to.deep.include({ apiVersion: 'example.io/v1', kind: 'Widget' });
    expect(answer.headers['warning']).to.deep.equal(['299 - "mind the \\"gap\\""']);
    expect(verbs.contexts[0]).to.deep.include({ namespace: 'shop', user: 'system:admin' });
  });

  it('updates, and refuses a body that belongs somewhere else', async () => {
    const { handler } = rig();
    const body = (name: string, namespace: string): CallOptions => ({
      body: { ...WIDGET, metadata: { name, namespace }, spec: { size: 2 } },
    });
    const answer = await call(handler, 'PUT', `${SHOP}/a`, body('a', 'shop'));
    expect(answer.status).to.equal(200);
    expect(answer.json()['spec']).to.deep.equal({ size: 2 });
    expect(
      (await call(handler, 'PUT', `${SHOP}/a`, { body: { ...WIDGET, metadata: { name: 'a' } } }))
        .status,
    ).to.equal(200);
    expect(await codeOf(handler, 'PUT', `${SHOP}/a`, body('b', 'shop'))).to.equal('400 BadRequest');
    expect(await codeOf(handler, 'PUT', `${SHOP}/a`, body('a', 'other'))).to.equal(
      '400 BadRequest',
    );
  });

  it('gives every attempt of an update an object of its own', async () => {
    const attempts: UnstructuredObject[] = [];
    const { handler } = rig({
      update: async (_context, _name, update) => {
        for (let attempt = 0; attempt < 2; attempt += 1) {
          const object = await update(undefined);
          attempts.push(structuredClone(object));
          (object['spec'] as { size: number }).size += 1;
        }
        return { result: storedObject(widget('a', '9')), created: true };
      },
    });
    const answer = await call(handler, 'PUT', `${SHOP}/a`, {
      body: { ...WIDGET, metadata: { name: 'a' }, spec: { size: 1 } },
    });
    expect(answer.status).to.equal(201);
    expect(attempts[1]).to.deep.equal(attempts[0]);
  });

  it('applies a patch inside the update, so that it runs again after a conflict', async () => {
    const states = [widget('a', '5', { list: ['x'] }), widget('a', '6', { list: ['x', 'y'] })];
    const results: unknown[] = [];
    const { handler } = rig({
      update: async (_context, _name, update) => {
        for (const state of states) results.push((await update(structuredClone(state)))['list']);
        return { result: storedObject(widget('a', '7')), created: false };
      },
    });
    const answer = await call(handler, 'PATCH', `${SHOP}/a`, {
      headers: { 'content-type': 'application/json-patch+json' },
      body: [{ op: 'add', path: '/list/-', value: 'z' }],
    });
    expect(answer.status).to.equal(200);
    expect(results).to.deep.equal([
      ['x', 'z'],
      ['x', 'y', 'z'],
    ]);
  });

  it('takes merge patches everywhere and strategic ones for built-in groups', async () => {
    const patch = (contentType: string): CallOptions => ({
      headers: { 'content-type': contentType },
      body: { spec: { size: 8 } },
    });
    const { handler } = rig();
    const merged = await call(handler, 'PATCH', `${SHOP}/a`, patch('application/merge-patch+json'));
    expect(merged.json()['spec']).to.deep.equal({ size: 8 });
    const strategic = patch('application/strategic-merge-patch+json');
    expect(await codeOf(handler, 'PATCH', `${SHOP}/a`, strategic)).to.equal(
      '415 UnsupportedMediaType',
    );
    expect(
      await codeOf(handler, 'PATCH', `${SHOP}/a?force=true`, patch('application/apply-patch+yaml')),
    ).to.equal('405 MethodNotAllowed');
    let node: UnstructuredObject | undefined;
    const storage = fakeStorage(
      {
        update: async (_context, name, update) => {
          node = await update({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
          return { result: storedObject(node), created: false };
        },
      },
      nodes,
    );
    await call(serve(storage).handler, 'PATCH', '/api/v1/nodes/n1', strategic);
    expect(node?.['spec']).to.deep.equal({ size: 8 });
  });

  it('refuses a patch that makes another kind of it, or nothing at all', async () => {
    const { handler } = rig();
    const merge = { 'content-type': 'application/merge-patch+json' };
    const json = { 'content-type': 'application/json-patch+json' };
    const cases: CallOptions[] = [
      { headers: merge, body: '"text"' },
      { headers: json, body: {} },
    ];
    for (const options of cases) {
      expect(await codeOf(handler, 'PATCH', `${SHOP}/a`, options)).to.equal('400 BadRequest');
    }
    const other = { headers: merge, body: { kind: 'Gadget' } };
    expect(await codeOf(handler, 'PATCH', `${SHOP}/a`, other)).to.equal('422 Invalid');
    const nothing = { headers: json, body: [{ op: 'replace', path: '', value: 1 }] };
    expect(await codeOf(handler, 'PATCH', `${SHOP}/a`, nothing)).to.equal('422 Invalid');
    expect(
      await codeOf(handler, 'PATCH', `${SHOP}/a?force=true`, { headers: merge, body: {} }),
    ).to.equal('422 Invalid');
    expect(await codeOf(handler, 'PATCH', `${SHOP}/none`, { headers: merge, body: {} })).to.equal(
      '404 NotFound',
    );
  });

  it('answers a finished deletion with a Status and a pending one with the object', async () => {
    const { handler } = rig();
    const pending = await call(handler, 'DELETE', `${SHOP}/a?gracePeriodSeconds=30`);
    expect([pending.status, pending.json()['kind']]).to.deep.equal([200, 'Widget']);
    const later = await call(handler, 'DELETE', `${SHOP}/a`, {
      body: { gracePeriodSeconds: 30, orphanDependents: false },
    });
    expect(later.status).to.equal(202);
    const done = await call(handler, 'DELETE', `${SHOP}/a`);
    expect(done.json()).to.deep.equal({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', group: 'example.io', kind: 'widgets', uid: 'uid-a' },
    });
  });

  it('reads how to delete from the body or the query', async () => {
    const requests: unknown[] = [];
    const { handler } = rig({
      delete: async (_context, _name, request) => {
        requests.push(JSON.parse(JSON.stringify(request)));
        return { result: storedObject(widget('a', '5')), done: true };
      },
    });
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u', resourceVersion: '5' },
      gracePeriodSeconds: -3,
      dryRun: ['All'],
    };
    await call(handler, 'DELETE', `${SHOP}/a?propagationPolicy=Orphan`, { body });
    await call(
      handler,
      'DELETE',
      `${SHOP}/a?propagationPolicy=Orphan&gracePeriodSeconds=7&dryRun=All`,
    );
    await call(handler, 'DELETE', `${SHOP}/a?orphanDependents=true`);
    expect(requests).to.deep.equal([
      {
        propagationPolicy: 'Foreground',
        preconditions: { uid: 'u', resourceVersion: '5' },
        gracePeriodSeconds: 1,
        dryRun: true,
      },
      { propagationPolicy: 'Orphan', gracePeriodSeconds: 7, dryRun: true },
      { propagationPolicy: 'Orphan', dryRun: false },
    ]);
  });

  it('refuses deletion options without a meaning', async () => {
    const { handler } = rig();
    const rows: readonly [body: object, expected: string][] = [
      [{ propagationPolicy: 'Maybe' }, '422 Invalid'],
      [{ propagationPolicy: 'Orphan', orphanDependents: true }, '422 Invalid'],
      [{ dryRun: ['None'] }, '422 Invalid'],
      [{ gracePeriodSeconds: 'soon' }, '400 BadRequest'],
      [{ preconditions: 'none' }, '400 BadRequest'],
      [{ kind: 'Widget' }, '400 BadRequest'],
      [[], '400 BadRequest'],
    ];
    for (const [body, expected] of rows) {
      expect(await codeOf(handler, 'DELETE', `${SHOP}/a`, { body }), JSON.stringify(body)).to.equal(
        expected,
      );
    }
  });

  it('deletes a collection and answers with what is gone', async () => {
    const { handler } = rig({
      deleteCollection: async (_context, { labelSelector }) => {
        expect(labelSelector).to.equal('a=b');
        return { items: [storedObject(widget('a', '5'))], resourceVersion: '9' };
      },
    });
    const answer = await call(handler, 'DELETE', `${SHOP}?labelSelector=a%3Db`);
    expect([answer.status, answer.json()['kind']]).to.deep.equal([200, 'WidgetList']);
  });

  it('finds nothing where nothing is served', async () => {
    const { handler } = rig();
    for (const url of [
      '/apis/example.io/v1/gadgets',
      '/apis/example.io/v2/widgets',
      '/apis/other.io/v1/widgets',
      '/apis/example.io/v1/widgets/a',
      '/nothing',
      '*',
    ]) {
      const { status, text } = await call(handler, 'GET', url);
      expect([status, text], url).to.deep.equal([404, '404 page not found\n']);
    }
    const { handler: cluster } = serve(fakeStorage({}, nodes));
    expect(await codeOf(cluster, 'GET', '/api/v1/namespaces/shop/nodes')).to.equal('404 NotFound');
  });

  it('refuses to create a namespaced object without saying where', async () => {
    const { handler } = rig();
    const url = '/apis/example.io/v1/widgets';
    const { status, text } = await call(handler, 'POST', url, { body: {} });
    expect([status, text]).to.deep.equal([404, '404 page not found\n']);
  });

  it('answers 405 for verbs the storage lacks', async () => {
    const { handler } = serve(fakeStorage({}));
    const merge = { 'content-type': 'application/merge-patch+json' };
    const rows: readonly [method: string, url: string, options?: CallOptions][] = [
      ['GET', SHOP],
      ['GET', `${SHOP}?watch=1`],
      ['GET', `${SHOP}/a`],
      ['POST', SHOP, { body: {} }],
      ['PUT', `${SHOP}/a`, { body: {} }],
      ['PATCH', `${SHOP}/a`, { headers: merge, body: {} }],
      ['DELETE', `${SHOP}/a`],
      ['DELETE', SHOP],
      ['OPTIONS', SHOP],
      ['POST', '/version'],
      ['DELETE', '/api'],
    ];
    for (const [method, url, options] of rows) {
      expect(await codeOf(handler, method, url, options), `${method} ${url}`).to.equal(
        '405 MethodNotAllowed',
      );
    }
  });

  it('refuses what it cannot answer before it does anything', async () => {
    const { handler, objects } = rig();
    const headers = { accept: 'text/html', 'content-type': 'application/json' };
    const body = { metadata: { name: 'new' } };
    expect(await codeOf(handler, 'POST', SHOP, { headers, body })).to.equal('406 NotAcceptable');
    expect(objects.has('new')).to.equal(false);
  });

  it('reaches a subresource', async () => {
    const registry = new FakeRegistry();
    registry.install(fakeStorage({}), {
      status: fakeStorage(widgetVerbs(new Map([['a', widget('a', '5')]]))),
    });
    const answer = await call(handlerOf(registry, new VirtualRuntime()), 'GET', `${SHOP}/a/status`);
    expect(answer.status).to.equal(200);
  });

  it('says when to come back, in the Status and in a header', async () => {
    const { handler } = rig({ list: () => Promise.reject(tooManyRequests('not ready', 7)) });
    const answer = await call(handler, 'GET', SHOP);
    expect([answer.status, answer.headers['retry-after']]).to.deep.equal([429, '7']);
  });

  it('hands failures of the storage on, and makes 500 of everything else', async () => {
    const { handler } = rig({
      get: (_context, name) => {
        if (name === 'busy') throw conflict({ group: '', resource: 'widgets' }, name, 'it changed');
        throw new TypeError('oops');
      },
    });
    expect(await codeOf(handler, 'GET', `${SHOP}/busy`)).to.equal('409 Conflict');
    expect(await codeOf(handler, 'GET', `${SHOP}/broken`)).to.equal('500 InternalError');
  });

  it('gives up on a storage that does not answer after a minute, and says so', async () => {
    const never = deferred<never>();
    let signal: AbortSignal | undefined;
    const { handler, runtime } = serve(
      fakeStorage({
        get: (context) => {
          ({ signal } = context);
          return never.promise;
        },
      }),
    );
    const before = runtime.monotonicMs();
    const answer = await runtime.run(() => call(handler, 'GET', `${SHOP}/a`));
    expect([answer.status, answer.json()['reason']]).to.deep.equal([504, 'Timeout']);
    expect(runtime.monotonicMs() - before).to.equal(60_000);
    expect(signal?.aborted).to.equal(true);
    expect(runtime.pending).to.equal(0);
  });

  it('gives up earlier for a client that asks for it, and never later', async () => {
    const never = deferred<never>();
    const { handler, runtime } = serve(fakeStorage({ get: () => never.promise }));
    for (const [timeout, waitedMs] of [
      ['1500ms', 1500],
      ['2m', 60_000],
      ['0', 60_000],
    ] as const) {
      const before = runtime.monotonicMs();
      const answer = await runtime.run(() => call(handler, 'GET', `${SHOP}/a?timeout=${timeout}`));
      expect([answer.status, answer.json()['reason']], timeout).to.deep.equal([504, 'Timeout']);
      expect(runtime.monotonicMs() - before, timeout).to.equal(waitedMs);
    }
  });

  it('does nothing for a client whose time is up before the work begins', async () => {
    const { handler } = serve(fakeStorage({ get: () => expect.fail('it was asked') }));
    expect(await codeOf(handler, 'GET', `${SHOP}/a?timeout=1ns`)).to.equal('504 Timeout');
  });

  it('refuses a time limit that is no duration, but does not read that of a watch', async () => {
    const { handler } = rig();
    expect(await codeOf(handler, 'GET', `${SHOP}?timeout=5`)).to.equal('400 BadRequest');
    expect(await codeOf(handler, 'GET', '/version?timeout=5')).to.equal('400 BadRequest');
    const watch = `${SHOP}?watch=1&timeout=5`;
    expect(await codeOf(handler, 'GET', watch), 'no watch').to.equal('405 MethodNotAllowed');
  });

  it('leaves no timer and no listener behind after an answer', async () => {
    const { handler, runtime } = serve(
      fakeStorage(widgetVerbs(new Map([['a', widget('a', '5')]]))),
    );
    await call(handler, 'GET', `${SHOP}/a`);
    expect(runtime.pending).to.equal(0);
  });

  it('marks every answer with an audit id and as not to be cached', async () => {
    const { handler } = rig();
    for (const url of [`${SHOP}/a`, `${SHOP}/none`, '/version', '/api']) {
      const { headers } = await call(handler, 'GET', url);
      expect(headers['audit-id'], url).to.match(/^[0-9a-f-]{36}$/);
      expect(headers['cache-control'], url).to.equal('no-cache, private');
    }
    const given = await call(handler, 'GET', '/version', { headers: { 'audit-id': 'my-id' } });
    expect(given.headers['audit-id']).to.equal('my-id');
    const hostile = await call(handler, 'GET', '/version', {
      headers: { 'audit-id': 'a\r\nb: c' },
    });
    expect(hostile.headers['audit-id']).to.match(/^[0-9a-f-]{36}$/);
  });

  it('says that it lives, and what it is', async () => {
    const { handler } = rig();
    for (const path of ['/healthz', '/livez', '/readyz']) {
      expect((await call(handler, 'GET', path)).text, path).to.equal('ok');
    }
    expect((await call(handler, 'GET', '/version')).json()).to.include({ major: '1', minor: '37' });
  });
});

describe('tables', () => {
  const as = (accept: string): CallOptions => ({ headers: { accept } });

  it('show one row an object, with its metadata', async () => {
    const { handler } = rig();
    const { text } = await call(handler, 'GET', SHOP, as(TABLE));
    const table = JSON.parse(text) as Record<string, unknown>;
    expect(table).to.deep.include({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '100', continue: 'next', remainingItemCount: 5 },
    });
    expect((table['columnDefinitions'] as object[])[0]).to.include({
      name: 'Name',
      format: 'name',
      priority: 0,
    });
    expect(table['rows']).to.deep.equal([
      {
        cells: ['a', 7],
        object: {
          kind: 'PartialObjectMetadata',
          apiVersion: 'meta.k8s.io/v1',
          metadata: { name: 'a', namespace: 'shop', uid: 'uid-a', resourceVersion: '5' },
        },
      },
    ]);
  });

  it('carry the whole object, or nothing, when asked', async () => {
    const { handler, objects } = rig();
    const rows = async (include: string): Promise<object[]> => {
      const answer = await call(handler, 'GET', `${SHOP}?includeObject=${include}`, as(TABLE));
      return answer.json()['rows'] as object[];
    };
    expect((await rows('Object'))[0]).to.deep.equal({ cells: ['a', 7], object: objects.get('a') });
    expect((await rows('None'))[0]).to.deep.equal({ cells: ['a', 7], object: null });
    expect(await codeOf(handler, 'GET', `${SHOP}?includeObject=Some`, as(TABLE))).to.equal(
      '400 BadRequest',
    );
  });

  it('show a single object too, in the version that was asked for', async () => {
    const { handler } = rig();
    const answer = await call(handler, 'GET', `${SHOP}/a`, as(TABLE.replace('v=v1', 'v=v1beta1')));
    expect(answer.json()).to.deep.include({
      apiVersion: 'meta.k8s.io/v1beta1',
      metadata: { resourceVersion: '5' },
    });
  });

  it('give way to metadata alone', async () => {
    const { handler } = rig();
    const shape = (name: string): CallOptions =>
      as(`application/json;as=${name};v=v1;g=meta.k8s.io`);
    const one = await call(handler, 'GET', `${SHOP}/a`, shape('PartialObjectMetadata'));
    expect(one.json()).to.have.keys('kind', 'apiVersion', 'metadata');
    const list = await call(handler, 'GET', SHOP, shape('PartialObjectMetadataList'));
    expect(list.json()['kind']).to.equal('PartialObjectMetadataList');
    expect((list.json()['items'] as object[])[0]).to.deep.equal(one.json());
  });
});
