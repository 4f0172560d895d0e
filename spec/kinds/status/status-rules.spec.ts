import { expect } from 'chai';
import { Answers } from '../../server/registry/support/answers.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const STATEFUL = '/apis/apps/v1/namespaces/default/statefulsets';
const SERVICES = '/api/v1/namespaces/default/services';

const template = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const workload = {
  metadata: { name: 'one' },
  spec: { selector: { matchLabels: { a: 'b' } }, template },
};

async function causesOf(api: Answers, path: string, status: object): Promise<string[]> {
  const { status: code, text, body } = await api.merge(`${path}/one/status`, { status });
  expect(code, text).to.equal(422);
  const { causes } = body['details'] as { causes: { field: string; message: string }[] };
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

describe('the status of a built-in kind', () => {
  it('counts no replicas below zero, and no more of a part than of the whole', async () => {
    await using api = new Answers();
    await api.post(STATEFUL, workload);
    expect(await causesOf(api, STATEFUL, { replicas: -1 })).to.include(
      'status.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
    expect(await causesOf(api, STATEFUL, { readyReplicas: 9 })).to.deep.equal([
      'status.readyReplicas: Invalid value: 9: cannot be greater than status.replicas',
    ]);
    expect(await causesOf(api, STATEFUL, { replicas: 3, availableReplicas: 2 })).to.deep.equal([
      'status.availableReplicas: Invalid value: 2: cannot be greater than status.readyReplicas',
    ]);
  });

  it('counts collisions of names only upwards', async () => {
    await using api = new Answers();
    await api.post(STATEFUL, workload);
    await api.merge(`${STATEFUL}/one/status`, { status: { collisionCount: 2 } });
    for (const collisionCount of [1, null]) {
      const found = Number(collisionCount);
      expect(await causesOf(api, STATEFUL, { collisionCount })).to.deep.equal([
        `status.collisionCount: Invalid value: ${found}: cannot be decremented`,
      ]);
    }
    const { status } = await api.merge(`${STATEFUL}/one/status`, { status: { collisionCount: 2 } });
    expect(status).to.equal(200);
  });

  it('has a load balancer only where the service has one', async () => {
    await using api = new Answers();
    await api.post(SERVICES, { metadata: { name: 'one' }, spec: { ports: [{ port: 80 }] } });
    const loadBalancer = { ingress: [{ ip: '192.0.2.1' }] };
    expect(await causesOf(api, SERVICES, { loadBalancer })).to.deep.equal([
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ]);
  });

  it('is written without the labels of a deployment, and with those of a stateful set', async () => {
    await using api = new Answers();
    const patch = { metadata: { labels: { x: 'y' } }, status: { observedGeneration: 1 } };
    await api.post(DEPLOYMENTS, workload);
    await api.post(STATEFUL, workload);
    const deployment = await api.merge(`${DEPLOYMENTS}/one/status`, patch);
    expect(deployment.body).to.have.nested.property('status.observedGeneration', 1);
    expect(deployment.body).not.to.have.nested.property('metadata.labels');
    const set = await api.merge(`${STATEFUL}/one/status`, patch);
    expect(set.body).to.have.nested.property('metadata.labels.x', 'y');
  });

  it('leaves a job and a replication controller without labels those of the template', async () => {
    await using api = new Answers();
    const pod = { ...template.spec, restartPolicy: 'Never' };
    for (const [path, own, label] of [
      ['/apis/batch/v1/namespaces/default/jobs', { spec: pod }, 'job-name'],
      ['/api/v1/namespaces/default/replicationcontrollers', template, 'a'],
    ] as const) {
      const spec = { template: own };
      await api.post(path, { metadata: { name: 'one' }, spec });
      const status = { replicas: 1 };
      const bare = { metadata: { name: 'one' }, spec: {}, status };
      const { status: code, body, text } = await api.ask('PUT', `${path}/one/status`, bare);
      expect(code, text).to.equal(200);
      expect(body).to.have.nested.property(`metadata.labels.${label}`);
    }
  });
});

describe('the deletion of a namespace', () => {
  it('has a time, and no grace period', async () => {
    await using api = new Answers();
    await api.post('/api/v1/namespaces', {
      metadata: { name: 'shop' },
      spec: { finalizers: ['example.com/q'] },
    });
    const { body } = await api.ask('DELETE', '/api/v1/namespaces/shop');
    expect(body).to.have.nested.property('metadata.deletionTimestamp');
    expect(body).not.to.have.nested.property('metadata.deletionGracePeriodSeconds');
  });
});
