import { expect } from 'chai';
import { Answers, podOf, PODS, type Answer } from '../support/answers.ts';

const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const SERVICES = '/api/v1/namespaces/default/services';
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
const CSR =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISU1IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RVpHVnRiekJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQklLNlJVSk9uT2NJbnp6NTBCL1dBQ2ZvblpiNGxiTUZsbDVWYStXZThORTkzWkxyZ2YzVkFXUGxISm9SCmpUZFNyUFVHLzZDaEx2MTNTdVFJUGlSWllydWdBREFLQmdncWhrak9QUVFEQWdOSEFEQkVBaUJRSmIwaEhsejUKWmhPSExoV3JaV1QrSEJTeHVDcmY0UzRRdjUwYk1ESWs2UUlnYnp4NmlNR3FCZVFST3IwZjRwd3dHdHpFUEo4bgpoU3JOZ2tMYlhRQUFKSEk9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';

/** Manager, operation, subresource and fields of each entry. */
function entriesOf({ body }: Answer): unknown[] {
  const { managedFields = [] } = body['metadata'] as {
    readonly managedFields?: readonly Readonly<Record<string, unknown>>[];
  };
  return managedFields.map(({ manager, operation, subresource = '', fieldsV1 }) => [
    manager,
    operation,
    subresource,
    fieldsV1,
  ]);
}

/** The answers of kube-apiserver 1.36.3 to the same requests. */
describe('the managed fields of subresources', () => {
  it('do not count what a binding changes', async () => {
    await using api = new Answers();
    const created = await api.post(`${PODS}?fieldManager=me`, podOf('one'));
    const target = { kind: 'Node', name: 'n1' };
    const labels = { l: 'm' };
    const binding = { metadata: { name: 'one', labels }, target };
    await api.post(`${PODS}/one/binding?fieldManager=scheduler`, binding);
    const bound = await api.get(`${PODS}/one`);
    expect(bound.body).to.have.nested.property('spec.nodeName', 'n1');
    expect(entriesOf(bound)).to.deep.equal(entriesOf(created));
  });

  it('count all fields that an update through ephemeralcontainers sends', async () => {
    await using api = new Answers();
    await api.post(`${PODS}?fieldManager=me`, podOf('one'));
    const answer = await api.patch(`${PODS}/one/ephemeralcontainers?fieldManager=debug`, {
      metadata: { labels: { no: 't' } },
      spec: { ephemeralContainers: [{ name: 'd', image: 'x' }] },
    });
    expect(answer.body).to.nested.include({ 'metadata.labels.app': 'x' });
    expect(answer.body).not.to.have.nested.property('metadata.labels.no');
    const [entry] = entriesOf(answer);
    const container = Object.fromEntries(
      '. f:image f:imagePullPolicy f:name f:resources f:terminationMessagePath f:terminationMessagePolicy'
        .split(' ')
        .map((name) => [name, {}]),
    );
    expect(entry).to.deep.equal([
      'debug',
      'Update',
      'ephemeralcontainers',
      {
        'f:metadata': { 'f:labels': { 'f:no': {} } },
        'f:spec': { 'f:ephemeralContainers': { '.': {}, 'k:{"name":"d"}': container } },
      },
    ]);
    const applied = await api.ask(
      'PATCH',
      `${PODS}/one/resize?fieldManager=other`,
      { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { no: 'u' } } },
      APPLY,
    );
    expect([applied.status, applied.body['message']]).to.deep.equal([
      409,
      'Apply failed with 1 conflict: conflict with "debug" with subresource "ephemeralcontainers" using v1: .metadata.labels.no',
    ]);
  });

  it('are given to the request for a token', async () => {
    await using api = new Answers();
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await api.post(accounts, { metadata: { name: 'a' } });
    const answer = await api.post(`${accounts}/a/token?fieldManager=me`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: ['b'] },
    });
    expect(entriesOf(answer)).to.deep.equal([
      ['me', 'Update', 'token', { 'f:spec': { 'f:audiences': {}, 'f:expirationSeconds': {} } }],
    ]);
  });

  it('leave out what a certificate signing request and its approval reset', async () => {
    await using api = new Answers();
    const created = await api.post(`${REQUESTS}?fieldManager=me`, {
      metadata: { name: 'one', labels: { a: 'b' } },
      spec: { request: CSR, signerName: 'example.com/x', usages: ['client auth'] },
    });
    expect(created.status, created.text).to.equal(201);
    const labels = ['me', 'Update', '', { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } }];
    expect(entriesOf(created)).to.deep.equal([labels]);
    const approved = await api.ask(
      'PATCH',
      `${REQUESTS}/one/approval?fieldManager=boss`,
      {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        status: { certificate: 'eA==', conditions: [{ type: 'Approved', status: 'True' }] },
      },
      APPLY,
    );
    expect(approved.status, approved.text).to.equal(200);
    const condition = { '.': {}, 'f:status': {}, 'f:type': {} };
    const conditions = { 'k:{"type":"Approved"}': condition };
    expect(entriesOf(approved)).to.deep.equal([
      ['boss', 'Apply', 'approval', { 'f:status': { 'f:conditions': conditions } }],
      labels,
    ]);
  });

  it('take the data of a controller revision as one value', async () => {
    await using api = new Answers();
    const draft = { metadata: { name: 'one' }, revision: 1, data: { a: { b: 1 } } };
    const created = await api.post(`${REVISIONS}?fieldManager=me`, draft);
    const fields = { 'f:data': {}, 'f:revision': {} };
    expect(entriesOf(created)).to.deep.equal([['me', 'Update', '', fields]]);
  });
});

