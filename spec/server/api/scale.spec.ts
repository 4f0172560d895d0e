import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { DEFINITIONS, GADGET, GADGETS, gadgets } from './gadgets.ts';
import { call } from './support.ts';

const template = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const selector = { matchLabels: { a: 'b' } };

interface Target {
  readonly path: string;
  readonly object: object;
  /** The details of errors that concern the scaled object. */
  readonly details: { readonly group: string; readonly kind: string };
  /** The details and the cause of a negative number. */
  readonly negative: {
    readonly group: string;
    readonly kind: string;
    readonly field: string;
    readonly message: string;
  };
  readonly selector?: string;
  readonly keyPrefix: string;
  /** The names of the columns, and the format of the first one. */
  readonly table: readonly string[];
  readonly nameFormat: string;
}

const targets: readonly Target[] = [
  {
    path: '/apis/apps/v1/namespaces/default/deployments',
    object: { metadata: { name: 's' }, spec: { replicas: 2, selector, template } },
    details: { group: 'apps', kind: 'deployments' },
    negative: {
      group: 'autoscaling',
      kind: 'Scale',
      field: 'spec.replicas',
      message: 'Invalid value: -1: must be greater than or equal to 0',
    },
    selector: 'a=b',
    keyPrefix: '/registry/deployments/default/',
    table: ['Name', 'Desired', 'Available', 'Age'],
    nameFormat: '',
  },
  {
    path: `${GADGETS}/namespaces/default/gadgets`,
    object: { ...GADGET, metadata: { name: 's' }, spec: { replicas: 2 } },
    details: { group: 'h3.example.com', kind: 'gadgets' },
    negative: {
      group: 'h3.example.com',
      kind: 'Gadget',
      field: '.spec.replicas',
      message: 'Invalid value: -1: should be a non-negative integer',
    },
    keyPrefix: '/registry/h3.example.com/gadgets/default/',
    table: ['Name', 'Desired', 'Available'],
    nameFormat: 'name',
  },
];

/** The parts of an answer that were recorded at kube-apiserver 1.36.3. */
type Answer = readonly [status: number, reason: unknown, message: unknown, details: unknown];

for (const {
  path,
  object,
  details,
  negative,
  selector: labels,
  keyPrefix,
  table,
  nameFormat,
} of targets) {
  describe(`the scale of ${details.kind}`, () => {
    let server: ApiServer;
    let uid: string;

    beforeEach(async () => {
      server = new ApiServer();
      await call(server.handler, 'POST', DEFINITIONS, { body: gadgets });
      const { json } = await call(server.handler, 'POST', path, { body: object });
      ({ uid } = json()['metadata'] as { uid: string });
    });
    afterEach(() => server.close());

    async function put(metadata: object | undefined, spec?: object): Promise<Answer> {
      const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec };
      const { status, json } = await call(server.handler, 'PUT', `${path}/s/scale`, { body });
      const { reason, message, details: found } = json();
      return [status, reason, message, found];
    }

    it('is set by an object without a resource version', async () => {
      const body = { metadata: { name: 's' }, spec: { replicas: 3 } };
      for (const replicas of [3, 0]) {
        const { status, json } = await call(server.handler, 'PUT', `${path}/s/scale`, {
          body: { ...body, spec: { replicas } },
        });
        expect(status).to.equal(200);
        expect(json()).to.deep.include({
          kind: 'Scale',
          apiVersion: 'autoscaling/v1',
          spec: replicas === 0 ? {} : { replicas },
          status: { replicas: 0, ...(labels === undefined ? {} : { selector: labels }) },
        });
      }
    });

    it('warns of a field that a Scale does not have, and refuses it in a strict request', async () => {
      const url = `${path}/s/scale`;
      const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 's' } };
      const spec = { replicas: 4, surplus: 1 };
      const warned = await call(server.handler, 'PUT', url, { body: { ...body, spec } });
      expect(warned.status).to.equal(200);
      expect(warned.headers['warning']).to.deep.equal([
        String.raw`299 - "unknown field \"spec.surplus\""`,
      ]);
      const strict = await call(server.handler, 'PUT', `${url}?fieldValidation=Strict`, {
        body: { ...body, spec },
      });
      expect(strict.status).to.equal(400);
      expect(strict.json()['message']).to.equal(
        'Scale in version "v1" cannot be handled as a Scale: strict decoding error: unknown field "spec.surplus"',
      );
    });

    it('is a table with the numbers of replicas', async () => {
      const { json } = await call(server.handler, 'GET', `${path}/s/scale`, {
        headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      });
      const { columnDefinitions, rows } = json() as {
        readonly columnDefinitions: readonly { readonly name: string; readonly format: string }[];
        readonly rows: readonly { readonly cells: readonly unknown[] }[];
      };
      const columns = columnDefinitions.map(({ name, format }) => [name, format]);
      const [cells] = rows.map((row) => row.cells);
      expect(columns).to.deep.equal(table.map((name) => [name, name === 'Name' ? nameFormat : '']));
      expect(cells?.slice(0, 3)).to.deep.equal(['s', 2, 0]);
      expect(cells).to.have.length(table.length);
    });

    it('refuses another version, uid, name or namespace', async () => {
      const modified = 'the object has been modified; please apply your changes to the latest';
      const plural = `${details.kind}.${details.group} "s"`;
      const cannot = `Operation cannot be fulfilled on ${plural}:`;
      const conflict = { name: 's', ...details };
      const scaled = { replicas: 3 };
      expect(await put({ name: 's', resourceVersion: '1' }, scaled)).to.deep.equal([
        409,
        'Conflict',
        `${cannot} ${modified} version and try again`,
        conflict,
      ]);
      expect(await put({ name: 's', uid: '1' }, scaled)).to.deep.equal([
        409,
        'Conflict',
        `${cannot} StorageError: invalid object, Code: 4, Key: ${keyPrefix}s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: 1, UID in object meta: ${uid}`,
        conflict,
      ]);
      const bad = (message: string): Answer => [400, 'BadRequest', message, undefined];
      expect(await put({ name: 't' }, scaled)).to.deep.equal(
        bad('the name of the object (t) does not match the name on the URL (s)'),
      );
      const nameless = bad(
        'the name of the object (s based on URL) was undeterminable: name must be provided',
      );
      expect(await put({}, scaled)).to.deep.equal(nameless);
      expect(await put(undefined, scaled)).to.deep.equal(nameless);
      expect(await put({ name: 's', namespace: 'other' }, scaled)).to.deep.equal(
        bad(
          'the namespace of the provided object does not match the namespace sent on the request',
        ),
      );
    });

    it('refuses a number that is negative or no 32-bit integer', async () => {
      const { group, kind, field, message } = negative;
      expect(await put({ name: 's' }, { replicas: -1 })).to.deep.equal([
        422,
        'Invalid',
        `${kind}.${group} "s" is invalid: ${field}: ${message}`,
        { name: 's', group, kind, causes: [{ reason: 'FieldValueInvalid', message, field }] },
      ]);
      const rows: readonly [value: unknown, name: string][] = [
        [1.5, 'number 1.5'],
        [3_000_000_000, 'number 3000000000'],
        ['3', 'string'],
      ];
      for (const [replicas, name] of rows) {
        expect(await put({ name: 's' }, { replicas })).to.deep.equal([
          400,
          'BadRequest',
          `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${name} into Go struct field ScaleSpec.spec.replicas of type int32`,
          undefined,
        ]);
      }
    });

    it('of a missing object is not found', async () => {
      const { status, json } = await call(server.handler, 'GET', `${path}/none/scale`);
      expect(status).to.equal(404);
      expect(json()).to.deep.include({
        message: `${details.kind}.${details.group} "none" not found`,
        details: { name: 'none', ...details },
      });
    });
  });
}

