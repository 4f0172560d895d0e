import { expect } from 'chai';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { DEFINITIONS } from '../gadgets.ts';
import { call } from '../support.ts';

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly fieldsV1: object;
}

interface Applied {
  readonly metadata: {
    readonly managedFields?: readonly Entry[];
    readonly resourceVersion: string;
    readonly labels?: object;
  };
  readonly data?: object;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: object;
}

interface Answer {
  readonly status: number;
  readonly body: Applied;
}

const MAP = '/api/v1/namespaces/default/configmaps/one';

describe('server-side apply', () => {
  let server: ApiServer;
  beforeEach(() => {
    server = new ApiServer();
  });
  afterEach(() => server.close());

  async function send(method: string, url: string, body: object, type: string): Promise<Answer> {
    const headers = { 'content-type': type, 'user-agent': 'tester/v1 (linux)' };
    const { status, json } = await call(server.handler, method, url, { body, headers });
    return { status, body: json() as unknown as Applied };
  }

  const apply = (url: string, query: string, body: object): Promise<Answer> =>
    send('PATCH', `${url}?${query}`, body, 'application/apply-patch+yaml');
  const configMap = (data: object, metadata: object = {}): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'one', ...metadata },
    data,
  });
  const managersOf = ({ body }: Answer): string[] =>
    (body.metadata.managedFields ?? []).map(
      ({ manager, operation, subresource }) =>
        `${manager} ${operation}${subresource === undefined ? '' : ` ${subresource}`}`,
    );

  it('creates an object for any resource version in the configuration', async () => {
    for (const resourceVersion of ['1', '0', '99999999999']) {
      const url = `/api/v1/namespaces/default/configmaps/at-${resourceVersion}`;
      const body = {
        ...configMap({}),
        metadata: { name: `at-${resourceVersion}`, resourceVersion },
      };
      const dry = await apply(url, 'fieldManager=one&dryRun=All', body);
      expect([dry.status, dry.body.metadata.resourceVersion]).to.deep.equal([201, resourceVersion]);
      const made = await apply(url, 'fieldManager=one', body);
      expect(made.status).to.equal(201);
      expect(made.body.metadata.resourceVersion).not.to.equal(resourceVersion);
      expect((await apply(url, 'fieldManager=one', body)).status).to.equal(
        resourceVersion === '0' ? 200 : 409,
      );
    }
    const wrong = await apply(MAP, 'fieldManager=one', configMap({}, { resourceVersion: 'abc' }));
    expect([wrong.status, wrong.body.message, wrong.body.reason]).to.deep.equal([
      500,
      'strconv.ParseUint: parsing "abc": invalid syntax',
      undefined,
    ]);
  });

  it('does not create an object that has a uid', async () => {
    for (const query of ['fieldManager=one', 'fieldManager=one&dryRun=All']) {
      const body = configMap({}, { uid: 'u-1', resourceVersion: 'abc' });
      const { status, body: answer } = await apply(MAP, query, body);
      expect([status, answer.message]).to.deep.equal([
        409,
        'Operation cannot be fulfilled on configmaps "one": uid mismatch: the provided object specified uid u-1, and no existing object was found',
      ]);
    }
  });

  it('takes another uid for an invalid change, as every patch does', async () => {
    await apply(MAP, 'fieldManager=one', configMap({}));
    const { status, body } = await apply(MAP, 'fieldManager=one', configMap({}, { uid: 'u-1' }));
    expect([status, body.message]).to.deep.equal([
      422,
      'ConfigMap "one" is invalid: metadata.uid: Invalid value: "u-1": field is immutable',
    ]);
  });

  it('creates an object, and says which manager has which fields', async () => {
    const made = await apply(
      MAP,
      'fieldManager=one',
      configMap({ a: '1' }, { labels: { x: 'y' } }),
    );
    expect(made.status).to.equal(201);
    const { managedFields: [entry, ...others] = [] } = made.body.metadata;
    expect(others).to.deep.equal([]);
    expect(entry).to.deep.include({ manager: 'one', operation: 'Apply', apiVersion: 'v1' });
    expect(entry?.fieldsV1).to.deep.equal({
      'f:data': { 'f:a': {} },
      'f:metadata': { 'f:labels': { 'f:x': {} } },
    });
  });

  it('changes nothing when the same is applied again', async () => {
    const first = await apply(MAP, 'fieldManager=one', configMap({ a: '1' }));
    const again = await apply(MAP, 'fieldManager=one', configMap({ a: '1' }));
    expect(again).to.deep.equal({ ...first, status: 200 });
  });

  it('removes what its manager does not apply any more, and no other field', async () => {
    await apply(MAP, 'fieldManager=one', configMap({ a: '1', b: '2' }));
    await apply(MAP, 'fieldManager=two', configMap({ b: '2', c: '3' }));
    const { body } = await apply(MAP, 'fieldManager=one', configMap({}));
    expect(body.data).to.deep.equal({ b: '2', c: '3' });
  });

  it('refuses to change the fields of other managers, and names them', async () => {
    await apply(MAP, 'fieldManager=one', configMap({ a: '1', b: '1' }));
    const { status, body } = await apply(MAP, 'fieldManager=two', configMap({ a: '2', b: '2' }));
    expect(status).to.equal(409);
    expect(body.reason).to.equal('Conflict');
    expect(body.message).to.equal(
      'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b',
    );
    expect(body.details).to.deep.equal({
      causes: ['.data.a', '.data.b'].map((field) => ({
        reason: 'FieldManagerConflict',
        message: 'conflict with "one"',
        field,
      })),
    });
  });

  it('takes the fields of other managers when it is forced', async () => {
    await apply(MAP, 'fieldManager=one', configMap({ a: '1' }));
    const forced = await apply(MAP, 'fieldManager=two&force=true', configMap({ a: '2' }));
    expect(forced.body.data).to.deep.equal({ a: '2' });
    expect(managersOf(forced)).to.deep.equal(['two Apply']);
  });

  it('counts an update as a manager too, named after its user agent', async () => {
    await apply(MAP, 'fieldManager=one', configMap({ a: '1' }));
    const patched = await send('PATCH', MAP, { data: { a: '2' } }, 'application/merge-patch+json');
    expect(managersOf(patched)).to.deep.equal(['tester Update']);
    const { status, body } = await apply(MAP, 'fieldManager=one', configMap({ a: '1' }));
    expect(status).to.equal(409);
    expect(body.message).to.equal(
      'Apply failed with 1 conflict: conflict with "tester" using v1: .data.a',
    );
  });

  it('gives a new object to the manager that creates it', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const template = { spec: { containers: [{ name: 'web', image: 'web:1' }] } };
    const labels = { app: 'web' };
    const { body } = await send(
      'POST',
      `${path}?fieldManager=creator`,
      {
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, ...template },
        },
      },
      'application/json',
    );
    const [entry] = body.metadata.managedFields ?? [];
    expect(entry).to.deep.include({ manager: 'creator', operation: 'Update' });
    // Recorded at kube-apiserver 1.36.3.
    expect(entry?.fieldsV1).to.deep.equal({
      'f:spec': {
        'f:progressDeadlineSeconds': {},
        'f:replicas': {},
        'f:revisionHistoryLimit': {},
        'f:selector': {},
        'f:strategy': {
          'f:rollingUpdate': { '.': {}, 'f:maxSurge': {}, 'f:maxUnavailable': {} },
          'f:type': {},
        },
        'f:template': {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"web"}': {
                '.': {},
                'f:image': {},
                'f:imagePullPolicy': {},
                'f:name': {},
                'f:resources': {},
                'f:terminationMessagePath': {},
                'f:terminationMessagePolicy': {},
              },
            },
            'f:dnsPolicy': {},
            'f:restartPolicy': {},
            'f:schedulerName': {},
            'f:securityContext': {},
            'f:terminationGracePeriodSeconds': {},
          },
        },
      },
    });
  });

  it('keeps the entry of a subresource apart', async () => {
    const path = '/api/v1/namespaces/default/pods';
    await send(
      'POST',
      path,
      { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      'application/json',
    );
    const status = { apiVersion: 'v1', kind: 'Pod', status: { phase: 'Running' } };
    const applied = await apply(`${path}/p/status`, 'fieldManager=kubelet&force=1', {
      ...status,
      metadata: { name: 'p' },
    });
    expect(managersOf(applied)).to.deep.equal(['kubelet Apply status', 'tester Update']);
  });

  it('sets the replicas of a scale, for the manager of the scaled object', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const labels = { app: 'web' };
    await send(
      'POST',
      path,
      {
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
      'application/json',
    );
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' } };
    const applied = await apply(`${path}/web/scale`, 'fieldManager=auto&force=true', {
      ...scale,
      spec: { replicas: 7 },
    });
    expect(applied.body.spec).to.deep.equal({ replicas: 7 });
    const { json } = await call(server.handler, 'GET', `${path}/web`);
    const answer = { status: 200, body: json() as unknown as Applied };
    expect(managersOf(answer)).to.deep.equal(['auto Apply scale', 'tester Update']);
    expect(answer.body.metadata.managedFields?.[0]?.fieldsV1).to.deep.equal({
      'f:spec': { 'f:replicas': {} },
    });
    const { metadata: _named, ...nameless } = scale;
    const again = await apply(`${path}/web/scale`, 'fieldManager=auto&force=true', {
      ...nameless,
      spec: { replicas: 8 },
    });
    expect([again.status, again.body.spec]).to.deep.equal([200, { replicas: 8 }]);
    const missing = await apply(`${path}/none/scale`, 'fieldManager=auto', {
      ...scale,
      metadata: { name: 'none' },
      spec: { replicas: 7 },
    });
    expect(missing.status).to.equal(404);
  });

  it('is done, although its answer cannot have the shape that is asked for', async () => {
    const list = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const headers = { 'content-type': 'application/apply-patch+yaml', accept: list };
    const url = `${MAP}?fieldManager=one`;
    const { status } = await call(server.handler, 'PATCH', url, { body: configMap({}), headers });
    expect(status).to.equal(406);
    expect((await call(server.handler, 'GET', MAP)).status).to.equal(200);
  });

  it('forgets all managers when an update has an empty list of them', async () => {
    await apply(MAP, 'fieldManager=one', configMap({ a: '1' }));
    const { body } = await send(
      'PATCH',
      MAP,
      { metadata: { managedFields: [{}] } },
      'application/merge-patch+json',
    );
    expect(body.metadata).not.to.have.property('managedFields');
  });

  it('joins the oldest updates when there are more than ten managers', async () => {
    let last = await send(
      'POST',
      '/api/v1/namespaces/default/configmaps?fieldManager=m0',
      configMap({ k0: '' }),
      'application/json',
    );
    for (let index = 1; index < 14; index += 1) {
      const patch = { data: { [`k${index}`]: '' } };
      const url = `${MAP}?fieldManager=m${index}`;
      last = await send('PATCH', url, patch, 'application/merge-patch+json');
    }
    const managers = managersOf(last);
    expect(managers).to.have.lengthOf(10);
    expect(managers).to.include('ancient-changes Update');
  });

  it('merges custom resources by the list types of their schema', async () => {
    const item = { type: 'object', properties: { id: { type: 'string' }, n: { type: 'integer' } } };
    const spec = {
      type: 'object',
      properties: {
        rows: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          items: { ...item, required: ['id'] },
          'x-kubernetes-list-map-keys': ['id'],
        },
        all: { type: 'array', items: { type: 'string' } },
      },
    };
    const openAPIV3Schema = { type: 'object', properties: { spec } };
    await send(
      'POST',
      DEFINITIONS,
      {
        metadata: { name: 'grids.x.example' },
        spec: {
          group: 'x.example',
          scope: 'Namespaced',
          names: { kind: 'Grid', plural: 'grids' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
        },
      },
      'application/json',
    );
    const url = '/apis/x.example/v1/namespaces/default/grids/g';
    const grid = (of: object): object => ({
      apiVersion: 'x.example/v1',
      kind: 'Grid',
      metadata: { name: 'g' },
      spec: of,
    });
    await apply(url, 'fieldManager=one', grid({ rows: [{ id: 'a', n: 1 }], all: ['x'] }));
    const two = await apply(url, 'fieldManager=two', grid({ rows: [{ id: 'b', n: 2 }] }));
    expect(two.body.spec).to.deep.equal({
      rows: [
        { id: 'a', n: 1 },
        { id: 'b', n: 2 },
      ],
      all: ['x'],
    });
    const clash = await apply(url, 'fieldManager=two', grid({ all: ['y'] }));
    expect(clash.body.message).to.equal(
      'Apply failed with 1 conflict: conflict with "one": .spec.all',
    );
  });

  it('takes over what kubectl applied on the client side', async () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const annotations = { [annotation]: JSON.stringify(configMap({ a: '1' })) };
    await send(
      'POST',
      '/api/v1/namespaces/default/configmaps?fieldManager=kubectl-client-side-apply',
      configMap({ a: '1' }, { annotations }),
      'application/json',
    );
    const taken = await apply(MAP, 'fieldManager=kubectl', configMap({ a: '2' }));
    expect(taken.status, taken.body.message).to.equal(200);
    expect(taken.body.data).to.deep.equal({ a: '2' });
    const other = await apply(MAP, 'fieldManager=other', configMap({ a: '3' }));
    expect(other.status).to.equal(409);
  });

  it('refuses fields of other managers before a name that is not that of the URL', async () => {
    await apply(MAP, 'fieldManager=one', configMap({ a: '1' }));
    const other = configMap({ a: '2' }, { name: 'two' });
    const taken = await apply(MAP, 'fieldManager=other', other);
    expect(taken.status).to.equal(409);
    expect(taken.body.message).to.equal(
      'Apply failed with 1 conflict: conflict with "one": .data.a',
    );
    const forced = await apply(MAP, 'fieldManager=other&force=true', other);
    expect(forced.status).to.equal(400);
    expect(forced.body.message).to.equal(
      'the name of the object (two) does not match the name on the URL (one)',
    );
  });

  it('reads YAML in braces', async () => {
    const made = await call(server.handler, 'PATCH', `${MAP}?fieldManager=one`, {
      body: '{apiVersion: v1, kind: ConfigMap, metadata: {name: one}, data: {a: "1"}}',
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
    expect(made.status, made.text).to.equal(201);
  });

  it('reads YAML, and refuses what is no configuration of the object', async () => {
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {a: "1"}\n';
    const made = await call(server.handler, 'PATCH', `${MAP}?fieldManager=one`, {
      body: yaml,
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
    expect(made.status, made.text).to.equal(201);
    const rows: readonly [object, number, string][] = [
      [{ ...configMap({}), kind: 'Secret' }, 400, 'invalid object type: /v1, Kind=Secret'],
      [configMap({}, { managedFields: [] }), 400, 'metadata.managedFields must be nil'],
      [
        configMap({}, { name: 'two' }),
        400,
        'the name of the object (two) does not match the name on the URL (one)',
      ],
      [
        { ...configMap({}), bogus: 1 },
        500,
        'failed to create typed patch object (/one; /v1, Kind=ConfigMap): .bogus: field not declared in schema',
      ],
    ];
    for (const [body, status, message] of rows) {
      const answer = await apply(MAP, 'fieldManager=one', body);
      expect({ status: answer.status, message: answer.body.message }).to.deep.equal({
        status,
        message,
      });
    }
    const { status, body } = await apply(MAP, 'force=true', configMap({}));
    expect(status).to.equal(422);
    expect(body.message).to.match(/fieldManager: Required value: is required for apply patch$/);
  });
});
