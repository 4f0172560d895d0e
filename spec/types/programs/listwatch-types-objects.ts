/** The types of `listwatch/types`: the arguments of a call name them. Compiled, never run. */
import {
  type Client,
  SharedIndexInformer,
  SharedInformerFactory,
  until,
  type ResourceClient,
  type Stored,
  type UnstructuredObject,
  type WatchEvent,
} from 'listwatch';
import type { ApplyConfiguration } from '../../../lib/client/index.ts';
import type { ApiextensionsV1, ConfigMap, Deployment, EventsV1, Pod } from 'listwatch/types';
import { holds, type SameType } from './same-type.ts';

interface Widget {
  apiVersion?: 'shop.example.com/v1';
  kind?: 'Widget';
  metadata?: { name?: string; namespace?: string };
  spec: { size: number };
}

declare module 'listwatch' {
  interface KnownResources {
    'shop.example.com/v1': { widgets: Widget };
  }
}

declare const client: Client;
declare const plural: string;

export async function argumentsTypeTheResult(): Promise<void> {
  const deployments = client.resource('apps/v1', 'deployments', { namespace: 'shop' });
  holds<SameType<typeof deployments, ResourceClient<Deployment>>>();
  const found = await deployments.get('web');
  holds<SameType<typeof found, Stored<Deployment>>>();
  const names: string[] = [found.metadata.name, found.metadata.uid, found.kind];
  const version: string = found.metadata.resourceVersion;
  const events = client.resource('events.k8s.io/v1', 'events');
  holds<SameType<typeof events, ResourceClient<EventsV1.Event>>>();
  const widgets = client.resource('shop.example.com/v1', 'widgets');
  holds<SameType<typeof widgets, ResourceClient<Widget>>>();
  const others = client.resource('example.com/v2', 'gadgets');
  holds<SameType<typeof others, ResourceClient<UnstructuredObject>>>();
  const named = client.resource<Widget>('v1', 'anything');
  holds<SameType<typeof named, ResourceClient<Widget>>>();
  client.resource('v1', plural);
  for await (const event of client.resource('v1', 'pods').watch()) {
    holds<SameType<typeof event, WatchEvent<Stored<Pod>>>>();
  }
  // @ts-expect-error a misspelt plural of a known API version
  client.resource('apps/v1', 'deploymnets');
  // @ts-expect-error a kind in place of the plural
  client.resource('v1', 'Pod');
  // @ts-expect-error a plural of another API version
  client.resource('v1', 'deployments');
  // @ts-expect-error a misspelt plural of an API version that the program added
  client.resource('shop.example.com/v1', 'wigdets');
  // @ts-expect-error the objects of another resource
  const wrong: ResourceClient<Pod> = client.resource('v1', 'secrets');
  void [names, version, wrong];
}

export async function writesTakeTheLooseForm(): Promise<void> {
  const pods = client.resource('v1', 'pods', { namespace: 'shop' });
  const created = await pods.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: {
      restartPolicy: 'Never',
      nodeName: undefined,
      containers: [
        {
          name: 'web',
          resources: { limits: { cpu: 1, memory: '64Mi' } },
          livenessProbe: { httpGet: { port: 'http' } },
        },
      ],
    },
  });
  const owner: string = created.metadata.uid;
  await pods.update({ ...created, spec: { containers: [{ name: 'web', image: 'nginx' }] } });
  await pods.createOrUpdate('web', (stored) => ({
    metadata: { ...stored?.metadata, name: 'web' },
    spec: { containers: [{ name: 'web' }] },
  }));
  // @ts-expect-error a misspelt field
  await pods.create({ metadata: { name: 'a' }, spec: { containers: [], nodename: 'n' } });
  // @ts-expect-error a value that the enum does not have
  await pods.create({ metadata: { name: 'a' }, spec: { containers: [], restartPolicy: 'Nver' } });
  // @ts-expect-error the other kind
  await pods.create({ kind: 'Secret' });
  const definitions = client.resource('apiextensions.k8s.io/v1', 'customresourcedefinitions');
  const crd: Stored<ApiextensionsV1.CustomResourceDefinition> = await definitions.get('a.b.c');
  const open: boolean | ApiextensionsV1.JSONSchemaProps | undefined =
    crd.spec.versions[0]?.schema?.openAPIV3Schema?.additionalProperties;
  void [owner, open];
}

