import { expect } from 'chai';
import { Answers } from '../../server/registry/support/answers.ts';

const scalers = (version: string): string =>
  `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
const [V1, V2] = [scalers('v1'), scalers('v2')];
const CORE = '/api/v1/namespaces/default/events';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';

const spec = {
  scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
  maxReplicas: 5,
};
const cpu = (averageUtilization: number): object => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
const OTHERS = [
  {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '500Mi' } },
  },
  {
    type: 'Pods',
    pods: {
      metric: { name: 'm', selector: { matchLabels: { a: 'b' } } },
      target: { type: 'AverageValue', averageValue: '1k' },
    },
  },
  {
    type: 'Object',
    object: {
      describedObject: { kind: 'K', name: 'n', apiVersion: 'v1' },
      target: { type: 'Value', value: '10' },
      metric: { name: 'om' },
    },
  },
  {
    type: 'External',
    external: { metric: { name: 'em' }, target: { type: 'AverageValue', averageValue: '5' } },
  },
  {
    type: 'ContainerResource',
    containerResource: {
      name: 'cpu',
      target: { type: 'Utilization', averageUtilization: 30 },
      container: 'c',
    },
  },
];

describe('autoscalers in two versions', () => {
  it('are one object, whichever version writes', async () => {
    await using api = new Answers();
    const written = await api.post(V1, {
      metadata: { name: 'a', annotations: { x: 'y' } },
      spec: { ...spec, targetCPUUtilizationPercentage: 60 },
    });
    expect(written.status, written.text).to.equal(201);
    expect(written.body).to.deep.nested.include({
      apiVersion: 'autoscaling/v1',
      'spec.targetCPUUtilizationPercentage': 60,
      status: { currentReplicas: 0, desiredReplicas: 0 },
    });
    const { body } = await api.get(`${V2}/a`);
    expect(body).to.deep.nested.include({
      apiVersion: 'autoscaling/v2',
      'metadata.annotations': { x: 'y' },
      'spec.metrics': [cpu(60)],
    });
    expect(body).to.have.nested.property(
      'metadata.uid',
      (written.body['metadata'] as { uid: string }).uid,
    );
    expect((await api.get(`${V2}/a`)).body).to.have.nested.property(
      'metadata.managedFields[0].apiVersion',
      'autoscaling/v1',
    );
  });

  it('get the utilization of a processor that v1 implies', async () => {
    await using api = new Answers();
    await api.post(V1, { metadata: { name: 'b' }, spec });
    expect((await api.get(`${V2}/b`)).body).to.deep.nested.include({ 'spec.metrics': [cpu(80)] });
    expect((await api.get(`${V1}/b`)).body).to.have.nested.property(
      'spec.targetCPUUtilizationPercentage',
      80,
    );
  });

  it('keep in annotations what v1 has no field for, through a write', async () => {
    await using api = new Answers();
    const metrics = [OTHERS[0], cpu(70), ...OTHERS.slice(1)];
    const behavior = { scaleDown: { stabilizationWindowSeconds: 10 } };
    const made = await api.post(V2, {
      metadata: { name: 'c' },
      spec: { ...spec, metrics, behavior },
    });
    expect(made.status, made.text).to.equal(201);
    const shown = (await api.get(`${V1}/c`)).body;
    const { annotations } = shown['metadata'] as { annotations: Record<string, string> };
    // The texts of a kube-apiserver 1.36.3.
    expect(annotations['autoscaling.alpha.kubernetes.io/metrics']).to.equal(
      '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"500Mi"}},{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"1k","selector":{"matchLabels":{"a":"b"}}}},{"type":"Object","object":{"target":{"kind":"K","name":"n","apiVersion":"v1"},"metricName":"om","targetValue":"10"}},{"type":"External","external":{"metricName":"em","targetAverageValue":"5"}},{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":30,"container":"c"}}]',
    );
    expect(annotations['autoscaling.alpha.kubernetes.io/behavior']).to.contain(
      '"StabilizationWindowSeconds":10',
    );
    const before = (await api.get(`${V2}/c`)).body;
    const patched = await api.merge(`${V1}/c`, { spec: { maxReplicas: 9 } });
    expect(patched.status, patched.text).to.equal(200);
    const after = (await api.get(`${V2}/c`)).body as { spec: object; metadata: object };
    expect(after.spec).to.deep.equal({
      ...(before as { spec: object }).spec,
      maxReplicas: 9,
      metrics: [...OTHERS, cpu(70)],
    });
    expect(after.metadata).not.to.have.property('annotations');
  });

  it('are listed and watched in the version that is asked for', async () => {
    await using api = new Answers();
    await api.post(V1, {
      metadata: { name: 'a' },
      spec: { ...spec, targetCPUUtilizationPercentage: 60 },
    });
    for (const [path, field] of [
      [V1, 'spec.targetCPUUtilizationPercentage'],
      [V2, 'spec.metrics'],
    ] as const) {
      const { items } = (await api.get(path)).body as { items: object[] };
      expect(items[0]).to.have.nested.property(field);
      const { text } = await api.get(`${path}?watch=1&timeoutSeconds=1&resourceVersion=0`);
      const event = JSON.parse(text.split('\n', 1)[0] ?? '') as { object: object };
      expect(event.object).to.have.nested.property(field);
    }
  });
});

describe('events in two groups', () => {
  it('are one object, whichever group writes', async () => {
    await using api = new Answers();
    await api.post(CORE, {
      metadata: { name: 'e1' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      reason: 'R',
      message: 'M',
      type: 'Normal',
      source: { component: 'c' },
      count: 2,
      firstTimestamp: '2024-01-01T00:00:00Z',
    });
    const first = (await api.get(`${EVENTS}/e1`)).body;
    expect(first).to.deep.include({
      apiVersion: 'events.k8s.io/v1',
      eventTime: null,
      regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
      note: 'M',
      deprecatedSource: { component: 'c' },
      deprecatedFirstTimestamp: '2024-01-01T00:00:00Z',
      deprecatedLastTimestamp: null,
      deprecatedCount: 2,
    });
    expect(first).not.to.have.any.keys('message', 'involvedObject', 'reportingController');
    const second = await api.post(EVENTS, {
      metadata: { name: 'e2' },
      regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
      reason: 'R',
      note: 'M',
      type: 'Normal',
      action: 'A',
      eventTime: '2024-01-01T00:00:00.123456Z',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
    });
    expect(second.status, second.text).to.equal(201);
    const core = (await api.get(`${CORE}/e2`)).body;
    expect(core).to.deep.include({
      apiVersion: 'v1',
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      message: 'M',
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: '2024-01-01T00:00:00.123456Z',
      reportingComponent: 'example.com/c',
      reportingInstance: 'i',
    });
  });

  it('are selected by the fields of their own group', async () => {
    await using api = new Answers();
    const involvedObject = { kind: 'Pod', name: 'p', namespace: 'default' };
    await api.post(CORE, { metadata: { name: 'e1' }, involvedObject });
    const count = async (path: string, selector: string): Promise<unknown> => {
      const { status, body } = await api.get(
        `${path}?fieldSelector=${encodeURIComponent(selector)}`,
      );
      return status === 200 ? (body['items'] as unknown[]).length : body['message'];
    };
    expect(await count(EVENTS, 'regarding.name=p')).to.equal(1);
    expect(await count(EVENTS, 'regarding.name=q')).to.equal(0);
    expect(await count(EVENTS, 'involvedObject.name=p')).to.contain('involvedObject.name');
    expect(await count(CORE, 'involvedObject.name=p')).to.equal(1);
  });

  it('go through both groups when they are deleted through one', async () => {
    await using api = new Answers();
    const involvedObject = { kind: 'Pod', name: 'p', namespace: 'default' };
    await api.post(CORE, { metadata: { name: 'e1' }, involvedObject });
    expect((await api.ask('DELETE', `${EVENTS}/e1`)).status).to.equal(200);
    expect((await api.get(`${CORE}/e1`)).status).to.equal(404);
  });
});
