/** The interfaces and classes of `kubernetes-models` as objects of informers, listers, clients and handlers. Compiled, never run. */
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { ILease } from 'kubernetes-models/coordination.k8s.io/v1/Lease';
import { ConfigMap, type IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Pod, type IPod } from 'kubernetes-models/v1/Pod';
import type { ISecret } from 'kubernetes-models/v1/Secret';
import {
  type Client,
  connect,
  controllerOf,
  filteringHandler,
  metaNamespaceKeyFunc,
  SharedIndexInformer,
  SharedInformerFactory,
  until,
  type KubernetesObject,
  type ObjectMeta,
  type OwnerReference,
  type Stored,
  type UnstructuredObject,
  type WatchEvent,
} from '../../../lib/index.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/index.ts';
import { holds, type SameType } from './same-type.ts';

type Kinds = { 'v1/pods': IPod; 'v1/secrets': ISecret; 'apps/v1/deployments': IDeployment };

declare const client: Client;
declare const pod: IPod;

export function objectsFitTheConstraint(lease: ILease, ofPod: NonNullable<IPod['metadata']>): void {
  const objects: KubernetesObject[] = [pod, lease];
  const metadata: ObjectMeta = ofPod;
  const key: string = metaNamespaceKeyFunc(pod);
  const owner: OwnerReference | undefined = controllerOf(pod);
  // @ts-expect-error a text is no object
  metaNamespaceKeyFunc('shop/web');
  // @ts-expect-error a name is text
  const wrong: KubernetesObject = { metadata: { name: 1 } };
  void [objects, metadata, key, owner, wrong];
}

export function aTypeArgumentNamesTheObjects(): void {
  const informers = new SharedInformerFactory(client);
  const pods = informers.for<IPod>('v1', 'pods', {
    indexers: { byNode: (one) => [one.spec?.nodeName ?? ''] },
    transform: ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, labels: {} } }),
  });
  holds<SameType<typeof pods, SharedIndexInformer<IPod>>>();
  holds<SameType<ReturnType<typeof pods.indexer.get>, Stored<IPod> | undefined>>();
  const listed = pods.lister.namespace('shop').list({ labels: 'app=web' });
  holds<SameType<typeof listed, readonly Stored<IPod>[]>>();
  const metadata = pods.lister.list({ view: 'metadata' });
  holds<SameType<typeof metadata, readonly ObjectMeta[]>>();
  const byNode = pods.indexer.byIndex('byNode', 'node-1');
  holds<SameType<typeof byNode, readonly Stored<IPod>[]>>();
  // @ts-expect-error pods have no spec.replicas
  pods.indexer.get('shop/web')?.spec?.replicas;
  // @ts-expect-error lists are shared and read-only
  listed.push(pod);
  // @ts-expect-error an index function gives texts
  informers.for<IPod>('v1', 'pods', { indexers: { byPriority: (one) => [one.spec?.priority] } });
  // @ts-expect-error an object type carries metadata of the known shape
  informers.for<{ metadata: string }>('v1', 'pods');
}

export async function declaredOnceTypesAreInferred(): Promise<void> {
  const typed = await connect<Kinds>();
  const informers = new SharedInformerFactory(typed);
  const secrets = informers.for('v1', 'secrets');
  holds<SameType<typeof secrets, SharedIndexInformer<ISecret>>>();
  const deployment = await typed.resource('apps/v1', 'deployments', { namespace: 'shop' }).get('a');
  holds<SameType<typeof deployment, Stored<IDeployment>>>();
  const unknown = informers.for('example.com/v1', 'widgets');
  holds<SameType<typeof unknown, SharedIndexInformer<UnstructuredObject>>>();
  const leased = informers.acquire('v1', 'pods');
  holds<SameType<typeof leased.informer, SharedIndexInformer<IPod>>>();
  const kept = informers.for('v1', 'pods', { fields: ['spec.nodeName', 'status.phase'] });
  const one = kept.indexer.get('shop/web');
  holds<SameType<NonNullable<NonNullable<typeof one>['spec']>['nodeName'], string | undefined>>();
  // @ts-expect-error the field was not kept
  one?.spec?.containers;
  // @ts-expect-error pods have no such field
  informers.for('v1', 'pods', { fields: ['spec.nodename'] });
  // @ts-expect-error a value of another kind than the one declared
  await typed.resource('v1', 'secrets').create({ spec: { replicas: 1 } });
}

