import { expect } from 'chai';
import { ApplyAllError } from '../../../../lib/client/rest/apply-all/apply-all.ts';
import type {
  AppliedObject,
  ApplyAllOptions,
  FailedManifest,
  Manifests,
} from '../../../../lib/client/rest/apply-all/apply-all-options.ts';
import type { Client } from '../../../../lib/client/rest/client.ts';
import { connect } from '../../../../lib/client/rest/connect.ts';
import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../../../lib/client/transport/contract/transport.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { isApplyConflict } from '../../../../lib/meta/failure/failures.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { inProcessTransport } from '../../../../lib/client/transport/in-process/in-process-transport.ts';
import { failureOf, rejectionOf } from '../../support/failure-of.ts';

/** Counts the writes that are under way at a time. */
class CountingTransport implements Transport {
  readonly server = 'http://in-process';
  readonly #inner: Transport;
  writes = 0;
  most = 0;
  sent: string[] = [];

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (request.method === 'GET') return await this.#inner.send(request);
    this.sent.push(`${request.method} ${request.path}`);
    this.writes += 1;
    this.most = Math.max(this.most, this.writes);
    try {
      return await this.#inner.send(request);
    } finally {
      this.writes -= 1;
    }
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

const map = (name: string, data: object = { a: '1' }, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { app: 'shop' }, ...more },
  data,
});

const namespace = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
});

const definition = (plural: string, kind: string): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.shop.example.com` },
  spec: {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
});

/** Every phase, in the wrong order. */
const SHOP = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: shop }
---
apiVersion: shop.example.com/v1
kind: Widget
metadata: { name: first, namespace: shop }
spec: { size: 0644 }
---
# nothing
---
apiVersion: v1
kind: List
items:
  - apiVersion: apps/v1
    kind: Deployment
    metadata: { name: web, namespace: shop }
    spec:
      selector: { matchLabels: { app: web } }
      template:
        metadata: { labels: { app: web } }
        spec: { containers: [{ name: web, image: web }] }
  - { apiVersion: v1, kind: Service, metadata: { name: web, namespace: shop }, spec: { ports: [{ port: 80 }] } }
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: web, namespace: shop } }
  - apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleBinding
    metadata: { name: web, namespace: shop }
    roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: web }
  - { apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: { name: web, namespace: shop }, rules: [] }
  - { apiVersion: v1, kind: ServiceAccount, metadata: { name: web, namespace: shop } }
  - { apiVersion: v1, kind: LimitRange, metadata: { name: web, namespace: shop }, spec: { limits: [] } }
---
${JSON.stringify(definition('widgets', 'Widget'))}
---
{ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop" } }
`;

