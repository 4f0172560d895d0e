import { expect } from 'chai';
import { kindNamed } from '../../server/registry/support/kind-named.ts';
import { recordAt, recordsAt, valueAt } from '../../../lib/meta/json-value.ts';
import { podCells } from '../../../lib/kinds/cells/pod-cells.ts';
import { RegistryHarness, pod, rejection } from '../../server/registry/support/registry-harness.ts';

const NOW = Date.UTC(2024, 0, 1, 1);

const running = { running: { startedAt: '2024-01-01T00:00:00Z' } };

function printed(status: object, spec: object = {}, metadata: object = {}): string {
  const whole = { ...pod('p', spec), status };
  const cells = podCells({ ...whole, metadata: { ...whole.metadata, ...metadata } }, NOW);
  return cells.slice(1, 4).join(' ');
}

describe('the table of pods', () => {
  const container = (state: object, more: object = {}): object => ({
    containerStatuses: [{ name: 'main', state, ...more }],
    phase: 'Running',
  });
  const init = (status: object, initSpec: object = {}): [object, object] => [
    { phase: 'Pending', initContainerStatuses: [{ name: 'i', ...status }] },
    { initContainers: [{ name: 'i', image: 'x', ...initSpec }] },
  ];

  for (const [title, text, status, spec, metadata] of [
    ['a new pod', '0/1 Pending 0', { phase: 'Pending' }],
    ['a running pod', '1/1 Running 0', container(running, { ready: true })],
    ['a pod that is not ready', '0/1 Running 0', container(running)],
    [
      'a waiting container',
      '0/1 ImagePullBackOff 0',
      container({ waiting: { reason: 'ImagePullBackOff' } }),
    ],
    [
      'a failed container',
      '0/1 Error 3',
      container({ terminated: { reason: 'Error' } }, { restartCount: 3 }),
    ],
    ['an exit code', '0/1 ExitCode:3 0', container({ terminated: { exitCode: 3 } })],
    ['a signal', '0/1 Signal:9 0', container({ terminated: { signal: 9 } })],
    [
      'the last restart',
      '1/1 Running 2 (59m ago)',
      container(running, {
        ready: true,
        restartCount: 2,
        lastState: { terminated: { finishedAt: '2024-01-01T00:01:00Z' } },
      }),
    ],
    ['an evicted pod', '0/1 Evicted 0', { phase: 'Failed', reason: 'Evicted' }],
    [
      'a pod that is being deleted',
      '0/1 Terminating 0',
      { phase: 'Running' },
      {},
      { deletionTimestamp: 'x' },
    ],
    [
      'an ended pod that is being deleted',
      '0/1 Succeeded 0',
      { phase: 'Succeeded' },
      {},
      { deletionTimestamp: 'x' },
    ],
    [
      'a pod of a lost node',
      '0/1 Unknown 0',
      { phase: 'Running', reason: 'NodeLost' },
      {},
      { deletionTimestamp: 'x' },
    ],
    ['an init container at work', '0/1 Init:0/1 0', ...init({ state: running })],
    [
      'a failed init container',
      '0/1 Init:Error 0',
      ...init({ state: { terminated: { exitCode: 1, reason: 'Error' } } }),
    ],
    [
      'a waiting init container',
      '0/1 Init:CrashLoopBackOff 0',
      ...init({ state: { waiting: { reason: 'CrashLoopBackOff' } } }),
    ],
    [
      'a finished init container',
      '0/1 Pending 0',
      ...init({ state: { terminated: { exitCode: 0 } } }),
    ],
    [
      'a sidecar',
      '1/2 Pending 0',
      ...init({ state: running, started: true, ready: true }, { restartPolicy: 'Always' }),
    ],
    [
      'a gated pod',
      '0/1 SchedulingGated 0',
      { phase: 'Pending', conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] },
    ],
  ] as [string, string, object, object?, object?][]) {
    it(`shows ${title} as ${text}`, () => {
      expect(printed(status, spec, metadata)).to.equal(text);
    });
  }

  it('has the columns kubectl knows', () => {
    expect(
      kindNamed('pods').table.columns.map(({ name, priority }) => `${name} ${priority}`),
    ).to.deep.equal([
      'Name 0',
      'Ready 0',
      'Status 0',
      'Restarts 0',
      'Age 0',
      'IP 1',
      'Node 1',
      'Nominated Node 1',
      'Readiness Gates 1',
    ]);
    const cells = podCells(
      { metadata: { name: 'p', creationTimestamp: '2024-01-01T00:00:00Z' } },
      NOW,
    );
    expect(cells).to.deep.equal([
      'p',
      '0/0',
      '',
      '0',
      '60m',
      '<none>',
      '<none>',
      '<none>',
      '<none>',
    ]);
  });

  it('accepts any shape that a client may have stored', () => {
    for (const junk of [null, 5, 'x', [], [null], {}, { containers: 5 }, [{ state: 5 }]]) {
      const object = { metadata: {}, spec: junk, status: junk } as object;
      const nested = {
        spec: { containers: junk, initContainers: junk, readinessGates: junk },
        status: {
          containerStatuses: junk,
          initContainerStatuses: junk,
          conditions: junk,
          podIPs: junk,
        },
      };
      expect(podCells(object, NOW)).to.have.length(9);
      expect(podCells(nested as object, NOW)).to.have.length(9);
    }
  });
});

