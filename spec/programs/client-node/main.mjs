/** Steps with @kubernetes/client-node. */
import { Writable } from 'node:stream';
import * as k8s from '@kubernetes/client-node';
import {
  configMap,
  definition,
  deployment,
  eventually,
  expect,
  group,
  namespace,
  pod,
  refused,
  step,
  widget,
} from './steps.mjs';

const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const custom = config.makeApiClient(k8s.CustomObjectsApi);
const watch = new k8s.Watch(config);
const maps = `/api/v1/namespaces/${namespace}/configmaps`;

const create = (name, labels) =>
  core.createNamespacedConfigMap({ namespace, body: configMap(name, labels) });
const withType = (type) => k8s.setHeaderOptions('Content-Type', type);

await step('namespace create', async () => {
  const made = await core.createNamespace({ body: { metadata: { name: namespace } } });
  expect(made.status.phase === 'Active', made);
});

await step('version and discovery', async () => {
  const version = await config.makeApiClient(k8s.VersionApi).getCode();
  expect(version.major === '1', version);
  const { groups } = await config.makeApiClient(k8s.ApisApi).getAPIVersions();
  expect(groups.some(({ name }) => name === 'autoscaling'));
  const { resources } = await apps.getAPIResources();
  expect(resources.some(({ name }) => name === 'deployments/scale'));
});

await step('create, read, replace, delete', async () => {
  const made = await create('one');
  expect(made.metadata.creationTimestamp instanceof Date);
  made.data.key = 'changed';
  const changed = await core.replaceNamespacedConfigMap({ name: 'one', namespace, body: made });
  expect(changed.data.key === 'changed');
  await refused(
    () => core.replaceNamespacedConfigMap({ name: 'one', namespace, body: made }),
    409,
    'Conflict',
  );
  await core.deleteNamespacedConfigMap({ name: 'one', namespace });
  await refused(() => core.readNamespacedConfigMap({ name: 'one', namespace }), 404);
});

await step('already exists', async () => {
  await create('twice');
  await refused(() => create('twice'), 409, 'AlreadyExists');
});

await step('list with limit and continue', async () => {
  for (let i = 0; i < 7; i += 1) await create(`m-${i}`, { set: 'm' });
  const names = new Set();
  let [pages, token] = [0, undefined];
  do {
    const page = await core.listNamespacedConfigMap({
      namespace,
      labelSelector: 'set=m',
      limit: 3,
      _continue: token,
    });
    for (const one of page.items) names.add(one.metadata.name);
    token = page.metadata._continue;
    pages += 1;
  } while (token);
  expect(names.size === 7 && pages === 3, names.size, pages);
});

await step('patch by JSON', async () => {
  await apps.createNamespacedDeployment({ namespace, body: deployment('web', 2) });
  const body = [{ op: 'replace', path: '/spec/replicas', value: 3 }];
  const patched = await apps.patchNamespacedDeployment({ name: 'web', namespace, body });
  expect(patched.spec.replicas === 3);
});

await step('patch by strategic merge', async () => {
  const containers = [{ name: 'side', image: 'example.com/side:1' }];
  const patched = await apps.patchNamespacedDeployment(
    { name: 'web', namespace, body: { spec: { template: { spec: { containers } } } } },
    withType(k8s.PatchStrategy.StrategicMergePatch),
  );
  expect(patched.spec.template.spec.containers.length === 2);
});

await step('patch by merge', async () => {
  const patched = await apps.patchNamespacedDeployment(
    { name: 'web', namespace, body: { spec: { paused: true } } },
    withType(k8s.PatchStrategy.MergePatch),
  );
  expect(patched.spec.paused === true);
});

await step('server-side apply and its conflict', async () => {
  const apply = (fieldManager, value, force) =>
    core.patchNamespacedConfigMap(
      {
        name: 'applied',
        namespace,
        fieldManager,
        force,
        body: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'applied' },
          data: { key: value },
        },
      },
      withType(k8s.PatchStrategy.ServerSideApply),
    );
  await apply('first', '1');
  await refused(() => apply('second', '2'), 409, 'first');
  expect((await apply('second', '2', true)).data.key === '2');
});

await step('object API', async () => {
  const made = await objects.create(configMap('object'));
  expect(made.metadata.uid);
  const read = await objects.read(configMap('object'));
  read.data.key = 'changed';
  expect((await objects.replace(read)).data.key === 'changed');
  const listed = await objects.list('v1', 'ConfigMap', namespace);
  expect(listed.items.length > 5);
  const patched = await objects.patch({ ...configMap('object'), data: { key: 'patched' } });
  expect(patched.data.key === 'patched');
  await objects.delete(configMap('object'));
  await refused(() => objects.read(configMap('object')), 404);
});