describe('a custom resource', () => {
  // Recorded at kube-apiserver 1.36.3: the client has not sent the field that is dropped.
  it('whose schema lacks the field of its replicas is scaled by a strict request, without a warning', async () => {
    await using server = new ApiServer();
    const path = `${GADGETS}/namespaces/default/gadgets`;
    const { spec: defined } = gadgets as {
      readonly spec: { readonly versions: readonly object[] };
    };
    const [version] = defined.versions;
    const spec = { type: 'object', properties: { mode: { type: 'string' } } };
    const openAPIV3Schema = { type: 'object', properties: { spec } };
    const versions = [{ ...version, schema: { openAPIV3Schema } }];
    const body = { ...gadgets, spec: { ...defined, versions } };
    await call(server.handler, 'POST', DEFINITIONS, { body });
    await call(server.handler, 'POST', path, { body: { ...GADGET, metadata: { name: 's' } } });
    const url = `${path}/s/scale?fieldValidation=Strict`;
    const scaled = await call(server.handler, 'PATCH', url, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { replicas: 8 } },
    });
    expect(scaled.status, JSON.stringify(scaled.json())).to.equal(200);
    expect(scaled.headers).not.to.have.property('warning');
    expect(scaled.json()['spec']).to.deep.equal({});
  });

  // Recorded at kube-apiserver 1.36.3; the details name the resource instead of the kind.
  it('is updated only with a resource version, and so is its status', async () => {
    await using server = new ApiServer();
    const path = `${GADGETS}/namespaces/default/gadgets`;
    await call(server.handler, 'POST', DEFINITIONS, { body: gadgets });
    const body = { ...GADGET, metadata: { name: 's' } };
    await call(server.handler, 'POST', path, { body });
    for (const url of [`${path}/s`, `${path}/s/status`]) {
      const { status, json } = await call(server.handler, 'PUT', url, { body });
      const message = 'Invalid value: 0: must be specified for an update';
      const field = 'metadata.resourceVersion';
      expect(status, url).to.equal(422);
      expect(json(), url).to.deep.include({
        message: `gadgets.h3.example.com "s" is invalid: ${field}: ${message}`,
        details: {
          name: 's',
          group: 'h3.example.com',
          kind: 'gadgets',
          causes: [{ reason: 'FieldValueInvalid', message, field }],
        },
      });
    }
  });
});
