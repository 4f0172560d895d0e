import { expect } from 'chai';
import { until } from '../../../support/until.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { recordAt, recordsAt, textAt, valueAt } from '../../../../lib/meta/json-value.ts';
import { LocalWebhook } from '../../webhooks/local-webhook.ts';

type Json = Record<string, unknown>;
/** Changes an answer before it is sent. */
type Spoil = (review: Json, objects: Json[]) => void;

const V1 = '/apis/example.io/v1/namespaces/default/hosts';
const V2 = '/apis/example.io/v2/namespaces/default/hosts';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SUBJECT = 'conversion webhook for example.io/v1, Kind=Host';

function definition(hook: LocalWebhook, reviews: readonly string[]): object {
  const version = (name: string, properties: object): object => ({
    name,
    served: true,
    storage: name === 'v1',
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { replicas: { type: 'integer' }, ...properties } },
          status: { type: 'object', properties: { ready: { type: 'string' } } },
        },
      },
    },
  });
  const text = { type: 'string' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'hosts.example.io' },
    spec: {
      group: 'example.io',
      scope: 'Namespaced',
      names: { plural: 'hosts', kind: 'Host' },
      versions: [
        version('v1', { hostPort: text, mode: { ...text, default: 'auto' } }),
        version('v2', { host: text, port: text, mode: text }),
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: {
            url: `${hook.origin}/convert`,
            caBundle: Buffer.from(hook.authority).toString('base64'),
          },
          conversionReviewVersions: reviews,
        },
      },
    },
  };
}

/** `hostPort` of v1 is `host` and `port` of v2. */
function convert(object: Json, apiVersion: string): Json {
  const { hostPort, host, port, ...spec } = recordAt(object, 'spec') ?? {};
  if (apiVersion === 'example.io/v2') {
    const [name, number] = String(hostPort).split(':');
    return { ...object, apiVersion, spec: { ...spec, host: name, port: number } };
  }
  return { ...object, apiVersion, spec: { ...spec, hostPort: `${String(host)}:${String(port)}` } };
}

