import { expect } from 'chai';
import { Answers, podOf, PODS, type Answer } from '../../server/registry/support/answers.ts';

const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

const eviction = (name: string, deleteOptions?: object): object => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name },
  ...(deleteOptions === undefined ? {} : { deleteOptions }),
});

/** A running and ready pod, and a budget of its label with this status. */
async function guarded(
  api: Answers,
  status: object,
  conditions: object[] = [{ type: 'Ready', status: 'True' }],
): Promise<void> {
  await api.post(PODS, podOf('web', { nodeName: 'n1' }));
  await api.merge(`${PODS}/web/status`, { status: { phase: 'Running', conditions } });
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'x' } } };
  await api.post(BUDGETS, { metadata: { name: 'budget' }, spec });
  const set = await api.merge(`${BUDGETS}/budget/status`, { status });
  expect(set.status, set.text).to.equal(200);
}

async function evict(
  api: Answers,
  body: object = eviction('web'),
  query: string = '',
): Promise<Answer> {
  return await api.post(`${PODS}/web/eviction${query}`, body);
}

const CURRENT = { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };

describe('the eviction of a pod', () => {
  it('is refused for a body of another namespace, as a binding and a review are', async () => {
    await using api = new Answers();
    const rule =
      'the namespace of the provided object does not match the namespace sent on the request';
    const metadata = { name: 'web', namespace: 'other' };
    const target = { kind: 'Node', name: 'n1' };
    const resourceAttributes = { namespace: 'default', verb: 'get', resource: 'pods' };
    const spec = { user: 'jane', resourceAttributes };
    const reviews = '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews';
    for (const [path, body] of [
      [`${PODS}/web/eviction`, { metadata }],
      [`${PODS}/web/binding`, { metadata, target }],
      ['/api/v1/namespaces/default/bindings', { metadata, target }],
      [reviews, { metadata: { namespace: 'other' }, spec }],
    ] as const) {
      const answer = await api.post(path, body);
      expect([answer.status, answer.body['message']], path).to.deep.equal([400, rule]);
    }
  });

  it('deletes a pod that no budget guards', async () => {
    await using api = new Answers();
    await api.post(PODS, podOf('web'));
    const evicted = await evict(api);
    expect(evicted.status, evicted.text).to.equal(201);
    expect(evicted.body).to.include({ kind: 'Status', status: 'Success' });
    expect((await api.get(`${PODS}/web`)).status).to.equal(404);
  });

  it('deletes a running pod that no budget guards', async () => {
    await using api = new Answers();
    await api.post(PODS, podOf('web'));
    await api.merge(`${PODS}/web/status`, { status: { phase: 'Running' } });
    expect((await evict(api)).status).to.equal(201);
    expect((await api.get(`${PODS}/web`)).status).to.equal(404);
  });

  it('takes policy/v1beta1 too, and no other version', async () => {
    await using api = new Answers();
    await api.post(PODS, podOf('web'));
    const old = { ...eviction('web'), apiVersion: 'policy/v1beta1' };
    expect((await evict(api, old, '?dryRun=All')).status).to.equal(201);
    expect((await evict(api, { ...old, apiVersion: 'policy/v2' })).status).to.equal(400);
    expect((await api.get(`${PODS}/web`)).status).to.equal(200);
  });

  it('counts a disruption, marks the pod, and keeps its grace period', async () => {
    await using api = new Answers();
    await guarded(api, { ...CURRENT, disruptionsAllowed: 1 });
    const evicted = await evict(api, eviction('web', { gracePeriodSeconds: 17 }));
    expect(evicted.status, evicted.text).to.equal(201);
    const pod = (await api.get(`${PODS}/web`)).body;
    expect(pod).to.nested.include({
      'metadata.deletionGracePeriodSeconds': 17,
      'status.conditions[1].type': 'DisruptionTarget',
      'status.conditions[1].reason': 'EvictionByEvictionAPI',
    });
    const budget = (await api.get(`${BUDGETS}/budget`)).body;
    expect(budget).to.nested.include({
      'status.disruptionsAllowed': 0,
      'status.conditions[0].type': 'DisruptionAllowed',
      'status.conditions[0].reason': 'InsufficientPods',
    });
    expect(budget).to.have.nested.property('status.disruptedPods.web');
  });

  it('is refused with 429 by a budget without a disruption left, and by one without a status', async () => {
    await using api = new Answers();
    await guarded(api, { ...CURRENT, disruptionsAllowed: 0 });
    const refused = await evict(api);
    expect(refused.status, refused.text).to.equal(429);
    expect(refused.body['details']).to.deep.equal({
      causes: [
        {
          reason: 'DisruptionBudget',
          message: 'The disruption budget budget needs 1 healthy pods and has 1 currently',
        },
      ],
    });
    await api.merge(`${BUDGETS}/budget/status`, { status: { observedGeneration: 0 } });
    expect((await evict(api)).body).to.nested.include({
      'details.retryAfterSeconds': 10,
      'details.causes[0].message':
        'The disruption budget budget is still being processed by the server.',
    });
    expect((await api.get(`${PODS}/web`)).status).to.equal(200);
  });

  it('does not count pods that are not ready while enough others are healthy', async () => {
    await using api = new Answers();
    await guarded(api, { ...CURRENT, disruptionsAllowed: 0 }, [
      { type: 'Ready', status: 'False' },
      { type: 'Initialized', status: 'True' },
    ]);
    expect((await evict(api)).status).to.equal(201);
    expect((await api.get(`${BUDGETS}/budget`)).body).not.to.have.nested.property(
      'status.disruptedPods',
    );
  });

  it('is refused where two budgets guard a pod', async () => {
    await using api = new Answers();
    await guarded(api, { ...CURRENT, disruptionsAllowed: 1 });
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'x' } } };
    await api.post(BUDGETS, { metadata: { name: 'second' }, spec });
    const refused = await evict(api);
    expect(refused.status).to.equal(500);
    expect(refused.body['message']).to.match(/more than one PodDisruptionBudget/);
  });

  it('keeps preconditions and dry runs', async () => {
    await using api = new Answers();
    await api.post(PODS, podOf('web'));
    for (const preconditions of [{ uid: 'other' }, { resourceVersion: '1' }]) {
      const refused = await evict(api, eviction('web', { preconditions }));
      expect(refused.status, refused.text).to.equal(409);
      expect(refused.body['details']).to.deep.equal({ name: 'web', kind: 'Pod' });
    }
    expect((await evict(api, eviction('web'), '?dryRun=All')).status).to.equal(201);
    expect((await evict(api, eviction('web', { dryRun: ['All'] }))).status).to.equal(201);
    expect((await evict(api, eviction('other'))).status).to.equal(400);
    expect((await api.get(`${PODS}/web`)).body).not.to.have.nested.property('status.conditions');
  });
});
