import type { Client } from '../../../lib/index.ts';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import type { WorkloadStep } from '../../../lib/simulator/contract/world.ts';
import { copies } from '../../simulator/support/copies.ts';
import { labels, map, maps, namesOf, NAMESPACE, same, statusOf, step } from './user-calls.ts';

const deployments = (user: Client) =>
  user.resource('apps/v1', 'deployments', { namespace: NAMESPACE });

const template = {
  metadata: { labels },
  spec: {
    containers: [{ name: 'main', image: 'example.com/shop:1', ports: [{ containerPort: 80 }] }],
  },
};

const kinds: readonly WorkloadStep[] = [
  step('a deployment and its scale', async (user) => {
    const api = deployments(user);
    const spec = { replicas: 2, selector: { matchLabels: labels }, template };
    const created = await api.create({
      metadata: { name: 'shop', labels },
      spec,
      status: { replicas: 9 },
    });
    same('no status', created.status?.replicas, undefined);
    same('the first generation', created.metadata.generation, 1);
    same(
      'its defaults',
      [created.spec?.strategy?.type, created.spec?.template.spec?.restartPolicy],
      ['RollingUpdate', 'Always'],
    );
    await api.patch('shop', { metadata: { labels: { note: 'x' } } });
    await api.patch(
      'shop',
      { status: { replicas: 2, observedGeneration: 1 } },
      { subresource: 'status' },
    );
    const labelled = await api.get('shop');
    same(
      'still the first',
      [labelled.metadata.generation, labelled.status?.replicas, labelled.spec?.replicas],
      [1, 2, 2],
    );
    same('the scale', (await api.scale('shop', 4)).spec.replicas, 4);
    const ignored = await api.updateStatus({
      ...labelled,
      metadata: { name: 'shop' },
      spec: { ...labelled.spec, replicas: 7 },
      status: { replicas: 4 },
    });
    same(
      'the status alone',
      [ignored.spec?.replicas, ignored.status?.replicas, ignored.metadata.generation],
      [4, 4, 2],
    );
    await api.patch(
      'shop',
      {
        spec: {
          template: { spec: { containers: [{ name: 'side', image: 'example.com/side:1' }] } },
        },
      },
      { type: 'strategic' },
    );
    same(
      'a strategic patch',
      (await api.get('shop')).spec?.template.spec?.containers.map(({ name }) => name).toSorted(),
      ['main', 'side'],
    );
    same(
      'its selector is fixed',
      await statusOf(api.patch('shop', { spec: { selector: { matchLabels: { app: 'other' } } } })),
      422,
    );
    same('a bad number', await statusOf(api.patch('shop', { spec: { replicas: -1 } })), 422);
  }),
  step('services, secrets, pods', async (user) => {
    const at = { namespace: NAMESPACE };
    const services = user.resource('v1', 'services', at);
    const port = { port: 80 };
    const one = await services.create({
      metadata: { name: 'web' },
      spec: { ports: [port], selector: labels },
    });
    const two = await services.create({
      metadata: { name: 'api' },
      spec: { ports: [port], selector: labels },
    });
    same(
      'addresses',
      [
        one.spec?.clusterIP === two.spec?.clusterIP,
        one.spec?.ports?.[0]?.targetPort,
        one.spec?.type,
      ],
      [false, 80, 'ClusterIP'],
    );
    same(
      'an address that is taken',
      await statusOf(
        services.create({
          metadata: { name: 'third' },
          spec: { clusterIP: one.spec?.clusterIP, ports: [port] },
        }),
      ),
      422,
    );
    const secret = await user
      .resource('v1', 'secrets', at)
      .create({ metadata: { name: 'key' }, stringData: { word: 'open' } });
    same(
      'a secret',
      [secret.data, secret.stringData, secret.type],
      [{ word: Buffer.from('open').toString('base64') }, undefined, 'Opaque'],
    );
    const pods = user.resource('v1', 'pods', at);
    const pod = await pods.create({
      metadata: { generateName: 'pod-' },
      spec: { containers: template.spec.containers },
    });
    same('a name that is drawn', /^pod-[a-z0-9]{5}$/.test(pod.metadata.name), true);
    same('its phase', [pod.status?.phase, pod.spec?.nodeName], ['Pending', undefined]);
    await pods.bind(pod.metadata.name, 'node-1');
    same(
      'its node',
      namesOf((await pods.list({ fieldSelector: 'spec.nodeName=node-1' })).items),
      pod.metadata.name,
    );
    same(
      'its image alone may change',
      await statusOf(pods.patch(pod.metadata.name, { spec: { hostNetwork: true } })),
      422,
    );
    await pods.delete(pod.metadata.name, { gracePeriodSeconds: 0 });
    same('it is gone', await statusOf(pods.get(pod.metadata.name)), 404);
    const fixed = await maps(user).create({ ...map('fixed', 'x'), immutable: true });
    same('immutable', await statusOf(maps(user).update({ ...fixed, data: { text: 'y' } })), 422);
  }),
  {
    title: 'a namespace that ends',
    act: async (user) => {
      const namespaces = user.resource('v1', 'namespaces');
      await namespaces.create({ metadata: { name: 'short' } });
      await maps(user, 'short').create(map('inside', 'x'));
      await namespaces.delete('short');
      same('no more objects', await statusOf(maps(user, 'short').create(map('late', 'x'))), 403);
    },
    until: (state) => state.get('v1', 'namespaces', 'short') === undefined,
  },
  {
    title: 'owners and their dependents',
    act: async (user) => {
      const owner = await maps(user).create(map('owner', 'x'));
      const { uid, name } = owner.metadata;
      const ownerReferences = [
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          name,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ];
      for (const child of ['child-1', 'child-2'])
        await maps(user).create({ metadata: { name: child, ownerReferences } });
      await maps(user).delete('owner', { propagationPolicy: 'Foreground' });
    },
    until: (state) =>
      !['owner', 'child-1', 'child-2'].some(
        (name) => state.get('v1', 'configmaps', name, NAMESPACE) !== undefined,
      ),
  },
];