export async function informersKnowTypesAndIndexes(): Promise<void> {
  const informers = new SharedInformerFactory(client);
  const pods = informers.for('v1', 'pods', {
    indexers: { byNode: (pod) => [pod.spec?.nodeName ?? pod.metadata.name] },
  });
  holds<SameType<typeof pods, SharedIndexInformer<Pod, 'byNode'>>>();
  const onNode = pods.indexer.byIndex('byNode', 'node-1');
  holds<SameType<typeof onNode, readonly Stored<Pod>[]>>();
  pods.indexer.byIndex('namespace', 'shop');
  // @ts-expect-error an index that the informer does not have
  pods.indexer.byIndex('byNod', 'node-1');
  // @ts-expect-error a misspelt plural
  informers.for('v1', 'podz');
  // @ts-expect-error a misspelt plural, with metadata only
  informers.for('v1', 'podz', { metadataOnly: true });
  // @ts-expect-error a misspelt plural of a lease
  informers.acquire('apps/v1', 'deployment');
  const anyIndex: SharedIndexInformer<Pod> = pods;
  pods.addHandler({
    onAdd: (pod) => pod.metadata.uid.trim(),
    onUpdate: (old, pod) => old.status?.phase === pod.status?.phase,
  });
  const running = await until(pods, { name: 'web', is: (pod) => pod.status?.phase === 'Running' });
  holds<SameType<typeof running, Stored<Pod>>>();
  const kept = informers.for('v1', 'pods', { fields: ['spec.nodeName'] });
  const node: string | undefined = kept.lister.get('web')?.spec?.nodeName;
  // @ts-expect-error pods have no such field
  informers.for('v1', 'pods', { fields: ['spec.nodename'] });
  const widgets = informers.for('shop.example.com/v1', 'widgets');
  holds<SameType<typeof widgets, SharedIndexInformer<Widget>>>();
  void [anyIndex, node];
}

export async function answersHaveWhatTheServerSets(dryRun: boolean): Promise<void> {
  const maps = client.resource('v1', 'configmaps', { namespace: 'shop' });
  const named = { metadata: { name: 'web' } };
  const typed: ApplyConfiguration<ConfigMap> = { apiVersion: 'v1', kind: 'ConfigMap', ...named };
  const stored = await maps.create(named, { fieldManager: 'shop', dryRun: false });
  holds<SameType<typeof stored, Stored<ConfigMap>>>();
  const dry = await maps.create(named, { dryRun: true });
  const ids: string[] = [dry.metadata.name, dry.metadata.uid];
  holds<SameType<typeof dry.metadata.resourceVersion, string | undefined>>();
  const perhaps = await maps.apply(typed, { dryRun, fieldManager: 'shop' });
  holds<SameType<typeof perhaps.metadata.resourceVersion, string | undefined>>();
  const applied = await maps.apply(typed, { fieldManager: 'shop' });
  holds<SameType<typeof applied, Stored<ConfigMap>>>();
  const { object } = await maps.createOrUpdate('web', () => named, { dryRun: true });
  holds<SameType<typeof object.metadata.resourceVersion, string | undefined>>();
  // An updated or patched object has its version, in a dry run too.
  const patched = await maps.patch('web', { data: { a: 'b' } }, { dryRun: true });
  holds<SameType<typeof patched, Stored<ConfigMap>>>();
  const reviews = client.resource('authorization.k8s.io/v1', 'selfsubjectaccessreviews');
  const review = await reviews.create({ spec: { resourceAttributes: { verb: 'get' } } });
  holds<SameType<typeof review.metadata.uid, string | undefined>>();
  const allowed: boolean | undefined = review.status?.allowed;
  // @ts-expect-error a review has no name
  ids.push(review.metadata.name);
  // @ts-expect-error a dry run has no resource version
  ids.push(dry.metadata.resourceVersion);
  void allowed;
}

/** A helper of a program, for any kind. */
export function clientOf<T extends UnstructuredObject>(name: string): ResourceClient<T> {
  return client.resource<T>('v1', name);
}
