import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { get as httpsGet } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { ApiServerOptions } from '../../../lib/server/api/api-server-options.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { apiRequest, call, type Call, type CallOptions } from './support.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

const configMap = (name: string, data: Record<string, string> = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

/** A server without a socket, on virtual time. */
async function withServer(
  run: (
    server: ApiServer,
    api: (method: string, url: string, options?: CallOptions) => Promise<Call>,
  ) => Promise<void>,
  options: ApiServerOptions = {},
): Promise<void> {
  const runtime = new VirtualRuntime();
  await runtime.run(async () => {
    await using server = new ApiServer({ runtime, ...options });
    await run(server, (method, url, more) => call(server.handler, method, url, more));
  });
}

async function versionOf(answer: Promise<Call>): Promise<string> {
  const { metadata } = (await answer).json() as { metadata: { resourceVersion: string } };
  return metadata.resourceVersion;
}

interface Line {
  readonly type: string;
  readonly object: KubernetesObject & { readonly code?: number };
}

/** The lines of a watch that was asked to end by itself. */
async function watchLines(
  server: ApiServer,
  query: string,
  path: string = CONFIG_MAPS,
): Promise<Line[]> {
  const { text, status } = await call(
    server.handler,
    'GET',
    `${path}?watch=1&timeoutSeconds=1&${query}`,
  );
  expect(status, text).to.equal(200);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

const notified = (lines: readonly Line[]): string[] =>
  lines.map(({ type, object }) => `${type} ${object.metadata?.name ?? ''}`.trim());

describe('api server', () => {
  it('waits for nothing before it answers its first request (npm run bench has the milliseconds)', async () => {
    const runtime = new VirtualRuntime();
    const server = new ApiServer({ runtime });
    const answer = await runtime.run(call(server.handler, 'GET', '/api/v1/namespaces/default'));
    expect(answer.status).to.equal(200);
    expect(answer.json()).to.have.nested.property('metadata.name', 'default');
    expect(runtime.monotonicMs()).to.equal(0);
    await server.close();
  });

  it('answers over a socket once it listens', async () => {
    const server = new ApiServer();
    await server.listen();
    const headers = { authorization: `Bearer ${server.token}`, connection: 'close' };
    const response = await fetch(`${server.url}/api/v1/namespaces/default`, { headers });
    expect(response.status).to.equal(200);
    expect(await response.json()).to.have.nested.property('metadata.name', 'default');
    await server.close();
  });

  it('opens its port before it starts, if configured, and starts with the first request', async () => {
    const runtime = new VirtualRuntime();
    const keyValueStore = new EmbeddedKeyValueStore({ runtime });
    const isEmpty = async (): Promise<boolean> => (await keyValueStore.status()).revision <= 1n;
    const server = new ApiServer({ keyValueStore });
    await server.listen({ lazy: true });
    const port = Number(new URL(server.url).port);
    expect(await isEmpty()).to.equal(true);
    const headers = { authorization: `Bearer ${server.token}`, connection: 'close' };
    const path = '/api/v1/namespaces/default/services/kubernetes';
    const response = await fetch(`${server.url}${path}`, { headers });
    expect(response.status).to.equal(200);
    expect(await response.json()).to.have.nested.property('spec.ports[0].targetPort', port);
    expect(await isEmpty()).to.equal(false);
    await server.close();
    await keyValueStore.close();
  });

  it('starts once, whether start, listen or a request is first', async () => {
    const server = new ApiServer();
    await Promise.all([server.start(), server.listen({ lazy: true }), server.start()]);
    const path = '/api/v1/namespaces/default/services/kubernetes';
    const service = (await call(server.handler, 'GET', path)).json();
    const port = Number(new URL(server.url).port);
    expect(service).to.have.nested.property('spec.ports[0].targetPort', port);
    await server.close();
    const error = await server.start().catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'CLOSED' });
  });

  it('serves create, read, update, patch and delete over the whole stack', async () => {
    await withServer(async (_server, api) => {
      const created = await api('POST', CONFIG_MAPS, { body: configMap('a', { x: '1' }) });
      expect(created.status).to.equal(201);
      const object = created.json() as { metadata: { resourceVersion: string; uid: string } };
      expect((await api('GET', `${CONFIG_MAPS}/a`)).json()).to.deep.equal(object);
      expect((await api('POST', CONFIG_MAPS, { body: configMap('a') })).json()).to.include({
        code: 409,
        reason: 'AlreadyExists',
      });

      const updated = await api('PUT', `${CONFIG_MAPS}/a`, {
        body: { ...object, data: { x: '2' } },
      });
      expect(updated.json()['data']).to.deep.equal({ x: '2' });
      const stale = await api('PUT', `${CONFIG_MAPS}/a`, { body: { ...object, data: { x: '3' } } });
      expect(stale.json()).to.include({ code: 409, reason: 'Conflict' });

      const merge = { 'content-type': 'application/merge-patch+json' };
      const same = await api('PATCH', `${CONFIG_MAPS}/a`, {
        headers: merge,
        body: { data: { x: '2' } },
      });
      expect(same.text).to.equal(updated.text);
      const patched = await api('PATCH', `${CONFIG_MAPS}/a`, {
        headers: merge,
        body: { data: { y: '5' } },
      });
      expect(patched.json()['data']).to.deep.equal({ x: '2', y: '5' });
      const guarded = {
        metadata: { resourceVersion: object.metadata.resourceVersion },
        data: { z: '1' },
      };
      expect(
        (await api('PATCH', `${CONFIG_MAPS}/a`, { headers: merge, body: guarded })).status,
      ).to.equal(409);

      const wrong = { preconditions: { uid: 'another' } };
      expect((await api('DELETE', `${CONFIG_MAPS}/a`, { body: wrong })).status).to.equal(409);
      const deleted = await api('DELETE', `${CONFIG_MAPS}/a`, {
        body: { preconditions: { uid: object.metadata.uid } },
      });
      expect(deleted.json()).to.deep.include({ kind: 'Status', status: 'Success' });
      expect((await api('GET', `${CONFIG_MAPS}/a`)).status).to.equal(404);
    });
  });

  it('changes nothing in a dry run', async () => {
    await withServer(async (_server, api) => {
      const answer = await api('POST', `${CONFIG_MAPS}?dryRun=All`, { body: configMap('a') });
      expect(answer.status).to.equal(201);
      expect((await api('GET', `${CONFIG_MAPS}/a`)).status).to.equal(404);
    });
  });

  it('pages a list, and says so when the pages have become too old', async () => {
    await withServer(async (server, api) => {
      for (const name of ['a', 'b', 'c']) await api('POST', CONFIG_MAPS, { body: configMap(name) });
      const first = (await api('GET', `${CONFIG_MAPS}?limit=2`)).json() as {
        metadata: { continue: string; resourceVersion: string; remainingItemCount: number };
        items: ConfigMap[];
      };
      expect(first.items).to.have.length(2);
      expect(first.metadata.remainingItemCount).to.equal(1);
      await api('POST', CONFIG_MAPS, { body: configMap('d') });
      const next = `${CONFIG_MAPS}?limit=2&continue=${first.metadata.continue}`;
      const second = (await api('GET', next)).json() as typeof first;
      expect(second.items.map(({ metadata }) => metadata?.name)).to.deep.equal(['c']);
      expect(second.metadata.resourceVersion).to.equal(first.metadata.resourceVersion);

      await api('POST', CONFIG_MAPS, { body: configMap('e') });
      await server.compact();
      const expired = (await api('GET', next)).json() as {
        code: number;
        reason: string;
        metadata: { continue?: string };
      };
      expect(expired).to.include({ code: 410, reason: 'Expired' });
      const inconsistent = await api(
        'GET',
        `${CONFIG_MAPS}?limit=9&continue=${expired.metadata.continue ?? ''}`,
      );
      expect(
        (inconsistent.json()['items'] as ConfigMap[]).map(({ metadata }) => metadata?.name),
      ).to.deep.equal(['c', 'd', 'e']);
      expect((await api('GET', `${CONFIG_MAPS}?continue=garbage`)).status).to.equal(400);
    });
  });

  it('watches from the state on, from a version on, and one object', async () => {
    await withServer(async (server, api) => {
      await api('POST', CONFIG_MAPS, { body: configMap('a') });
      const from = await versionOf(api('POST', CONFIG_MAPS, { body: configMap('b') }));
      await api('DELETE', `${CONFIG_MAPS}/a`);
      await api('POST', CONFIG_MAPS, { body: configMap('c') });
      const [state, changes, one, marked] = await Promise.all([
        watchLines(server, ''),
        watchLines(server, `resourceVersion=${from}`),
        watchLines(server, 'fieldSelector=metadata.name%3Dc'),
        watchLines(
          server,
          'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
        ),
      ]);
      expect(notified(state)).to.deep.equal(['ADDED b', 'ADDED c']);
      expect(notified(changes)).to.deep.equal(['DELETED a', 'ADDED c']);
      expect(notified(one)).to.deep.equal(['ADDED c']);
      expect(notified(marked).slice(0, 3)).to.deep.equal(['ADDED b', 'ADDED c', 'BOOKMARK']);
      expect(marked[2]?.object.metadata?.annotations).to.deep.equal({
        'k8s.io/initial-events-end': 'true',
      });
    });
  });

  it('begins a watch at a version it gave out, also when no client has read the resource before', async () => {
    await withServer(async (server, api) => {
      const first = await versionOf(api('POST', CONFIG_MAPS, { body: configMap('a') }));
      await api('POST', CONFIG_MAPS, { body: configMap('b') });
      expect(notified(await watchLines(server, `resourceVersion=${first}`))).to.deep.equal([
        'ADDED b',
      ]);
    });
  });

  it('refuses a watch from before the compaction with 410 in the stream, and one from after it not', async () => {
    await withServer(async (server, api) => {
      const old = await versionOf(api('POST', CONFIG_MAPS, { body: configMap('a') }));
      await watchLines(server, `resourceVersion=${old}`);
      await api('POST', CONFIG_MAPS, { body: configMap('b') });
      const now = await versionOf(api('GET', CONFIG_MAPS));
      await server.compact();
      const [line, ...more] = await watchLines(server, `resourceVersion=${old}`);
      expect(line).to.deep.include({ type: 'ERROR' });
      expect(line?.object).to.include({ kind: 'Status', code: 410, reason: 'Expired' });
      expect(more).to.deep.equal([]);
      await api('POST', CONFIG_MAPS, { body: configMap('c') });
      expect(notified(await watchLines(server, `resourceVersion=${now}`))).to.deep.equal([
        'ADDED c',
      ]);
      await server.compact();
    });
  });

  it('serves a custom resource as soon as its definition is there', async () => {
    await withServer(async (_server, api) => {
      const version = {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      };
      const names = {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
      };
      const definition = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'widgets.example.io' },
        spec: { group: 'example.io', scope: 'Namespaced', names, versions: [version] },
      };
      const path = '/apis/example.io/v1/namespaces/default/widgets';
      expect((await api('GET', path)).status).to.equal(404);
      const before = (await api('GET', '/apis')).text;
      expect(
        (
          await api('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
            body: definition,
          })
        ).status,
      ).to.equal(201);
      const object = {
        apiVersion: 'example.io/v1',
        kind: 'Widget',
        metadata: { name: 'a' },
        spec: { size: 1 },
      };
      expect((await api('POST', path, { body: object })).status).to.equal(201);
      const after = (await api('GET', '/apis')).text;
      expect(after).not.to.equal(before);
      expect(after).to.contain('"name":"example.io"');
      const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
      expect((await api('PATCH', `${path}/a`, { headers: strategic, body: {} })).status).to.equal(
        415,
      );
    });
  });

  it('refuses to create in a namespace that is not there', async () => {
    await withServer(async (_server, api) => {
      const answer = await api('POST', CONFIG_MAPS.replace('default', 'nowhere'), {
        body: configMap('a'),
      });
      expect(answer.json()).to.include({ code: 404, message: 'namespaces "nowhere" not found' });
    });
  });

  it('lists and watches without HTTP', async () => {
    await withServer(async (server, api) => {
      await api('POST', CONFIG_MAPS, {
        body: { ...configMap('a', { x: '1' }), metadata: { name: 'a', labels: { in: 'yes' } } },
      });
      await api('POST', CONFIG_MAPS, { body: configMap('b') });
      const source = server.listerWatcher<ConfigMap>(
        { apiVersion: 'v1', resource: 'configmaps' },
        { namespace: 'default', labelSelector: 'in=yes' },
      );
      expect(source.description).to.equal('configmaps in namespace default with labels in=yes');
      const { items, resourceVersion } = await source.list({});
      expect(items.map(({ object }) => object.data)).to.deep.equal([{ x: '1' }]);
      const stream = await source.watch({ resourceVersion });
      const merge = { 'content-type': 'application/merge-patch+json' };
      await api('PATCH', `${CONFIG_MAPS}/a`, { headers: merge, body: { data: { x: '2' } } });
      for await (const [event] of stream) {
        expect(event).to.have.property('type', 'MODIFIED');
        break;
      }
    });
  });

  it('refuses without HTTP what it refuses over HTTP', async () => {
    await withServer(async (server) => {
      const code = async (run: () => unknown): Promise<unknown> => {
        try {
          await run();
        } catch (error) {
          return (error as { code: string }).code;
        }
        return undefined;
      };
      const pods = { apiVersion: 'v1', resource: 'pods' };
      const gadgets = server.listerWatcher({ apiVersion: 'v1', resource: 'gadgets' });
      expect(await code(() => gadgets.list({}))).to.equal('NOT_FOUND');
      expect(await code(() => gadgets.watch({}))).to.equal('NOT_FOUND');
      const inV2 = server.listerWatcher({ apiVersion: 'v2', resource: 'pods' });
      expect(await code(() => inV2.list({}))).to.equal('NOT_FOUND');
      const byColour = server.listerWatcher(pods, { fieldSelector: 'spec.color=red' });
      expect(await code(() => byColour.list({}))).to.equal('BAD_REQUEST');
      const onNode = server.listerWatcher(pods, { fieldSelector: 'spec.nodeName=n1' });
      expect(await code(() => onNode.list({}))).to.equal(undefined);
    });
  });

  it('refuses an invalid selector or version at the call, before anything is read', async () => {
    await withServer((server) => {
      const pods = { apiVersion: 'v1', resource: 'pods' };
      expect(() => server.listerWatcher(pods, { labelSelector: 'a in' }))
        .to.throw()
        .with.property('code', 'INVALID_SELECTOR');
      expect(() => server.listerWatcher({ apiVersion: 'a/b/c', resource: 'pods' }))
        .to.throw()
        .with.property('code', 'INVALID_API_VERSION');
      return Promise.resolve();
    });
  });

  it('writes a kubeconfig that works for another program over TLS', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'listwatch-spec-'));
    try {
      await using server = new ApiServer();
      await server.listen();
      const path = join(folder, 'kubeconfig');
      await server.writeKubeconfig(path);
      const { clusters, users } = parse(await readFile(path, 'utf8')) as {
        clusters: { cluster: { server: string; 'certificate-authority-data': string } }[];
        users: { user: { token: string } }[];
      };
      const { server: url, 'certificate-authority-data': authority } = clusters[0]!.cluster;
      const status = await new Promise((resolve, reject) => {
        const options = {
          ca: Buffer.from(authority, 'base64'),
          headers: { authorization: `Bearer ${users[0]!.user.token}` },
          agent: false,
        };
        httpsGet(`${url}/api/v1/namespaces`, options, (response) => {
          response.resume().on('end', () => {
            resolve(response.statusCode);
          });
        }).on('error', reject);
      });
      expect(status).to.equal(200);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('asks clients on the socket for the token, and never sends it', async () => {
    await using server = new ApiServer({ token: 'canary-token-0123456789' });
    await server.listen();
    for (const [authorization, status] of [
      ['', 403],
      ['Bearer wrong-token-0123456789', 401],
    ] as const) {
      const response = await fetch(`${server.url}/api`, {
        headers: { authorization, connection: 'close' },
      });
      expect(response.status).to.equal(status);
      expect(response.headers.get('audit-id')).to.be.a('string');
      expect(await response.text()).not.to.contain('canary');
    }
    expect(server.clientConfig()).to.deep.equal({
      server: server.url,
      token: 'canary-token-0123456789',
    });
    expect(inspect(server, { depth: 10 })).not.to.contain('canary');
    expect(JSON.stringify(server)).not.to.contain('canary');
  });

  it('makes a token of its own from the given source of randomness', () => {
    const server = new ApiServer({ randomBytes: (size) => new Uint8Array(size).fill(7) });
    expect(server.token).to.equal(Buffer.alloc(32, 7).toString('base64url'));
    expect(new ApiServer().token).not.to.equal(new ApiServer().token);
  });

  it('ends its watches on close and leaves nothing running', async () => {
    const server = new ApiServer();
    await server.listen();
    const response = await fetch(`${server.url}${CONFIG_MAPS}?watch=1`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    const inProcess = await server.handler(apiRequest('GET', `${CONFIG_MAPS}?watch=1`));
    const iterator = (inProcess.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const next = iterator.next();
    await server.close();
    expect(await response.text()).to.equal('');
    expect(await next).to.deep.equal({ done: true, value: undefined });
    const late = await call(server.handler, 'GET', '/version');
    expect(late.json()).to.include({ code: 503, reason: 'ServiceUnavailable' });
    await server.close();
  });

  it('has no address before it listens', async () => {
    await withServer(async (server) => {
      expect(() => server.url)
        .to.throw('call listen() first')
        .with.property('code', 'NOT_STARTED');
      expect(() => server.clientConfig())
        .to.throw()
        .with.property('code', 'NOT_STARTED');
    });
  });

  it('refuses unknown options', () => {
    expect(() => new ApiServer({ tokn: 'x' } as ApiServerOptions)).to.throw(
      'unknown option "tokn"',
    );
    expect(() => new ApiServer({ token: 'short' })).to.throw('option "token"');
  });

  it('keeps what was written in the store it was given', async () => {
    await using keyValueStore = new EmbeddedKeyValueStore();
    await withServer(
      async (_server, api) => {
        await api('POST', CONFIG_MAPS, { body: configMap('a') });
      },
      { keyValueStore },
    );
    await withServer(
      async (_server, api) => {
        expect((await api('GET', `${CONFIG_MAPS}/a`)).status).to.equal(200);
      },
      { keyValueStore },
    );
  });

  it('is a function of its seed in virtual time', async () => {
    const run = async (): Promise<string> => {
      const runtime = new VirtualRuntime({ seed: 7 });
      return await runtime.run(async () => {
        const server = new ApiServer({ runtime, token: 'a-token-of-enough-length' });
        const answers = [
          await call(server.handler, 'POST', CONFIG_MAPS, { body: configMap('a') }),
          await call(
            server.handler,
            'GET',
            `${CONFIG_MAPS}?watch=1&timeoutSeconds=300&allowWatchBookmarks=true`,
          ),
        ];
        await server.close();
        return JSON.stringify(answers);
      });
    };
    const first = await run();
    expect(first).to.contain('BOOKMARK');
    expect(await run()).to.equal(first);
  });
});
