import { expect } from 'chai';
import { Answers } from '../../server/registry/support/answers.ts';

const BASE = '/apis/authorization.k8s.io/v1';
const PODS = { verb: 'get', resource: 'pods' };

describe('reviews of access', () => {
  it('allows everything, as an authorizer that always allows', async () => {
    await using api = new Answers({ authorization: 'always-allow' });
    const asked = [
      ['selfsubjectaccessreviews', { resourceAttributes: PODS }],
      ['selfsubjectaccessreviews', { nonResourceAttributes: { path: '/', verb: 'get' } }],
      ['subjectaccessreviews', { user: 'x', resourceAttributes: PODS }],
      [
        'namespaces/default/localsubjectaccessreviews',
        { user: 'x', resourceAttributes: { ...PODS, namespace: 'default' } },
      ],
    ] as const;
    for (const [path, spec] of asked) {
      const { status, text, body } = await api.post(`${BASE}/${path}`, { spec });
      expect(status, text).to.equal(201);
      expect(body['status'], path).to.deep.equal({ allowed: true });
      expect(body['spec']).to.deep.equal(spec);
    }
  });

  it('say which selector they could not read', async () => {
    await using api = new Answers({ authorization: 'always-allow' });
    const statusOf = async (name: string, rawSelector: string): Promise<unknown> => {
      const resourceAttributes = { ...PODS, verb: 'list', [name]: { rawSelector } };
      const spec = { resourceAttributes };
      return (await api.post(`${BASE}/selfsubjectaccessreviews`, { spec })).body['status'];
    };
    for (const name of ['labelSelector', 'fieldSelector']) {
      expect(await statusOf(name, '===')).to.deep.equal({
        allowed: true,
        evaluationError: `spec.resourceAttributes.${name} ignored due to parse error`,
      });
      expect(await statusOf(name, 'a=b')).to.deep.equal({ allowed: true });
    }
  });

  // As kube-apiserver 1.36.3 answers each; a message is that of the refusal.
  for (const [operator, values, ofLabels, ofFields] of [
    ['Exists', [], 'read', 'ignored'],
    ['DoesNotExist', [], 'read', 'ignored'],
    ['In', ['a'], 'read', 'read'],
    ['NotIn', ['a'], 'read', 'read'],
    ['In', ['a', 'b'], 'read', 'ignored'],
    ['Odd', [], 'ignored', 'ignored'],
    ['Exists', ['a'], 'Forbidden', 'Forbidden'],
    ['DoesNotExist', ['a'], 'Forbidden', 'Forbidden'],
    ['In', [], 'Required', 'Required'],
    ['NotIn', [], 'Required', 'Required'],
  ] as const) {
    it(`have requirements that are read, ignored or refused: ${operator} [${values.join()}]`, async () => {
      await using api = new Answers({ authorization: 'always-allow' });
      const detail = {
        Forbidden: "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        Required: "Required value: must be specified when `operator` is 'In' or 'NotIn'",
      };
      for (const [name, expected] of [
        ['labelSelector', ofLabels],
        ['fieldSelector', ofFields],
      ] as const) {
        const path = `spec.resourceAttributes.${name}`;
        const requirements = [{ key: 'a', operator, values }];
        const resourceAttributes = { ...PODS, verb: 'list', [name]: { requirements } };
        const { body } = await api.post(`${BASE}/selfsubjectaccessreviews`, {
          spec: { resourceAttributes },
        });
        if (expected === 'read' || expected === 'ignored') {
          expect(body['status'], name).to.deep.equal({
            allowed: true,
            ...(expected === 'read'
              ? {}
              : { evaluationError: `${path} ignored due to parse error` }),
          });
        } else {
          expect(body['details'], name).to.have.deep.property('causes', [
            {
              reason: `FieldValue${expected}`,
              message: detail[expected],
              field: `${path}.requirements[0].values`,
            },
          ]);
        }
      }
    });
  }

  it('lists the rules of the user', async () => {
    await using api = new Answers({ authorization: 'always-allow' });
    const { body } = await api.post(`${BASE}/selfsubjectrulesreviews`, {
      spec: { namespace: 'a' },
    });
    expect(body['status']).to.deep.equal({
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    });
    const refused = await api.post(`${BASE}/selfsubjectrulesreviews`, { spec: {} });
    expect([refused.status, refused.body['message']]).to.deep.equal([
      400,
      'no namespace on request',
    ]);
  });

  it('refuses questions that ask nothing, two things, or about no one', async () => {
    await using api = new Answers();
    const both = { resourceAttributes: PODS, nonResourceAttributes: { path: '/', verb: 'get' } };
    const refusals: readonly (readonly [string, object, string])[] = [
      ['selfsubjectaccessreviews', {}, 'spec'],
      ['selfsubjectaccessreviews', both, 'spec'],
      ['subjectaccessreviews', { resourceAttributes: PODS }, 'spec.user'],
      [
        'namespaces/default/localsubjectaccessreviews',
        { user: 'x', resourceAttributes: PODS },
        'spec.resourceAttributes.namespace',
      ],
    ];
    for (const [path, spec, field] of refusals) {
      const { status, body } = await api.post(`${BASE}/${path}`, { spec });
      expect(status, path).to.equal(422);
      expect(body).to.nested.include({
        'details.causes[0].field': field,
        'details.group': 'authorization.k8s.io',
      });
    }
    expect((await api.get(`${BASE}/selfsubjectaccessreviews`)).status).to.equal(405);
  });
});

describe('reviews of the user', () => {
  it('names the user of a request in the process, with its groups', async () => {
    await using api = new Answers();
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    expect((await api.post(path, {})).body).to.deep.nested.include({
      'status.userInfo': {
        username: 'system:admin',
        groups: ['system:masters', 'system:authenticated'],
      },
    });
  });

  it('knows the own token of the server, and no other', async () => {
    await using api = new Answers();
    const path = '/apis/authentication.k8s.io/v1/tokenreviews';
    const own = await api.post(path, { spec: { token: api.server.token } });
    expect(own.body).to.nested.include({
      'status.authenticated': true,
      'status.user.username': 'listwatch:admin',
    });
    const other = await api.post(path, { spec: { token: 'a.b.c' } });
    expect(other.body['status']).to.deep.equal({ user: {}, error: 'invalid bearer token' });
    expect((await api.post(path, { spec: {} })).status).to.equal(400);
  });
});

describe('component statuses', () => {
  it('lists what a control plane asks, and gets one by name', async () => {
    await using api = new Answers();
    const { body } = await api.get('/api/v1/componentstatuses');
    const items = body['items'] as { metadata: { name: string } }[];
    expect(items.map(({ metadata }) => metadata.name)).to.deep.equal([
      'scheduler',
      'controller-manager',
      'etcd-0',
    ]);
    expect((await api.get('/api/v1/componentstatuses/etcd-0')).status).to.equal(200);
    const missing = await api.get('/api/v1/componentstatuses/x');
    expect([missing.status, missing.body['message']]).to.deep.equal([
      404,
      'componentstatus "x" not found',
    ]);
  });
});
