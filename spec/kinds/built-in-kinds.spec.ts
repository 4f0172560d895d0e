import { expect } from 'chai';
import { tableConvertorOf } from '../../lib/server/api/verbs/shape.ts';
import { builtInVersions, type BuiltInResource } from '../../lib/meta/surface/built-in-surface.ts';
import type { ResourceDescription } from '../../lib/server/registry/contract/rest-storage.ts';
import { recordAt, valueAt } from '../../lib/meta/json-value.ts';
import type { MutableObject } from '../../lib/server/registry/rules/mutable-object.ts';
import { builtInKinds } from '../../lib/kinds/built-in-kinds.ts';
import {
  RegistryHarness,
  configMap,
  deployment,
  rejection,
} from '../server/registry/support/registry-harness.ts';

describe('the built-in kinds', () => {
  for (const { describe: about, table } of builtInKinds.definitions()) {
    it(`show any stored object as ${about.kind} without failing`, () => {
      for (const junk of [null, 5, 'x', [], [null, 5], { a: [{}] }]) {
        const object = {
          metadata: { name: 'a', labels: {} },
          spec: junk,
          status: junk,
          data: junk,
        } as object;
        // kube-apiserver sends an age for this kind, without a column.
        const cells = table.columns.length + (about.kind === 'IPAddress' ? 1 : 0);
        expect(table.cells(object, 0)).to.have.length(cells);
        expect(table.cells({}, 0)).to.have.length(cells);
      }
    });
  }

  for (const { describe: about, strategy, statusStrategy } of builtInKinds.definitions()) {
    it(`check whatever is given or stored as ${about.kind} without failing`, () => {
      const lists = 'webhooks rules subjects subsets endpoints ports secrets'.split(' ');
      for (const junk of [undefined, null, 5, 'x', [], [null, 5], { a: [{}] }]) {
        const made = (): MutableObject => ({
          apiVersion: 'v1',
          kind: about.kind,
          metadata: { name: 'a' },
          spec: junk,
          status: junk,
          data: junk,
          ...Object.fromEntries(lists.map((name) => [name, junk])),
        });
        strategy.validate(made());
        strategy.validateUpdate(made(), made());
        statusStrategy?.validateUpdate(made(), made());
      }
    });
  }

  it('are those of kube-apiserver whose objects are stored, in the order of its discovery', () => {
    const recorded = builtInVersions().flatMap(({ resources }) => resources);
    const stored = recorded.filter(({ storageVersionHash }) => storageVersionHash !== undefined);
    expect(stored.length).to.be.greaterThan(55);
    expect(builtInKinds.definitions().map(({ describe }) => pick(describe))).to.deep.equal(
      stored.map(pick),
    );
  });

  it('lie under the keys an API server uses', () => {
    const roots = new Map(
      builtInKinds.definitions().map(({ describe: { resource }, keyRoot }) => [resource, keyRoot]),
    );
    expect(roots.get('pods')).to.equal('/registry/pods');
    expect(roots.get('deployments')).to.equal('/registry/deployments');
    expect(roots.get('nodes')).to.equal('/registry/minions');
    expect(roots.get('services')).to.equal('/registry/services/specs');
    expect(roots.get('customresourcedefinitions')).to.equal(
      '/registry/apiextensions.k8s.io/customresourcedefinitions',
    );
    const twice = ['/registry/events', '/registry/horizontalpodautoscalers'];
    const seen = new Set<string>();
    const shared = builtInKinds
      .definitions()
      .map(({ keyRoot }) => keyRoot)
      .filter((root) => seen.has(root) || seen.add(root) === undefined);
    expect(shared).to.deep.equal(twice);
  });
});

function pick({
  group,
  version,
  resource,
  kind,
  namespaced,
  singular,
  shortNames,
  categories,
}: BuiltInResource | ResourceDescription): object {
  return { group, version, resource, kind, namespaced, singular, shortNames, categories };
}