describe('WebhookConverter', () => {
  let hook: LocalWebhook;
  let server: ApiServer;
  let spoil: Spoil;

  beforeEach(async () => {
    hook = await LocalWebhook.start();
    spoil = () => {};
    hook.answer = (body) => {
      const request = recordAt(body, 'request');
      const desired = textAt(request, 'desiredAPIVersion');
      const convertedObjects = recordsAt(request, 'objects').map((one) => convert(one, desired));
      const review: Json = {
        kind: 'ConversionReview',
        apiVersion: textAt(body, 'apiVersion'),
        response: { uid: textAt(request, 'uid'), result: { status: 'Success' }, convertedObjects },
      };
      spoil(review, convertedObjects);
      return { body: review };
    };
    server = new ApiServer();
    await server.listen();
  });

  afterEach(async () => {
    await server.close();
    await hook.close();
  });

  async function ask(
    method: string,
    path: string,
    body?: object,
    type = 'application/json',
  ): Promise<Json> {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${server.token}`, 'content-type': type },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Json;
  }

  const merge = async (path: string, body: object): Promise<Json> =>
    await ask('PATCH', path, body, 'application/merge-patch+json');
  const newHost = (version: string, name: string, spec: object): object => ({
    apiVersion: `example.io/${version}`,
    kind: 'Host',
    metadata: { name },
    spec,
  });
  async function begin(reviews: readonly string[] = ['v1']): Promise<void> {
    await ask('POST', DEFINITIONS, definition(hook, reviews));
    await ask('POST', V1, newHost('v1', 'a', { hostPort: 'x:1' }));
    expect(hook.calls, 'a write in the stored version').to.deep.equal([]);
  }

  it('converts what is read and written in another version than the stored one', async () => {
    await begin();
    expect((await ask('GET', `${V2}/a`))['spec']).to.deep.equal({
      host: 'x',
      port: '1',
      mode: 'auto',
    });
    const created = await ask('POST', V2, newHost('v2', 'b', { host: 'y', port: '2' }));
    expect(created['spec']).to.deep.equal({ host: 'y', port: '2', mode: 'auto' });
    const stored = await ask('GET', `${V1}/b`);
    expect([stored['apiVersion'], stored['spec']]).to.deep.equal([
      'example.io/v1',
      { hostPort: 'y:2', mode: 'auto' },
    ]);
    await merge(`${V2}/b`, { spec: { port: '3' } });
    await ask('PUT', `${V2}/a`, {
      ...(await ask('GET', `${V2}/a`)),
      spec: { host: 'z', port: '9' },
    });
    await merge(`${V2}/b/status`, { status: { ready: 'yes' } });
    const scale = await merge(`${V2}/b/scale`, { spec: { replicas: 4 } });
    expect(valueAt(scale, 'spec', 'replicas')).to.equal(4);
    const applied = newHost('v2', 'b', { host: 'applied' });
    await ask(
      'PATCH',
      `${V2}/b?fieldManager=me&force=true`,
      applied,
      'application/apply-patch+yaml',
    );
    const list = recordsAt(await ask('GET', V1), 'items');
    expect(list.map(({ spec, status }) => [spec, status])).to.deep.equal([
      [{ hostPort: 'z:9', mode: 'auto' }, undefined],
      [{ hostPort: 'applied:3', mode: 'auto', replicas: 4 }, { ready: 'yes' }],
    ]);
    const deleted = await ask('DELETE', `${V2}/b`);
    expect(deleted['status']).to.equal('Success');
  });

  it('converts the objects of a list in one call, and each state once', async () => {
    await begin();
    await ask('POST', V1, newHost('v1', 'b', { hostPort: 'y:2' }));
    for (let time = 0; time < 3; time += 1) {
      const hosts = recordsAt(await ask('GET', V2), 'items').map((one) =>
        textAt(one, 'spec', 'host'),
      );
      expect(hosts).to.deep.equal(['x', 'y']);
    }
    expect(hook.calls).to.have.length(1);
    await ask('GET', V1);
    expect(hook.calls).to.have.length(1);
  });

  it('converts the objects of watch events', async () => {
    await begin();
    const { headers } = { headers: { authorization: `Bearer ${server.token}` } };
    const abort = new AbortController();
    const response = await fetch(`${server.url}${V2}?watch=true`, {
      headers,
      signal: abort.signal,
    });
    const lines = (response.body as ReadableStream<Uint8Array>).getReader();
    const first = await lines.read();
    const event = JSON.parse(Buffer.from(first.value ?? []).toString()) as Json;
    expect([event['type'], valueAt(event, 'object', 'spec', 'host')]).to.deep.equal(['ADDED', 'x']);
    await ask('POST', V1, newHost('v1', 'b', { hostPort: 'y:2' }));
    const second = JSON.parse(Buffer.from((await lines.read()).value ?? []).toString()) as Json;
    expect(valueAt(second, 'object', 'spec', 'host')).to.equal('y');
    abort.abort();
  });

  it('asks in the first version of reviews that it knows', async () => {
    await begin(['v9', 'v1beta1', 'v1']);
    await ask('GET', `${V2}/a`);
    const [{ body } = { body: undefined }] = hook.calls;
    expect(textAt(body, 'apiVersion')).to.equal('apiextensions.k8s.io/v1beta1');
    const object = recordsAt(body, 'request', 'objects')[0];
    expect(valueAt(object, 'metadata', 'resourceVersion')).to.equal(undefined);
  });

  it('takes labels and annotations from the webhook, and nothing else of the metadata', async () => {
    await begin();
    spoil = (_, [object]) => {
      const metadata = recordAt(object, 'metadata') ?? {};
      metadata['labels'] = { added: 'yes' };
      metadata['finalizers'] = ['a/b'];
      Object.assign(recordAt(object, 'spec') ?? {}, { surplus: 1 });
    };
    const { metadata, spec } = await ask('GET', `${V2}/a`);
    expect(valueAt(metadata, 'labels')).to.deep.equal({ added: 'yes' });
    expect(valueAt(metadata, 'finalizers')).to.equal(undefined);
    expect(spec).to.deep.equal({ host: 'x', port: '1', mode: 'auto' });
  });

  const faults: readonly (readonly [string, Spoil, string])[] = [
    ['too few objects', (_, objects) => objects.splice(0), ' returned 0 objects, expected 1'],
    [
      'another name',
      (_, [one]) => Object.assign(recordAt(one, 'metadata') ?? {}, { name: 'b' }),
      ' returned invalid object: must have the same name: a != b',
    ],
    [
      'another namespace',
      (_, [one]) => Object.assign(recordAt(one, 'metadata') ?? {}, { namespace: 'b' }),
      ' returned invalid object: must have the same namespace: default != b',
    ],
    [
      'another kind',
      (_, [one]) => Object.assign(one ?? {}, { kind: 'B' }),
      ' returned invalid object at index 0: invalid kind (expected Host, received B)',
    ],
    [
      'another version',
      (_, [one]) => Object.assign(one ?? {}, { apiVersion: 'b/v1' }),
      ' returned invalid object at index 0: invalid groupVersion (expected example.io/v2, received b/v1)',
    ],
    [
      'a label that is no text',
      (_, [one]) => Object.assign(recordAt(one, 'metadata') ?? {}, { labels: { a: 1 } }),
      ' returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
    ],
    [
      'a failure',
      (review) =>
        Object.assign(recordAt(review, 'response') ?? {}, {
          result: { status: 'Failure', message: 'no idea' },
        }),
      ' failed: no idea',
    ],
    [
      'another uid of the review',
      (review) => Object.assign(recordAt(review, 'response') ?? {}, { uid: 'b' }),
      ' failed: expected response.uid="UID", got "b"',
    ],
    ['no response', (review) => delete review['response'], ' failed: no response provided'],
    [
      'another kind of review',
      (review) => Object.assign(review, { kind: 'Review' }),
      ' failed: no kind "Review" is registered for version "apiextensions.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      'a review of another group',
      (review) => Object.assign(review, { apiVersion: 'example.io/v1' }),
      ' failed: no kind "ConversionReview" is registered for version "example.io/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      'another version of reviews',
      (review) => Object.assign(review, { apiVersion: 'apiextensions.k8s.io/v1beta1' }),
      ' failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion',
    ],
  ];
  for (const [title, change, message] of faults) {
    it(`refuses an answer with ${title}, in the words of kube-apiserver`, async () => {
      await begin();
      spoil = change;
      const answer = await ask('GET', `${V2}/a`);
      const said = textAt(answer, 'message').replace(/uid="[-0-9a-f]{36}"/, 'uid="UID"');
      expect([said, answer['code'], answer['reason']]).to.deep.equal([
        SUBJECT + message,
        500,
        undefined,
      ]);
    });
  }

  it('fails only the requests that need the webhook', async () => {
    await begin();
    hook.answer = () => ({
      status: 500,
      body: 'boom',
      headers: { 'content-type': 'text/plain' },
    });
    const failed =
      ' failed: an error on the server ("boom") has prevented the request from succeeding';
    expect((await ask('GET', V2))['message']).to.equal(SUBJECT + failed);
    expect((await ask('DELETE', `${V2}/a`))['message']).to.equal(SUBJECT + failed);
    const created = await ask('POST', V2, newHost('v2', 'b', { host: 'y', port: '2' }));
    expect(created['message']).to.equal(SUBJECT.replace('v1', 'v2') + failed);
    const names = recordsAt(await ask('GET', V1), 'items').map((one) =>
      textAt(one, 'metadata', 'name'),
    );
    expect(names).to.deep.equal(['a']);
    await ask('DELETE', `${DEFINITIONS}/hosts.example.io`);
    await until('the definition is gone, and its objects before', async () => {
      const { code } = await ask('GET', `${DEFINITIONS}/hosts.example.io`);
      return code === 404;
    });
  });

  it('converts objects of an earlier storage version', async () => {
    await begin();
    const crd = await ask('GET', `${DEFINITIONS}/hosts.example.io`);
    const versions = recordsAt(crd, 'spec', 'versions').map((one) => ({
      ...one,
      storage: one['name'] === 'v2',
    }));
    await merge(`${DEFINITIONS}/hosts.example.io`, { spec: { versions } });
    const { apiVersion, spec } = await ask('GET', `${V2}/a`);
    expect([apiVersion, spec]).to.deep.equal([
      'example.io/v2',
      { host: 'x', port: '1', mode: 'auto' },
    ]);
    expect((await ask('GET', `${V1}/a`))['spec']).to.deep.equal({ hostPort: 'x:1', mode: 'auto' });
  });
});