export async function verbsTakeAndGiveTheType(): Promise<void> {
  const pods = client.resource<IPod>('v1', 'pods', { namespace: 'shop' });
  const created = await pods.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', creationTimestamp: '1970-01-01T00:00:00Z' },
    spec: { containers: [{ name: 'web', image: 'nginx' }] },
  });
  holds<SameType<typeof created, Stored<IPod>>>();
  const deleted = await pods.delete('web');
  holds<SameType<typeof deleted, Stored<IPod> | undefined>>();
  for await (const item of pods.items()) holds<SameType<typeof item, Stored<IPod>>>();
  for await (const event of pods.watch()) {
    holds<SameType<typeof event, WatchEvent<Stored<IPod>>>>();
    if (event.type !== 'BOOKMARK') event.object.status?.phase?.trim();
  }
  // @ts-expect-error a pod says of itself that it is one
  await pods.create({ apiVersion: 'v1', kind: 'Secret' });
  // @ts-expect-error a container has a name
  await pods.update({ spec: { containers: [{}] } });
  const patched = await pods.patch('web', { metadata: { labels: { a: 'b' } } });
  // @ts-expect-error pods have no stringData
  patched.stringData;
}

export async function handlersReadTheType(): Promise<void> {
  const pods = new SharedIndexInformer<IPod>({
    listerWatcher: new ScriptedListerWatcher<IPod>({ objects: [pod] }),
  });
  pods.addHandler({
    onAdd: (added, { initial }) => [added.spec?.nodeName?.trim(), initial.valueOf()],
    onUpdate: (old, updated) => old.status?.phase === updated.status?.phase,
    onDelete: (deleted, { finalStateUnknown }) => [deleted.metadata?.name, finalStateUnknown],
  });
  pods.addHandler({ view: 'lazy', onAdd: (added) => added.object.spec?.containers });
  pods.addHandler({ view: 'metadata', onAdd: ({ key, metadata }) => [key, metadata.labels] });
  pods.addHandler({ view: 'key', onAdd: ({ key }) => key.trim() });
  pods.addHandler(
    filteringHandler<IPod>({
      filter: (one) => one.spec?.hostNetwork === true,
      handler: { onAdd: (added) => added.spec?.nodeName },
    }),
  );
  // @ts-expect-error a handler of keys gets no metadata
  pods.addHandler({ view: 'key', onAdd: (added) => added.metadata });
  // @ts-expect-error a handler of metadata gets no body
  pods.addHandler({ view: 'metadata', onAdd: (added) => added.spec });
  // @ts-expect-error pods have no data
  pods.addHandler({ onAdd: (added) => added.data });
  // @ts-expect-error a handler of deployments is none of pods
  pods.addHandler({ onAdd: (added: IDeployment) => added.spec?.replicas });
  // @ts-expect-error a source of other objects
  new SharedIndexInformer<IPod>({ listerWatcher: new ScriptedListerWatcher<{ spec: string }>() });
  for await (const change of pods.changes()) holds<SameType<typeof change.object, Stored<IPod>>>();
  const running = await until(pods, { name: 'web', is: (one) => one.status?.phase === 'Running' });
  holds<SameType<typeof running, Stored<IPod>>>();
}

export async function modelsAreWritten(): Promise<void> {
  const pods = client.resource<IPod>('v1', 'pods', { namespace: 'shop' });
  const model = new Pod({ metadata: { name: 'web' }, spec: { containers: [{ name: 'web' }] } });
  const key: string = metaNamespaceKeyFunc(model);
  const created = await pods.create(model);
  holds<SameType<typeof created, Stored<IPod>>>();
  const back: Pod = new Pod(created);
  await pods.update(back);
  const maps = client.resource<IConfigMap>('v1', 'configmaps', { namespace: 'shop' });
  const { object } = await maps.createOrUpdate('web', () => new ConfigMap({ data: { a: 'b' } }));
  holds<SameType<typeof object, Stored<IConfigMap>>>();
  const found = await client.resourceOf(model);
  const again = await found.create(model);
  holds<SameType<typeof again, Stored<Pod>>>();
  // @ts-expect-error a model of another kind
  await pods.create(new ConfigMap({ data: { a: 'b' } }));
  void key;
}