describe('the status of an object that does not exist', () => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'one' } };
  const ports = [{ port: 80 }];

  it('creates a service without an address, by PUT and by an apply', async () => {
    await using api = new Answers();
    const put = await api.ask('PUT', `${SERVICES}/one/status`, { ...service, spec: { ports } });
    expect(put.status, put.text).to.equal(201);
    expect(put.body['spec']).to.deep.equal({
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
    });
    const path = `${SERVICES}/two/status?fieldManager=me`;
    const metadata = { name: 'two', labels: { a: 'b' } };
    const applied = await api.ask('PATCH', path, { ...service, metadata, spec: { ports } }, APPLY);
    expect(applied.status, applied.text).to.equal(201);
    const labels = { 'f:metadata': { 'f:labels': { 'f:a': {} } } };
    expect(entriesOf(applied)).to.deep.equal([['me', 'Apply', 'status', labels]]);
    const merged = await api.ask('PATCH', `${SERVICES}/three/status`, {}, MERGE);
    expect(merged.status).to.equal(404);
  });

  it('is refused by the rules of a service, and of a policy that is applied', async () => {
    await using api = new Answers();
    const refused = await api.ask(
      'PATCH',
      `${SERVICES}/one/status?fieldManager=me`,
      service,
      APPLY,
    );
    expect(refused.body['message']).to.equal(
      'Service "one" is invalid: spec.ports: Required value',
    );
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
    const policy = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'one' },
    };
    const path = `${policies}/one/status?fieldManager=me`;
    expect((await api.ask('PATCH', path, policy, APPLY)).status).to.equal(422);
    expect((await api.ask('PUT', path, policy)).status).to.equal(404);
  });

  it('is not found for other kinds', async () => {
    await using api = new Answers();
    const path = `${PODS}/one/status?fieldManager=me`;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' } };
    expect((await api.ask('PATCH', path, pod, APPLY)).status).to.equal(404);
    expect((await api.ask('PUT', path, pod)).status).to.equal(404);
  });
});

describe('an apply without a name', () => {
  it('changes the object of the path, and creates none', async () => {
    await using api = new Answers();
    const path = '/api/v1/namespaces/default/configmaps/one?fieldManager=me';
    const map = { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } };
    const refused = await api.ask('PATCH', path, map, APPLY);
    expect([refused.status, refused.body['message']]).to.deep.equal([
      400,
      'the name of the object (one based on URL) was undeterminable: name must be provided',
    ]);
    await api.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'one' } });
    expect((await api.ask('PATCH', path, map, APPLY)).body['data']).to.deep.equal({ a: 'b' });
  });
});

describe('the bodies of subresources', () => {
  it('are read as the type of their kind', async () => {
    await using api = new Answers();
    await api.post(PODS, podOf('one'));
    const bound = await api.post(`${PODS}/one/binding`, { metadata: { name: 'one' }, target: 'x' });
    expect([bound.status, bound.body['message']]).to.deep.equal([
      400,
      'Binding in version "v1" cannot be handled as a Binding: json: cannot unmarshal string into Go struct field Binding.target of type v1.ObjectReference',
    ]);
    const evicted = await api.post(`${PODS}/one/eviction?fieldValidation=Strict`, {
      metadata: { name: 'one' },
      surplus: 1,
    });
    expect([evicted.status, evicted.body['message']]).to.deep.equal([
      400,
      'Eviction in version "v1" cannot be handled as a Eviction: strict decoding error: unknown field "surplus"',
    ]);
  });
});

describe('a job whose status is written without labels', () => {
  it('keeps those of its template', async () => {
    await using api = new Answers();
    const jobs = '/apis/batch/v1/namespaces/default/jobs';
    const containers = [{ name: 'main', image: 'x' }];
    const spec = { template: { spec: { containers, restartPolicy: 'Never' } } };
    const { body } = await api.post(jobs, { metadata: { name: 'one' }, spec });
    const put = await api.ask('PUT', `${jobs}/one/status`, { metadata: { name: 'one' }, spec });
    expect(put.status, put.text).to.equal(200);
    const { labels } = body['metadata'] as { readonly labels: unknown };
    expect(put.body).to.have.nested.property('metadata.labels').that.deep.equals(labels);
  });
});