describe('pods', () => {
  let harness: RegistryHarness;

  beforeEach(async () => {
    harness = await RegistryHarness.start();
  });

  afterEach(async () => {
    await harness[Symbol.asyncDispose]();
  });

  it('begin Pending, with the defaults of their spec', async () => {
    const made = await harness.create('pods', { ...pod('p'), status: { phase: 'Running' } });
    expect(made['status']).to.deep.equal({ phase: 'Pending', qosClass: 'BestEffort' });
    expect(made['spec']).to.deep.include({
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      terminationGracePeriodSeconds: 30,
    });
    const [container] = valueAt(made, 'spec', 'containers') as object[];
    expect(container).to.include({ imagePullPolicy: 'IfNotPresent' });
    const latest = await harness.create(
      'pods',
      pod('q', { containers: [{ name: 'a', image: 'nginx' }] }),
    );
    expect((valueAt(latest, 'spec', 'containers') as object[])[0]).to.include({
      imagePullPolicy: 'Always',
    });
  });

  it('get complete probes, volumes, ports and references, whether a number was left out or sent as 0', async () => {
    const httpGet = { port: 80 };
    const fieldRef = { fieldPath: 'metadata.name' };
    const main = {
      name: 'main',
      image: 'x:1',
      ports: [{ containerPort: 80 }],
      env: [{ name: 'A', valueFrom: { fieldRef } }],
      livenessProbe: { httpGet, periodSeconds: 0 },
      readinessProbe: { grpc: { port: 1 }, failureThreshold: 9 },
      lifecycle: { preStop: { httpGet: { ...httpGet, path: '' } } },
      resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } },
    };
    const volumes = [
      { name: 'none' },
      { name: 'secret', secret: { secretName: 's' } },
      { name: 'own', configMap: { name: 'c', defaultMode: 256 } },
      { name: 'host', hostPath: { path: '/x' } },
      {
        name: 'mix',
        projected: {
          sources: [
            { serviceAccountToken: { path: 't' } },
            { downwardAPI: { items: [{ path: 'n', fieldRef }] } },
          ],
        },
      },
    ];
    const made = await harness.create(
      'pods',
      pod('p', { hostNetwork: true, serviceAccountName: 's', containers: [main], volumes }),
    );
    const reference = { ...fieldRef, apiVersion: 'v1' };
    const complete = { path: '/', port: 80, scheme: 'HTTP' };
    expect((valueAt(made, 'spec', 'containers') as object[])[0]).to.deep.include({
      ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }],
      env: [{ name: 'A', valueFrom: { fieldRef: reference } }],
      livenessProbe: {
        httpGet: complete,
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      },
      readinessProbe: {
        grpc: { port: 1, service: '' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 9,
      },
      lifecycle: { preStop: { httpGet: complete } },
      resources: {
        limits: { cpu: '1', memory: '1Gi' },
        requests: { cpu: '500m', memory: '1Gi' },
      },
    });
    expect(valueAt(made, 'spec', 'volumes')).to.deep.equal([
      { name: 'none', emptyDir: {} },
      { name: 'secret', secret: { secretName: 's', defaultMode: 420 } },
      { name: 'own', configMap: { name: 'c', defaultMode: 256 } },
      { name: 'host', hostPath: { path: '/x', type: '' } },
      {
        name: 'mix',
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { path: 't', expirationSeconds: 3600 } },
            { downwardAPI: { items: [{ path: 'n', fieldRef: reference }] } },
          ],
        },
      },
    ]);
  });

  it('need containers with names and images', async () => {
    const containers = [
      { name: 'A' },
      { image: 'x' },
      { name: 'a', image: 'x' },
      { name: 'a', image: 'x' },
    ];
    const error = await rejection(harness.create('pods', pod('p', { containers })));
    expect(error.causes.map(({ field, reason }) => `${field} ${reason}`)).to.deep.equal([
      'spec.containers[0].name FieldValueInvalid',
      'spec.containers[0].image FieldValueRequired',
      'spec.containers[1].name FieldValueRequired',
      'spec.containers[3].name FieldValueDuplicate',
    ]);
    const none = await rejection(harness.create('pods', { metadata: { name: 'p' } }));
    expect(none.causes.map(({ field }) => field)).to.deep.equal(['spec.containers']);
  });

  it('let images be changed and tolerations be added, and nothing else', async () => {
    await harness.create('pods', pod('p'));
    const change = (spec: object): Promise<unknown> =>
      harness.update('pods', 'p', (existing) => ({
        ...existing,
        spec: { ...recordAt(existing, 'spec'), ...spec },
      }));
    const { spec } = await harness.get('pods', 'p');
    const added = { key: 'a', operator: 'Exists' };
    await change({ tolerations: [...recordsAt(spec, 'tolerations'), added] });
    await change({
      containers: [{ name: 'main', image: 'nginx:1.28', imagePullPolicy: 'IfNotPresent' }],
    });
    for (const wrong of [
      { nodeName: 'n1' },
      { tolerations: [] },
      { hostNetwork: true },
      { containers: [{ name: 'b', image: 'c' }] },
    ]) {
      const error = await rejection(change(wrong));
      expect(error, JSON.stringify(wrong)).to.include({ code: 'INVALID' });
      expect(error.causes.map(({ reason }) => reason)).to.deep.equal(['FieldValueForbidden']);
    }
  });

  it('take their status from the status subresource', async () => {
    await harness.create('pods', pod('p'));
    await harness.update('/v1/pods/status', 'p', (existing) => ({
      ...existing,
      spec: { containers: [] },
      status: { phase: 'Running' },
    }));
    const after = await harness.get('pods', 'p');
    expect(after['status']).to.deep.equal({ phase: 'Running', qosClass: 'BestEffort' });
    expect(valueAt(after, 'spec', 'containers')).to.have.length(1);
  });
});