await step('dry run and strict field validation', async () => {
  const body = configMap('dry');
  await core.createNamespacedConfigMap({ namespace, body, dryRun: 'All' });
  await refused(() => core.readNamespacedConfigMap({ name: 'dry', namespace }), 404);
  const place = { group: 'apps', version: 'v1', namespace, plural: 'deployments' };
  const wrong = { ...deployment('strict', 1), dada: {} };
  await refused(
    () => custom.createNamespacedCustomObject({ ...place, body: wrong, fieldValidation: 'Strict' }),
    400,
    'strict decoding error',
  );
});

await step('status and scale', async () => {
  const status = await apps.patchNamespacedDeploymentStatus(
    { name: 'web', namespace, body: { status: { replicas: 2 } } },
    withType(k8s.PatchStrategy.MergePatch),
  );
  expect(status.status.replicas === 2);
  const scale = await apps.readNamespacedDeploymentScale({ name: 'web', namespace });
  scale.spec.replicas = 5;
  const scaled = await apps.replaceNamespacedDeploymentScale({
    name: 'web',
    namespace,
    body: scale,
  });
  expect(scaled.spec.replicas === 5);
});

await step('eviction', async () => {
  await core.createNamespacedPod({ namespace, body: pod('evicted') });
  const body = { metadata: { name: 'evicted', namespace } };
  await core.createNamespacedPodEviction({ name: 'evicted', namespace, body });
  await refused(() => core.readNamespacedPod({ name: 'evicted', namespace }), 404);
});

await step('delete collection by selector', async () => {
  await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'set=m' });
  const left = await core.listNamespacedConfigMap({ namespace, labelSelector: 'set=m' });
  expect(left.items.length === 0);
});

await step('finalizer and propagation', async () => {
  const held = configMap('held');
  held.metadata.finalizers = ['a.example/b'];
  await core.createNamespacedConfigMap({ namespace, body: held });
  await core.deleteNamespacedConfigMap({
    name: 'held',
    namespace,
    propagationPolicy: 'Background',
  });
  const read = await core.readNamespacedConfigMap({ name: 'held', namespace });
  expect(read.metadata.deletionTimestamp instanceof Date);
  await core.patchNamespacedConfigMap(
    { name: 'held', namespace, body: { metadata: { finalizers: null } } },
    withType(k8s.PatchStrategy.MergePatch),
  );
  await refused(() => core.readNamespacedConfigMap({ name: 'held', namespace }), 404);
});

await step('watch from a version', async () => {
  const { metadata } = await core.listNamespacedConfigMap({ namespace });
  await create('watched');
  await core.deleteNamespacedConfigMap({ name: 'watched', namespace });
  const seen = [];
  const controller = await watch.watch(
    maps,
    { resourceVersion: metadata.resourceVersion },
    (type, object) => seen.push(`${type} ${object.metadata.name}`),
    () => {},
  );
  await eventually('two events', () => seen.length === 2);
  controller.abort();
  expect(seen.join() === 'ADDED watched,DELETED watched', seen);
});

await step('watch ends at its time limit', async () => {
  const ended = await new Promise((resolve, reject) => {
    const query = { timeoutSeconds: 1, labelSelector: 'set=none' };
    watch.watch(maps, query, () => {}, resolve).catch(reject);
  });
  expect(ended === null || ended === undefined, String(ended));
});

await step('watch of bookmarks', async () => {
  const seen = [];
  const query = {
    allowWatchBookmarks: true,
    sendInitialEvents: true,
    resourceVersionMatch: 'NotOlderThan',
  };
  const controller = await watch.watch(
    maps,
    query,
    (type) => seen.push(type),
    () => {},
  );
  await eventually('a bookmark', () => seen.includes('BOOKMARK'));
  controller.abort();
});

await step('informer', async () => {
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: 'set=i' });
  const informer = k8s.makeInformer(config, maps, list, 'set=i');
  const seen = [];
  informer.on('add', ({ metadata }) => seen.push(`add ${metadata.name}`));
  informer.on('update', ({ metadata }) => seen.push(`update ${metadata.name}`));
  informer.on('delete', ({ metadata }) => seen.push(`delete ${metadata.name}`));
  await create('i-1', { set: 'i' });
  await informer.start();
  const made = await create('i-2', { set: 'i' });
  await eventually('added', () => seen.includes('add i-2'));
  made.data.key = 'changed';
  await core.replaceNamespacedConfigMap({ name: 'i-2', namespace, body: made });
  await eventually('updated', () => seen.includes('update i-2'));
  await core.deleteNamespacedConfigMap({ name: 'i-2', namespace });
  await eventually('deleted', () => seen.includes('delete i-2'));
  expect(informer.list(namespace).length === 1);
  await informer.stop();
});

