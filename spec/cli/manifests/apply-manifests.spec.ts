import { expect } from 'chai';
import { applyManifests } from '../../../lib/cli/manifests/apply-manifests.ts';
import type { Manifest, ManifestObject } from '../../../lib/meta/manifests/manifest.ts';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { ApiHandler } from '../../../lib/server/http/api-request.ts';
import { call } from '../../server/api/support.ts';

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
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
};

const widget = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'shop' },
};
const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
const configMap = (data: object): ManifestObject & { data: object } => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'web' },
  data,
});

const manifest = (object: ManifestObject): Manifest => ({ object, place: `${object.kind}.yaml` });

describe('manifests that are applied', () => {
  let server: ApiServer;
  let requests: string[];

  beforeEach(() => {
    server = new ApiServer();
    requests = [];
  });

  afterEach(async () => {
    await server.close();
  });

  const apply = async (
    objects: readonly ManifestObject[],
    { signal = new AbortController().signal, handler = server.handler } = {},
  ): Promise<void> => {
    const recorded: ApiHandler = async (request) => {
      if (request.method !== 'GET') requests.push(`${request.method} ${request.url}`);
      return await handler(request);
    };
    const options = { handler: recorded, runtime: realRuntime, signal };
    await applyManifests(objects.map(manifest), options);
  };

  const refusal = async (objects: readonly ManifestObject[]): Promise<string> => {
    try {
      await apply(objects);
    } catch (error) {
      expect(isListwatchError(error, 'MANIFEST_INVALID')).to.equal(true);
      return (error as Error).message;
    }
    return expect.fail('they were applied');
  };

  it('come in an order that works: namespaces, definitions, the others in their order', async () => {
    await apply([widget, configMap({}), WIDGETS, shop]);
    expect(requests).to.deep.equal([
      'POST /api/v1/namespaces',
      'POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      'POST /apis/example.com/v1/namespaces/shop/widgets',
      'POST /api/v1/namespaces/default/configmaps',
    ]);
    const answer = await call(
      server.handler,
      'GET',
      '/apis/example.com/v1/namespaces/shop/widgets/w',
    );
    expect(answer.status).to.equal(200);
  });

  it('may be applied again: objects that exist get the fields of their manifests', async () => {
    await apply([shop, configMap({ color: 'blue', size: 'big' })]);
    await apply([shop, configMap({ color: 'red' })]);
    const answer = await call(server.handler, 'GET', '/api/v1/namespaces/default/configmaps/web');
    expect(answer.json()).to.have.deep.property('data', { color: 'red', size: 'big' });
  });

  it('of an unknown kind are refused with a remedy', async () => {
    expect(await refusal([widget])).to.equal(
      'Widget.yaml: the server has no Widget in example.com/v1; add its CustomResourceDefinition, or correct apiVersion and kind',
    );
    expect(await refusal([{ ...shop, apiVersion: 'v2' }])).to.include('no Namespace in v2;');
  });

  it('that the server refuses are named with its message', async () => {
    expect(
      await refusal([{ ...configMap({}), metadata: { name: 'web', namespace: 'gone' } }]),
    ).to.equal('ConfigMap.yaml: ConfigMap "web": namespaces "gone" not found');
  });

  it('of a kind without namespaces must have none', async () => {
    const inside = { ...shop, metadata: { name: 'shop', namespace: 'default' } };
    expect(await refusal([inside])).to.equal(
      'Namespace.yaml: Namespace "shop" is not in a namespace',
    );
  });

  it('of a kind that is defined but not served are waited for, up to a deadline', async () => {
    const { VirtualRuntime } = await import('../../../lib/kernel/time/virtual-runtime.ts');
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      await using late = new ApiServer({ runtime });
      const handler: ApiHandler = async (request) =>
        request.url === '/apis/example.com/v1'
          ? { status: 404, headers: {}, body: Buffer.from('{}') }
          : await late.handler(request);
      const { signal } = new AbortController();
      const began = runtime.monotonicMs();
      let message = '';
      try {
        await applyManifests([WIDGETS, shop, widget].map(manifest), { handler, runtime, signal });
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).to.equal(
        'Widget.yaml: Widget of example.com/v1 is defined, but was not served within 30000 ms',
      );
      expect(runtime.monotonicMs() - began).to.be.within(30_000, 31_000);
    });
  });

  it('stop when the signal aborts, with its reason', async () => {
    const abort = new AbortController();
    const handler: ApiHandler = async (request) => {
      if (request.method === 'POST') abort.abort(new Error('enough'));
      return await server.handler({ ...request, signal: new AbortController().signal });
    };
    let failure: unknown;
    await apply([shop, configMap({})], { signal: abort.signal, handler }).catch(
      (error: unknown) => {
        failure = error;
      },
    );
    expect(failure).to.equal(abort.signal.reason);
    expect(requests).to.deep.equal(['POST /api/v1/namespaces']);
  });
});
