import {
  map,
  maps,
  outcome,
  pod,
  ruleFor,
  things,
  type AdmissionCase,
  type Thing,
} from '../admission-case.ts';
import type { Json } from '../webhook-process.ts';

const deny = (): Json => ({ allowed: false, status: { message: 'no' } });

const deployment = (name: string): Thing => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
  },
});

const autoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    maxReplicas: 3,
  },
};

/** Which requests webhooks get. */
export const matching: readonly AdmissionCase[] = [
  {
    title: 'selectors of namespaces and objects',
    async run(world) {
      await world.validating(
        { path: 'other', namespaceSelector: { matchLabels: { case: 'other' } }, answer: deny },
        { path: 'label', objectSelector: { matchLabels: { app: 'web' } } },
      );
      await maps(world).create(map('one'));
      await maps(world).create(map('two', { labels: { app: 'web' } }));
      await maps(world).update(map('two'));
      await maps(world).update(map('two', {}, { b: '1' }));
      return world.seen('label').map(({ operation, name }) => [operation, name]);
    },
  },
  {
    title: 'operations and scope',
    async run(world) {
      await world.validating(
        { path: 'create', rules: [ruleFor(['configmaps'], ['CREATE'])] },
        { path: 'cluster', rules: [{ ...ruleFor(['*'], ['*']), scope: 'Cluster' }] },
        { path: 'namespaced', rules: [{ ...ruleFor(['*'], ['*']), scope: 'Namespaced' }] },
      );
      await maps(world).create(map('one'));
      await maps(world).update(map('one', {}, { b: '1' }));
      await maps(world).delete('one');
      const namespaces = world.client.resource('v1', 'namespaces');
      await namespaces.patch(world.namespace, { metadata: { annotations: { a: 'b' } } });
      return ['create', 'cluster', 'namespaced'].map((path) =>
        world.seen(path).map(({ operation, name, namespace, resource }) => ({
          operation,
          name,
          namespace,
          resource,
        })),
      );
    },
  },
  {
    title: 'an update of a namespace, as webhooks see it',
    async run(world) {
      await world.validating({ path: 'ns', rules: [ruleFor(['namespaces'], ['*'])] });
      const namespaces = world.client.resource('v1', 'namespaces');
      await namespaces.patch(world.namespace, { metadata: { annotations: { a: 'b' } } });
      return world.seen('ns');
    },
  },
  {
    title: 'subresources have rules of their own',
    async run(world) {
      await world.validating(
        { path: 'main', rules: [ruleFor(['pods'], ['*'])] },
        { path: 'status', rules: [ruleFor(['pods/status'], ['*'])] },
        { path: 'all', rules: [ruleFor(['pods/*'], ['*'])] },
        { path: 'every', rules: [ruleFor(['*/*'], ['*'])] },
      );
      const pods = things(world, 'v1', 'pods');
      await pods.create(pod('web'));
      await pods.subresource('status').patch('web', { status: { phase: 'Running' } });
      const binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'web' },
        target: { kind: 'Node', name: 'n' },
      };
      const bound = await outcome(pods.subresource('binding').create('web', binding));
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' } };
      const evicted = await outcome(pods.subresource('eviction').create('web', eviction));
      const calls = ['main', 'status', 'all', 'every'].map((path) =>
        world
          .seen(path)
          .map(({ operation, subResource, kind }) => ({ operation, subResource, kind })),
      );
      return { bound, evicted, calls };
    },
  },
  {
    title: 'a scale, as webhooks see it',
    async run(world) {
      const rules = [{ ...ruleFor(['deployments/scale'], ['*']), apiGroups: ['apps'] }];
      await world.validating({ path: 'scale', rules });
      const deployments = things(world, 'apps/v1', 'deployments');
      await deployments.create(deployment('web'));
      await deployments.subresource('scale').patch('web', { spec: { replicas: 3 } });
      return world.seen('scale');
    },
  },
  {
    title: 'a denied eviction, status and scale',
    async run(world) {
      await world.validating(
        { path: 'pods', rules: [ruleFor(['pods/eviction', 'pods/status'], ['*'])], answer: deny },
        {
          path: 'scale',
          rules: [{ ...ruleFor(['deployments/scale'], ['*']), apiGroups: ['apps'] }],
          answer: deny,
        },
      );
      const pods = things(world, 'v1', 'pods');
      await pods.create(pod('web'));
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' } };
      const deployments = things(world, 'apps/v1', 'deployments');
      await deployments.create(deployment('web'));
      return {
        evicted: await outcome(pods.subresource('eviction').create('web', eviction)),
        status: await outcome(
          pods.subresource('status').patch('web', { status: { phase: 'Running' } }),
        ),
        scaled: await outcome(
          deployments.subresource('scale').patch('web', { spec: { replicas: 3 } }),
        ),
        seen: world.seen('pods'),
      };
    },
  },
  {
    title: 'a deletion, as webhooks see it, and a denied one',
    async run(world) {
      await maps(world).create(map('one'));
      await maps(world).create(map('two', { labels: { keep: 'yes' } }));
      const rules = [ruleFor(['configmaps'], ['DELETE'])];
      await world.mutating({ path: 'mutate', rules });
      await world.validating({
        path: 'validate',
        rules,
        answer: ({ request: { oldObject } }) =>
          JSON.stringify(oldObject).includes('keep') ? deny() : {},
      });
      return {
        one: await outcome(
          maps(world).delete('one', { propagationPolicy: 'Background', gracePeriodSeconds: 5 }),
        ),
        two: await outcome(maps(world).delete('two')),
        mutate: world.seen('mutate'),
        validate: world.seen('validate'),
      };
    },
  },
  {
    title: 'the deletions of pods and of objects with finalizers',
    async run(world) {
      const rules = [ruleFor(['configmaps', 'pods'], ['DELETE', 'UPDATE'])];
      await maps(world).create(map('one', { finalizers: ['example.com/keep'] }));
      await things(world, 'v1', 'pods').create(pod('web'));
      await things(world, 'v1', 'pods').create(pod('placed', { nodeName: 'n' }));
      await world.validating({ path: 'validate', rules });
      await maps(world).delete('one');
      await things(world, 'v1', 'pods').delete('web');
      await things(world, 'v1', 'pods').delete('placed');
      await maps(world).patch('one', { metadata: { finalizers: null } });
      return world
        .seen('validate')
        .map(({ operation, name, options }) => ({ operation, name, options }));
    },
  },
  {
    title: 'a webhook may not change what is deleted',
    async run(world) {
      await maps(world).create(map('one'));
      await world.mutating({
        path: 'patch',
        rules: [ruleFor(['configmaps'], ['DELETE'])],
        answer: () => ({
          patchType: 'JSONPatch',
          patch: Buffer.from('[{"op":"add","path":"/a","value":1}]').toString('base64'),
        }),
      });
      return await outcome(maps(world).delete('one'));
    },
  },
  {
    title: 'the deletion of a collection is admitted object by object',
    async run(world) {
      for (const name of ['a', 'b', 'c'])
        await maps(world).create(map(name, { labels: { set: 'x' } }));
      await world.validating({ path: 'validate', rules: [ruleFor(['configmaps'], ['DELETE'])] });
      await maps(world).deleteCollection({ labelSelector: 'set=x' });
      const seen = world.seen('validate').map(({ name, namespace, oldObject }) => {
        const { metadata } = oldObject as { metadata: { name: string } };
        return [name ?? null, namespace, metadata.name];
      });
      return seen.toSorted((one, other) => (one.join() < other.join() ? -1 : 1));
    },
  },
  {
    title: 'a rule for another version: Equivalent converts, Exact does not match',
    async run(world) {
      const rules = [
        {
          ...ruleFor(['horizontalpodautoscalers'], ['*']),
          apiGroups: ['autoscaling'],
          apiVersions: ['v1'],
        },
      ];
      await world.mutating({ path: 'equivalent', rules, matchPolicy: 'Equivalent' });
      await world.validating(
        { path: 'exact', rules, matchPolicy: 'Exact' },
        { path: 'valid', rules },
      );
      await things(world, 'autoscaling/v2', 'horizontalpodautoscalers').create(autoscaler);
      await things(world, 'autoscaling/v2', 'horizontalpodautoscalers').delete('web');
      return ['equivalent', 'exact', 'valid'].map((path) => world.seen(path));
    },
  },
  {
    title: 'a webhook changes an object in another version',
    async run(world) {
      const rules = [
        {
          ...ruleFor(['horizontalpodautoscalers'], ['CREATE']),
          apiGroups: ['autoscaling'],
          apiVersions: ['v1'],
        },
      ];
      await world.mutating({
        path: 'equivalent',
        rules,
        answer: () => ({
          patchType: 'JSONPatch',
          patch: Buffer.from(
            '[{"op":"add","path":"/spec/targetCPUUtilizationPercentage","value":55}]',
          ).toString('base64'),
        }),
      });
      return await outcome(
        things(world, 'autoscaling/v2', 'horizontalpodautoscalers').create(autoscaler),
      );
    },
  },
  {
    title: 'a connection, as webhooks see it, and a denied one',
    async run(world) {
      await things(world, 'v1', 'pods').create(pod('web'));
      await world.validating({
        path: 'connect',
        objectSelector: {},
        rules: [
          ruleFor(['pods/exec', 'pods/portforward', 'pods/attach', 'pods/proxy'], ['CONNECT']),
        ],
        answer: deny,
      });
      const pods = things(world, 'v1', 'pods');
      const answers: unknown[] = [];
      for (const [name, query] of Object.entries({
        exec: { command: ['ls', '-l'], stdout: true },
        attach: { stdout: true },
      })) {
        answers.push(await outcome(pods.subresource(name).create('web', {}, { query } as never)));
      }
      return { answers, seen: world.seen('connect') };
    },
  },
  {
    title: 'webhook configurations are not shown to webhooks',
    async run(world) {
      const rules = [{ ...ruleFor(['*'], ['*']), apiGroups: ['*'], apiVersions: ['*'] }];
      const objectSelector = { matchLabels: { case: world.namespace } };
      await world.validating({ path: 'all', rules, objectSelector, namespaceSelector: {} });
      const name = world.unique('empty');
      const metadata = { name, labels: { case: world.namespace } };
      const of = 'admissionregistration.k8s.io/v1';
      const all = world.client.resource(of, 'mutatingwebhookconfigurations');
      world.remove(of, 'mutatingwebhookconfigurations', name);
      await all.create({
        apiVersion: of,
        kind: 'MutatingWebhookConfiguration',
        metadata,
        webhooks: [],
      });
      const roles = world.client.resource('rbac.authorization.k8s.io/v1', 'clusterroles');
      world.remove('rbac.authorization.k8s.io/v1', 'clusterroles', name);
      await roles.create({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata,
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      });
      return world.seen('all');
    },
  },
  {
    title: 'reviews that store nothing are shown to webhooks',
    async run(world) {
      const rules = [
        { ...ruleFor(['subjectaccessreviews'], ['*']), apiGroups: ['authorization.k8s.io'] },
      ];
      await world.validating({
        path: 'review',
        rules,
        objectSelector: {},
      });
      const of = 'authorization.k8s.io/v1';
      const spec = {
        user: world.unique('jane'),
        nonResourceAttributes: { path: '/x', verb: 'get' },
      };
      await world.client
        .resource(of, 'subjectaccessreviews')
        .create({ apiVersion: of, kind: 'SubjectAccessReview', metadata: {}, spec });
      const own = world
        .seen('review')
        .filter((one) => JSON.stringify(one).includes(world.unique('jane')));
      return own.map(({ operation, kind, resource, options }) => ({
        operation,
        kind,
        resource,
        options,
      }));
    },
  },
];
