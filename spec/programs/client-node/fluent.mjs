/** Steps with kubernetes-fluent-client. */
import {
  K8s,
  RegisterKind,
  GenericKind,
  kind,
  WatchEvent,
  waitForCluster,
} from 'kubernetes-fluent-client';
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

class Widget extends GenericKind {}
RegisterKind(Widget, { group, version: 'v1', kind: 'Widget', plural: 'widgets' });

const maps = () => K8s(kind.ConfigMap).InNamespace(namespace);

await step('wait for the cluster', async () => {
  const cluster = await waitForCluster(10);
  expect(cluster.server.startsWith('https://'));
});

await step('namespace create', async () => {
  await K8s(kind.Namespace).Apply({ metadata: { name: namespace } });
});

await step('create, get, delete', async () => {
  await K8s(kind.ConfigMap).Create(configMap('one'));
  await refused(() => K8s(kind.ConfigMap).Create(configMap('one')), 409);
  expect((await maps().Get('one')).data.key === 'value');
  await maps().Delete('one');
  await refused(() => maps().Get('one'), 404);
});

await step('apply and its conflict', async () => {
  await K8s(kind.ConfigMap).Apply(configMap('applied'));
  const other = { ...configMap('applied'), data: { key: 'other' } };
  const second = (force) => K8s(kind.ConfigMap).Apply(other, { force });
  expect((await second(true)).data.key === 'other');
});

await step('patch', async () => {
  await K8s(kind.Deployment).Apply(deployment('web', 2));
  const operations = [{ op: 'add', path: '/metadata/annotations', value: { patched: 'yes' } }];
  const web = K8s(kind.Deployment, { name: 'web', namespace });
  expect((await web.Patch(operations)).metadata.annotations.patched === 'yes');
});

await step('patch of the status', async () => {
  const status = { replicas: 2 };
  const { apiVersion, kind: name } = deployment('web', 2);
  const object = { apiVersion, kind: name, metadata: { name: 'web', namespace }, status };
  expect((await K8s(kind.Deployment).PatchStatus(object)).status.replicas === 2);
});

await step('scale', async () => {
  await K8s(kind.Deployment).InNamespace(namespace).Scale(4, 'web');
  const { spec } = await K8s(kind.Deployment).InNamespace(namespace).Get('web');
  expect(spec.replicas === 4);
});

await step('finalizer is added and removed', async () => {
  const finalize = (what) => maps().Finalize(what, 'example.com/hold', 'applied');
  await finalize('add');
  expect((await maps().Get('applied')).metadata.finalizers[0] === 'example.com/hold');
  await finalize('remove');
  expect((await maps().Get('applied')).metadata.finalizers === undefined);
});

await step('lists by label and field', async () => {
  for (let i = 0; i < 3; i += 1) await K8s(kind.ConfigMap).Apply(configMap(`m-${i}`, { set: 'm' }));
  expect((await maps().WithLabel('set', 'm').Get()).items.length === 3);
  expect((await maps().WithField('metadata.name', 'm-1').Get()).items.length === 1);
});

await step('evict', async () => {
  await K8s(kind.Pod).Create(pod('evicted'));
  await K8s(kind.Pod).InNamespace(namespace).Evict('evicted');
  await refused(() => K8s(kind.Pod).InNamespace(namespace).Get('evicted'), 404);
});

await step('watch', async () => {
  const seen = [];
  const watcher = maps()
    .WithLabel('set', 'w')
    .Watch((object, phase) => seen.push(`${phase} ${object.metadata.name}`));
  const connected = new Promise((resolve) => {
    watcher.events.once(WatchEvent.CONNECT, resolve);
  });
  await watcher.start();
  await connected;
  await K8s(kind.ConfigMap).Create(configMap('w-1', { set: 'w' }));
  await eventually('added', () => seen.includes('ADDED w-1'));
  await maps().Delete('w-1');
  await eventually('deleted', () => seen.includes('DELETED w-1'));
  watcher.close();
});

await step('definition and custom object', async () => {
  await K8s(kind.CustomResourceDefinition).Apply(
    definition('default', 'x-kubernetes-preserve-unknown-fields'),
  );
  await eventually('served', async () => {
    try {
      await K8s(Widget).Apply(widget('one'));
      return true;
    } catch (error) {
      expect(error.status === 404, error);
      return false;
    }
  });
  expect((await K8s(Widget).InNamespace(namespace).Get('one')).spec.colour === 'blue');
  await refused(() => K8s(Widget).Apply(widget('two', 11)), 422);
});

console.log('STEP end');
process.exit(0);