describe('the built-in kinds, served', () => {
  let harness: RegistryHarness;

  beforeEach(async () => {
    harness = await RegistryHarness.start();
  });

  afterEach(async () => {
    await harness[Symbol.asyncDispose]();
  });

  it('store the stringData of a Secret as base64, type Opaque', async () => {
    const made = await harness.create('secrets', {
      metadata: { name: 's' },
      data: { a: 'eA==' },
      stringData: { b: 'é' },
    });
    expect(made).not.to.have.property('stringData');
    expect(made['data']).to.deep.equal({ a: 'eA==', b: 'w6k=' });
    expect(made['type']).to.equal('Opaque');
    const retyped = harness.update('secrets', 's', (existing) => ({ ...existing, type: 'x/y' }));
    expect((await rejection(retyped)).causes[0]?.field).to.equal('type');
  });

  it('do not repeat the data of a Secret in a refusal', async () => {
    const error = await rejection(
      harness.create('secrets', { metadata: { name: 's' }, data: { password: 'hunter2!' } }),
    );
    expect(error).to.include({ code: 'BAD_REQUEST' });
    expect(error.message).to.contain('illegal base64 data').and.not.contain('hunter2');
  });

  it('freeze a ConfigMap that says immutable', async () => {
    await harness.create('configmaps', { ...configMap('a', { x: '1' }), immutable: true });
    for (const change of [{ data: { x: '2' } }, { immutable: false }]) {
      const error = await rejection(
        harness.update('configmaps', 'a', (existing) => ({ ...existing, ...change })),
      );
      expect(error).to.include({ code: 'INVALID' });
    }
    const labelled = await harness.update('configmaps', 'a', (existing) => ({
      ...existing,
      metadata: { ...existing?.metadata, labels: { a: 'b' } },
    }));
    expect(labelled.metadata?.labels).to.deep.equal({ a: 'b' });
  });

  it('refuse data over a mebibyte', async () => {
    const error = await rejection(
      harness.create('configmaps', configMap('a', { x: 'y'.repeat(2 ** 20 + 1) })),
    );
    expect(error.causes[0]?.reason).to.equal('FieldValueTooLong');
  });

  it('complete a Deployment', async () => {
    const made = await harness.create('apps/v1/deployments', deployment('web'));
    expect(made['spec']).to.deep.include({
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
      },
    });
    expect(valueAt(made, 'spec', 'template', 'spec', 'restartPolicy')).to.equal('Always');
    const recreate = await harness.create(
      'apps/v1/deployments',
      deployment('b', { strategy: { type: 'Recreate' } }),
    );
    expect(valueAt(recreate, 'spec', 'strategy')).to.deep.equal({ type: 'Recreate' });
  });

  it('hold a Deployment to its selector', async () => {
    const path = 'apps/v1/deployments';
    const wrong = deployment('web', { selector: { matchLabels: { app: 'other' } } });
    expect((await rejection(harness.create(path, wrong))).causes[0]?.field).to.equal(
      'spec.template.metadata.labels',
    );
    const none = deployment('web', { selector: undefined });
    expect((await rejection(harness.create(path, none))).causes[0]?.field).to.equal(
      'spec.selector',
    );
    const unknown = deployment('web', {
      selector: { matchExpressions: [{ key: 'a', operator: 'Like' }] },
    });
    expect((await rejection(harness.create(path, unknown))).causes[0]?.field).to.equal(
      'spec.selector.matchExpressions[0].operator',
    );
    await harness.create(path, deployment('web'));
    const changed = harness.update(path, 'web', (existing) => ({
      ...existing,
      spec: {
        ...recordAt(existing, 'spec'),
        selector: { matchLabels: { app: 'x' } },
        template: recordAt(deployment('x'), 'spec', 'template'),
      },
    }));
    expect((await rejection(changed)).causes.map(({ field }) => field)).to.deep.equal([
      'spec.selector',
    ]);
  });

  it('scale a Deployment through its scale subresource', async () => {
    await harness.create('apps/v1/deployments', deployment('web'));
    const path = 'apps/v1/deployments/scale';
    const scale = await harness.get(path, 'web');
    expect(scale).to.deep.include({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      spec: { replicas: 1 },
      status: { replicas: 0, selector: 'app=web' },
    });
    await harness.update(path, 'web', (existing) => ({ ...existing, spec: { replicas: 4 } }));
    const after = await harness.get('apps/v1/deployments', 'web');
    expect([valueAt(after, 'spec', 'replicas'), after.metadata?.generation]).to.deep.equal([4, 2]);
    const stale = harness.update(path, 'web', () => scale);
    expect(await rejection(stale)).to.include({ code: 'CONFLICT' });
    const negative = harness.update(path, 'web', (existing) => ({
      ...existing,
      spec: { replicas: -1 },
    }));
    expect(await rejection(negative)).to.include({ code: 'INVALID' });
    expect(await rejection(harness.get(path, 'nope'))).to.include({ code: 'NOT_FOUND' });
  });

  it('show a Deployment as kubectl does', async () => {
    const table = tableConvertorOf(harness.rest('apps/v1/deployments'));
    const made = await harness.create('apps/v1/deployments', deployment('web', { replicas: 3 }));
    const shown = {
      ...made,
      status: { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 2 },
    };
    expect(table.columns.map(({ name }) => name)).to.deep.equal([
      'Name',
      'Ready',
      'Up-to-date',
      'Available',
      'Age',
      'Containers',
      'Images',
      'Selector',
    ]);
    expect(table.cells(shown, harness.runtime.wallMs() + 61_000)).to.deep.equal([
      'web',
      '2/3',
      3,
      2,
      '61s',
      'main',
      'nginx',
      'app=web',
    ]);
  });

  it('give a Job a selector of its own', async () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } };
    const made = await harness.create('batch/v1/jobs', {
      metadata: { name: 'j' },
      spec: { template },
    });
    const uid = made.metadata?.uid;
    expect(valueAt(made, 'spec', 'selector')).to.deep.equal({
      matchLabels: { 'batch.kubernetes.io/controller-uid': uid },
    });
    expect(valueAt(made, 'spec', 'template', 'metadata', 'labels')).to.include({ 'job-name': 'j' });
    expect(made['spec']).to.include({ completions: 1, parallelism: 1, backoffLimit: 6 });
    const always = { spec: { ...template.spec, restartPolicy: 'Always' } };
    const error = await rejection(
      harness.create('batch/v1/jobs', { metadata: { name: 'k' }, spec: { template: always } }),
    );
    expect(error.causes[0]?.reason).to.equal('FieldValueRequired');
    const table = tableConvertorOf(harness.rest('batch/v1/jobs'));
    const status = {
      startTime: '2024-01-01T00:00:00Z',
      completionTime: '2024-01-01T00:00:42Z',
      succeeded: 1,
      conditions: [{ type: 'Complete', status: 'True' }],
    };
    const nowMs = harness.runtime.wallMs();
    expect(table.cells({ ...made, status } as object, nowMs).slice(0, 5)).to.deep.equal([
      'j',
      'Complete',
      '1/1',
      '42s',
      '0s',
    ]);
  });

  it('show nodes with roles and readiness', async () => {
    const table = tableConvertorOf(harness.rest('nodes'));
    const made = await harness.create(
      'nodes',
      {
        metadata: {
          name: 'n',
          labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'edge' },
        },
        spec: { unschedulable: true },
        status: {
          conditions: [{ type: 'Ready', status: 'True' }],
          nodeInfo: { kubeletVersion: 'v1.34.0' },
        },
      },
      '',
    );
    const cells = table.cells(made, harness.runtime.wallMs());
    expect(cells.slice(0, 5)).to.deep.equal([
      'n',
      'Ready,SchedulingDisabled',
      'edge,worker',
      '0s',
      'v1.34.0',
    ]);
  });

  it('find events by what they are about', async () => {
    const event = (name: string, involved: object): object => ({
      metadata: { name },
      involvedObject: { namespace: 'default', kind: 'Pod', ...involved },
      reason: 'Started',
      message: 'x',
    });
    await harness.create('events', event('a.17', { name: 'p', uid: '1' }));
    await harness.create('events', event('b.17', { name: 'q', uid: '2' }));
    const found = await harness.drive(
      harness.rest('events').list(harness.context(), {
        fieldSelector:
          'involvedObject.name=q,involvedObject.kind=Pod,involvedObject.uid=2,reason=Started',
      }),
    );
    expect(found.items.map(({ metadata }) => metadata.name)).to.deep.equal(['b.17']);
    const table = tableConvertorOf(harness.rest('events'));
    const cells = table.cells(found.items[0]!.object, harness.runtime.wallMs() + 5000);
    expect(cells.slice(0, 4)).to.deep.equal(['<unknown>', '', 'Started', 'pod/q']);
    const elsewhere = event('c', { namespace: 'other', name: 'r' });
    expect(await rejection(harness.create('events', elsewhere))).to.include({ code: 'INVALID' });
  });
});
