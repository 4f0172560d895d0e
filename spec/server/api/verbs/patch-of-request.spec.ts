import { expect } from 'chai';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { DEFINITIONS, GADGET, GADGETS, gadgets } from '../gadgets.ts';
import { call, type Call } from '../support.ts';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const GADGET_PATH = `${GADGETS}/namespaces/default/gadgets`;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** Recorded at kube-apiserver 1.36.3. The text of a 422 ends with the reason. */
const PATCHES: readonly (readonly [object, string, number, string])[] = [
  [{ kind: null }, GADGET_PATH, 422, "Object 'Kind' is missing in '{"],
  [{ kind: {} }, GADGET_PATH, 422, 'cannot unmarshal object into Go struct field .kind of type'],
  [{ kind: 'Other' }, GADGET_PATH, 422, 'kind: Invalid value: "Other": must be Gadget'],
  [
    { apiVersion: 'h3.example.com/v2' },
    GADGET_PATH,
    422,
    'apiVersion: Invalid value: "h3.example.com/v2": must be h3.example.com/v1',
  ],
  [{ apiVersion: 'a/b/c' }, GADGET_PATH, 422, 'unexpected GroupVersion string: a/b/c'],
  [
    { apiVersion: null },
    GADGET_PATH,
    500,
    "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
  ],
  [{ metadata: 'x' }, GADGET_PATH, 422, 'cannot unmarshal string into Go value of type v1.Obje'],
  [{ metadata: { name: 1 } }, GADGET_PATH, 422, 'number into Go struct field ObjectMeta.name of'],
  [{ kind: [] }, CONFIG_MAPS, 422, 'cannot unmarshal array into Go struct field .kind of type'],
  [{ apiVersion: 'a/b/c' }, CONFIG_MAPS, 422, 'unexpected GroupVersion string: a/b/c'],
  [
    { apiVersion: null },
    CONFIG_MAPS,
    400,
    'the name of the object (a based on URL) was undeterminable: name must be provided',
  ],
  [{ metadata: [] }, CONFIG_MAPS, 422, 'array into Go struct field ConfigMap.metadata of type'],
  [{ metadata: { name: 1 } }, CONFIG_MAPS, 422, 'field ObjectMeta.metadata.name of type string'],
  [{ kind: null }, CONFIG_MAPS, 200, ''],
];

describe('a merge patch that changes what an object says about itself', () => {
  let server: ApiServer;
  before(async () => {
    server = new ApiServer();
    await call(server.handler, 'POST', DEFINITIONS, { body: gadgets });
    const metadata = { name: 'a' };
    await call(server.handler, 'POST', GADGET_PATH, { body: { ...GADGET, metadata } });
    await call(server.handler, 'POST', CONFIG_MAPS, { body: { metadata } });
  });
  after(() => server.close());

  const patch = (path: string, body: object): Promise<Call> =>
    call(server.handler, 'PATCH', `${path}/a`, { body, headers: MERGE });

  for (const [body, path, expected, text] of PATCHES) {
    const resource = path.split('/').at(-1);
    it(`is answered as by kube-apiserver: ${resource} ${JSON.stringify(body)}`, async () => {
      const { status, json } = await patch(path, body);
      expect(status).to.equal(expected);
      if (expected !== 200) expect(json()['message']).to.include(text);
    });
  }
});

describe('a write of what cannot be read', () => {
  let server: ApiServer;
  before(() => {
    server = new ApiServer();
  });
  after(() => server.close());

  it('is refused before an object is missed', async () => {
    const body = { metadata: { name: 'a' }, data: { a: 1 } };
    const { status, json } = await call(server.handler, 'PUT', `${CONFIG_MAPS}/a`, { body });
    expect(status).to.equal(400);
    expect(json()['message']).to.include('cannot unmarshal number into Go struct field');
  });

  it('says that the version of a custom object is null', async () => {
    await call(server.handler, 'POST', DEFINITIONS, { body: gadgets });
    const body = { ...GADGET, apiVersion: null, metadata: { name: 'a' } };
    const { json } = await call(server.handler, 'POST', GADGET_PATH, { body });
    expect(json()['message']).to.equal(
      'Gadget in version "" cannot be handled as a Gadget: .apiVersion accessor error: <nil> is of the type <nil>, expected string',
    );
  });

  it('is refused also where a default could take its place', async () => {
    const path = '/api/v1/namespaces/default/pods';
    const body = { metadata: { name: 'a' }, spec: 5 };
    const { status, json } = await call(server.handler, 'POST', path, { body });
    expect(status).to.equal(400);
    expect(json()['message']).to.equal(
      'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field Pod.spec of type v1.PodSpec',
    );
  });

  it('names what a directive of a strategic merge patch is', async () => {
    await call(server.handler, 'POST', CONFIG_MAPS, { body: { metadata: { name: 'a' } } });
    const headers = { 'content-type': 'application/strategic-merge-patch+json' };
    for (const [directive, text] of [
      [1, '%!s(int64=1)'],
      [null, '%!s(<nil>)'],
    ] as const) {
      const body = { $patch: directive };
      const { json } = await call(server.handler, 'PATCH', `${CONFIG_MAPS}/a`, { body, headers });
      const shown = directive === null ? '<nil>' : directive;
      expect(json()['message']).to.equal(
        `unknown patch type: ${text} in map: map[$patch:${shown}]`,
      );
    }
  });
});

describe('an event that is written by both of its APIs', () => {
  it('has the managers of the last one only', async () => {
    await using server = new ApiServer();
    const [core, group] = ['/api/v1', '/apis/events.k8s.io/v1'].map(
      (root) => `${root}/namespaces/default/events`,
    ) as [string, string];
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'x' };
    const body = { metadata: { name: 'e' }, involvedObject, reason: 'R', type: 'Normal' };
    await call(server.handler, 'POST', `${core}?fieldManager=a`, { body });
    const series = { count: 2, lastObservedTime: '2026-01-01T00:00:00.000000Z' };
    const options = { body: { series }, headers: MERGE };
    const { json } = await call(server.handler, 'PATCH', `${group}/e?fieldManager=b`, options);
    const { managedFields } = json()['metadata'] as { managedFields: { manager: string }[] };
    expect(managedFields.map(({ manager }) => manager)).to.deep.equal(['b']);
  });
});

describe('a patch that is no JSON', () => {
  const MISSING = `${CONFIG_MAPS}/missing`;
  for (const [version, status, message] of [
    ['1.37', 400, 'invalid JSON patch'],
    ['1.36', 404, 'configmaps "missing" not found'],
  ] as const) {
    it(`is answered ${status} in ${version} where the object is missing`, async () => {
      await using server = new ApiServer({ version });
      for (const type of ['merge-patch', 'strategic-merge-patch', 'json-patch']) {
        const headers = { 'content-type': `application/${type}+json` };
        const answer = await call(server.handler, 'PATCH', MISSING, { body: 'nonsense', headers });
        expect([answer.status, answer.json()['message']]).to.deep.equal([status, message]);
      }
    });
  }
});