const widgets = (user: Client) =>
  user.resource<{
    metadata: { name: string; generation?: number };
    apiVersion?: string;
    kind?: string;
    spec?: Record<string, unknown>;
    status?: Record<string, unknown>;
  }>('example.com/v1', 'widgets', { namespace: NAMESPACE });

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 1, maximum: 10 },
                  color: { type: 'string', default: 'green', enum: ['green', 'red'] },
                },
              },
              status: { type: 'object', properties: { size: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};

const custom: readonly WorkloadStep[] = [
  step('custom resources', async (user) => {
    const api = widgets(user);
    const widget = (name: string, spec: Record<string, unknown>) => ({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name },
      spec,
    });
    const { spec, metadata } = await api.create(widget('w', { size: 1, unknown: 'x' }));
    same(
      'defaults, and no unknown fields',
      [spec, metadata.generation],
      [{ size: 1, color: 'green' }, 1],
    );
    for (const bad of [{}, { size: 0 }, { size: 11 }, { size: '3' }, { size: 3, color: 'blue' }])
      same('a bad widget', await statusOf(api.create(widget('bad', bad))), 422);
    same('the largest', (await api.patch('w', { spec: { size: 10 } })).metadata.generation, 2);
    const status = await api.patch(
      'w',
      { status: { size: 3 }, spec: { size: 5 } },
      { subresource: 'status' },
    );
    same(
      'the status',
      [status.status, status.spec?.['size'], status.metadata.generation],
      [{ size: 3 }, 10, 2],
    );
    same(
      'the spec alone',
      (await api.patch('w', { spec: { size: 4 }, status: { size: 9 } })).status,
      { size: 3 },
    );
    same('its scale', (await api.scale('w', 6)).spec.replicas, 6);
    await api.delete('w');
    same('it is gone', await statusOf(api.get('w')), 404);
  }),
];

/** The actions of a user on objects of several kinds, and a program that copies config maps. */
export const kindSimulation: SimulationOptions = {
  world: { objects: [DEFINITION] },
  controllers: [copies],
  workload: [...kinds, ...custom],
};