describe('Client.applyAll', () => {
  let server: ApiServer;
  let client: Client;
  let transport: CountingTransport;

  beforeEach(async () => {
    server = new ApiServer();
    await server.start();
    transport = new CountingTransport(inProcessTransport(server.handler, { token: server.token }));
    client = await connect({ transport, namespace: 'default', logger: silentLogger });
  });

  afterEach(async () => {
    await client.close();
    await server[Symbol.asyncDispose]();
  });

  const shop = { fieldManager: 'shop' };
  const short = (all: readonly (AppliedObject | FailedManifest)[]): string[] =>
    all.map(({ kind, name, result }) => `${kind} ${name} ${result}`);
  const applied = async (manifests: Manifests, options: ApplyAllOptions = {}): Promise<string[]> =>
    short(await client.applyAll(manifests, { ...shop, ...options }));
  const failed = async (
    manifests: Manifests,
    options: ApplyAllOptions = {},
  ): Promise<ApplyAllError> => {
    const error = await rejectionOf(client.applyAll(manifests, { ...shop, ...options }));
    if (!(error instanceof ApplyAllError)) throw error;
    return error;
  };
  const namesOf = async (resource: string, where?: string): Promise<string[]> => {
    const { items } = await (await client.find(resource, { namespace: where })).list();
    return items.map((one) => one.metadata?.name ?? '').filter((one) => !one.includes('kube'));
  };

  it('applies in the order of an installation, and resolves in the order of the manifests', async () => {
    const order: string[] = [];
    const results = await client.applyAll(SHOP, {
      ...shop,
      concurrency: 1,
      onResult: (one) => {
        order.push(one.kind);
      },
    });
    expect(order).to.deep.equal([
      'Namespace',
      'CustomResourceDefinition',
      'LimitRange',
      'ServiceAccount',
      'Role',
      'RoleBinding',
      'ConfigMap',
      'Service',
      'Deployment',
      'Widget',
      'ValidatingWebhookConfiguration',
    ]);
    expect(results.map((one) => one.kind).slice(0, 3)).to.deep.equal([
      'ValidatingWebhookConfiguration',
      'Widget',
      'Deployment',
    ]);
    expect(new Set(results.map((one) => one.result))).to.deep.equal(new Set(['created']));
    const { place, namespace: where, object } = results[1]!;
    expect([place, where]).to.deep.equal(['manifests, document 2, line 6', 'shop']);
    // YAML 1.1, as kubectl reads it: octal.
    expect(object['spec']).to.deep.equal({ size: 420 });
  });

  it('reports what it has created, configured and left unchanged', async () => {
    const three = [map('a'), map('b'), JSON.stringify(map('c'))];
    expect(await applied(three)).to.deep.equal([
      'ConfigMap a created',
      'ConfigMap b created',
      'ConfigMap c created',
    ]);
    const again = [map('a'), map('b', { a: '2' }), map('c'), map('d')];
    const wanted = ['a unchanged', 'b configured', 'c unchanged', 'd created'];
    const dry = await applied(again, { dryRun: true });
    expect(dry).to.deep.equal(wanted.map((one) => `ConfigMap ${one}`));
    expect(await namesOf('cm')).to.deep.equal(['a', 'b', 'c']);
    expect(await applied(again)).to.deep.equal(dry);
  });

  it('names every manifest that failed with its cause, and applies the others', async () => {
    await client.applyAll([map('a')], { fieldManager: 'other' });
    const unknown = { apiVersion: 'shop.example.com/v9', kind: 'Gadget', metadata: { name: 'g' } };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [] },
    };
    const lost = map('x', {}, { namespace: 'nowhere' });
    const error = await failed([map('a', { a: '2' }), unknown, pod, lost, map('b')]);
    expect(error.code).to.equal('MANIFESTS_FAILED');
    expect(short(error.results)).to.deep.equal(['ConfigMap b created']);
    const codes = error.failures.map((one) => `${one.name} ${one.place} ${one.error.code}`);
    expect(codes.toSorted()).to.deep.equal([
      'a manifest 1 APPLY_CONFLICT',
      'g manifest 2 RESOURCE_UNKNOWN',
      'p manifest 3 INVALID',
      'x manifest 4 NOT_FOUND',
    ]);
    const conflict = error.failures.find((one) => one.name === 'a')?.error;
    expect(isApplyConflict(conflict) && conflict.conflicts[0]?.field).to.equal('.data.a');
    for (const part of [
      '4 of 5 objects failed: ',
      'ConfigMap default/a (manifest 1): ',
      '.data.a',
    ]) {
      expect(error.message).to.contain(part);
    }
    expect(error.message).to.match(/The others are done: 1 created$/);
    expect(error.message).not.to.contain('\n');
    expect(await applied([map('a', { a: '2' })], { force: true })).to.deep.equal([
      'ConfigMap a configured',
    ]);
  });

  it('checks in a dry run what the server can check, and says of what it cannot', async () => {
    const results = await client.applyAll(SHOP, { ...shop, dryRun: true });
    const unchecked = results.filter((one) => one.result === 'unchecked').map((one) => one.kind);
    expect(unchecked.toSorted()).to.deep.equal([
      'ConfigMap',
      'Deployment',
      'LimitRange',
      'Role',
      'RoleBinding',
      'Service',
      'ServiceAccount',
      'Widget',
    ]);
    expect(await namesOf('namespaces')).to.deep.equal(['default']);
    const gadget = { apiVersion: 'shop.example.com/v1', kind: 'Gadget', metadata: { name: 'g' } };
    expect((await failed([gadget], { dryRun: true })).failures[0]?.error.code).to.equal(
      'RESOURCE_UNKNOWN',
    );
  });

  it('deletes what it has applied before and what has no manifest any more', async () => {
    const prune = { labelSelector: 'app=shop' };
    const inShop = map('far', {}, { namespace: 'shop' });
    await applied([namespace('shop'), map('a'), map('b'), inShop]);
    await client.applyAll([map('others')], { fieldManager: 'other' });
    await (await client.find('cm')).create({
      ...map('made'),
      metadata: { name: 'made', labels: { app: 'shop' } },
    });
    const dry = await applied([map('a')], { prune, dryRun: true });
    expect(dry).to.deep.equal(['ConfigMap a unchanged', 'ConfigMap b pruned']);
    expect(await namesOf('cm', 'default')).to.deep.equal(['a', 'b', 'made', 'others']);
    expect(await applied([map('a')], { prune })).to.deep.equal(dry);
    expect(await namesOf('cm', 'default')).to.deep.equal(['a', 'made', 'others']);
    // Other namespaces than those of the manifests stay, and so do all objects while a manifest fails.
    expect(await namesOf('cm', 'shop')).to.deep.equal(['far']);
    const bad = map('bad', { a: 7 }, { namespace: 'shop' });
    await failed([bad, namespace('shop')], { prune });
    expect(await namesOf('cm', 'shop')).to.deep.equal(['far']);
    const gone = await applied([map('a'), map('new', {}, { namespace: 'shop' })], { prune });
    expect(gone.at(-1)).to.equal('ConfigMap far pruned');
  });

  it('prunes kinds that are asked for, and namespaces only then', async () => {
    const labels = { app: 'shop' };
    const made = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'old', labels } };
    const kept = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kept', labels } };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', labels } };
    await applied([made, kept, secret, map('a')]);
    const prune = { labelSelector: 'app=shop' };
    expect(await applied([kept], { prune })).to.deep.equal(['Namespace kept unchanged']);
    const asked = { ...prune, kinds: ['ns', 'secret', 'ns'] };
    expect(await applied([kept], { prune: asked })).to.deep.equal([
      'Namespace kept unchanged',
      'Secret s pruned',
      'Namespace old pruned',
    ]);
    expect(await namesOf('cm', 'default')).to.deep.equal(['a']);
  });

  it('applies no more manifests at a time than asked', async () => {
    const many = Array.from({ length: 40 }, (_, index) => map(`m${index}`));
    await applied(many, { concurrency: 3 });
    expect(transport.most).to.equal(3);
    await applied(many.map((one) => ({ ...one, data: { b: '1' } })));
    expect(transport.most).to.equal(8);
  });

  it('stops when the signal aborts: what was applied stays, and its reason is thrown', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    let reported = 0;
    const many = Array.from({ length: 40 }, (_, index) => map(`m${index}`));
    const stopped = await rejectionOf(
      client.applyAll(many, {
        ...shop,
        concurrency: 1,
        signal: controller.signal,
        onResult: () => {
          reported += 1;
          if (reported === 5) controller.abort(reason);
        },
      }),
    );
    expect(stopped).to.equal(reason);
    expect((await namesOf('cm', 'default')).length).to.equal(5);
  });

  it('is not stopped by an observer that throws', async () => {
    const onResult = (): void => {
      throw new Error('observer');
    };
    expect(await applied([map('a')], { onResult })).to.deep.equal(['ConfigMap a created']);
  });

  it('says when a definition cannot be served', async () => {
    await applied([definition('widgets', 'Widget')]);
    const taken = await failed([definition('gadgets', 'Widget')], { timeoutMs: 5000 });
    expect(taken.failures[0]?.error.message).to.equal(
      'the server does not serve gadgets.shop.example.com: "WidgetList" is already in use',
    );
  });

  it('refuses before anything is sent', async () => {
    const bad: readonly [unknown, string, string][] = [
      ['a: [', 'MANIFEST_INVALID', 'manifests, document 1, line'],
      ['kind: A\n---\nkind: B', 'MANIFEST_INVALID', 'apiVersion is missing'],
      [
        [map('a'), { apiVersion: 'v1', kind: 'Pod', metadata: {} }],
        'MANIFEST_INVALID',
        'manifest 2: metadata.name',
      ],
      [
        [map('a'), { apiVersion: 'v1', kind: 'Pod' }],
        'MANIFEST_INVALID',
        'metadata.name is missing',
      ],
      [[map('a'), map('a')], 'MANIFEST_INVALID', 'manifest 2: ConfigMap "a" is in manifest 1'],
      [[map('a'), map('a', {}, { namespace: 'default' })], 'MANIFEST_INVALID', 'already'],
      [[map('a'), { ...map('b'), apiVersion: 'a/b/c' }], 'INVALID_API_VERSION', 'a/b/c'],
      [[map('a'), 7], 'INVALID_OPTION', 'not number'],
      [null, 'INVALID_OPTION', 'not null'],
      [[null], 'INVALID_OPTION', 'not null'],
      ['&a [*a, *a]', 'MANIFEST_INVALID', 'document 1'],
      [
        '{"__proto__": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}}',
        'MANIFEST_INVALID',
        'apiVersion is missing',
      ],
    ];
    for (const [manifests, code, text] of bad) {
      const error = await failureOf(client.applyAll(manifests as Manifests, shop));
      expect(error.code, JSON.stringify(manifests)).to.equal(code);
      expect(error.message).to.contain(text);
    }
    const options: readonly [object, string][] = [
      [{ fieldManager: '' }, 'fieldManager'],
      [{ ...shop, prune: {} }, 'labelSelector'],
      [{ ...shop, prune: { labelSelector: ' ' } }, 'labelSelector'],
      [{ ...shop, prune: true }, 'prune'],
      [{ ...shop, prune: { labelSelector: 'a', kinds: 'cm' } }, 'kinds'],
      [{ ...shop, prune: { labelSelector: 'a', kind: [] } }, 'kind'],
      [{ ...shop, concurrency: 0 }, 'concurrency'],
      [{ ...shop, dryRun: 'All' }, 'dryRun'],
      [{ ...shop, onResult: 7 }, 'onResult'],
      [{ ...shop, wait: true }, 'wait'],
    ];
    for (const [given, text] of options) {
      const error = await failureOf(client.applyAll([map('a')], given));
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message).to.contain(text);
    }
    expect(transport.sent).to.deep.equal([]);
    expect(await applied([])).to.deep.equal([]);
    expect(await applied('# nothing\n---\n')).to.deep.equal([]);
  });
});