await step('definition and custom objects', async () => {
  const extensions = config.makeApiClient(k8s.ApiextensionsV1Api);
  await extensions.createCustomResourceDefinition({ body: definition() });
  const place = { group, version: 'v1', namespace, plural: 'widgets' };
  await eventually('served', async () => {
    try {
      await custom.createNamespacedCustomObject({ ...place, body: widget('one') });
      return true;
    } catch (error) {
      expect(error.code === 404, error.message);
      return false;
    }
  });
  const read = await custom.getNamespacedCustomObject({ ...place, name: 'one' });
  expect(read.spec.colour === 'blue');
  await refused(
    () => custom.createNamespacedCustomObject({ ...place, body: widget('two', 11) }),
    422,
    'less than or equal to 10',
  );
  const status = await custom.patchNamespacedCustomObjectStatus(
    { ...place, name: 'one', body: { status: { seen: true } } },
    withType(k8s.PatchStrategy.MergePatch),
  );
  expect(status.status.seen === true);
});

await step('object API of a custom resource', async () => {
  const fresh = k8s.KubernetesObjectApi.makeApiClient(config);
  const made = await fresh.create(widget('three'));
  expect(made.spec.colour === 'blue');
});

await step('events', async () => {
  const body = {
    metadata: { generateName: 'step-' },
    involvedObject: { kind: 'Pod', name: 'web', namespace },
    reason: 'Tried',
    message: 'a step',
  };
  await core.createNamespacedEvent({ namespace, body });
  const list = await core.listNamespacedEvent({ namespace, fieldSelector: 'reason=Tried' });
  expect(list.items.length === 1);
});

await step('lease with microseconds', async () => {
  const leases = config.makeApiClient(k8s.CoordinationV1Api);
  const spec = { holderIdentity: 'one', renewTime: new k8s.V1MicroTime() };
  const made = await leases.createNamespacedLease({
    namespace,
    body: { metadata: { name: 'leader' }, spec },
  });
  made.spec.holderIdentity = 'two';
  const body = made;
  const taken = await leases.replaceNamespacedLease({ name: 'leader', namespace, body });
  expect(taken.spec.holderIdentity === 'two' && taken.spec.renewTime !== undefined);
});

await step('token, its review, access review', async () => {
  await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: 'robot' } } });
  const { status } = await core.createNamespacedServiceAccountToken({
    name: 'robot',
    namespace,
    body: { spec: { audiences: [], expirationSeconds: 600 } },
  });
  const review = await config
    .makeApiClient(k8s.AuthenticationV1Api)
    .createTokenReview({ body: { spec: { token: status.token } } });
  expect(review.status.user.username === `system:serviceaccount:${namespace}:robot`);
  const access = await config.makeApiClient(k8s.AuthorizationV1Api).createSelfSubjectAccessReview({
    body: { spec: { resourceAttributes: { namespace, verb: 'get', resource: 'pods' } } },
  });
  expect(access.status.allowed === true);
});

await step('logs of a pod without node', async () => {
  await core.createNamespacedPod({ namespace, body: pod('idle') });
  const sink = new Writable({ write: (_, __, done) => done() });
  // The server answers 204, which the package takes for a failure.
  await refused(() => new k8s.Log(config).log(namespace, 'idle', 'main', sink), 204);
});

await step('exec in a pod without node', async () => {
  const exec = new k8s.Exec(config);
  let failure;
  try {
    await exec.exec(namespace, 'idle', 'main', ['true'], null, null, null, false);
  } catch (error) {
    failure = error;
  }
  expect(failure !== undefined);
});

await step('lists of many kinds', async () => {
  await config.makeApiClient(k8s.BatchV1Api).listCronJobForAllNamespaces();
  await config.makeApiClient(k8s.NetworkingV1Api).listIngressForAllNamespaces();
  await config.makeApiClient(k8s.AutoscalingV2Api).listHorizontalPodAutoscalerForAllNamespaces();
  await config.makeApiClient(k8s.StorageV1Api).listStorageClass();
  await config.makeApiClient(k8s.RbacAuthorizationV1Api).listClusterRole();
  await config.makeApiClient(k8s.CertificatesV1Api).listCertificateSigningRequest();
  await config.makeApiClient(k8s.SchedulingV1Api).listPriorityClass();
  await config.makeApiClient(k8s.DiscoveryV1Api).listEndpointSliceForAllNamespaces();
  await config.makeApiClient(k8s.PolicyV1Api).listPodDisruptionBudgetForAllNamespaces();
});

await step('health', async () => {
  expect((await new k8s.Health(config).readyz({})) === true);
});

console.log('STEP end');
process.exit(0);
