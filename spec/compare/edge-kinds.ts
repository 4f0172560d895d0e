import { get, patch, post, put, setup } from './draw.ts';
import { clusterKind } from './kind.ts';
import {
  collectionPath,
  configMaps,
  draftOf,
  objectPath,
  pods,
  serviceAccounts,
  type Kind,
} from './objects.ts';
import { rareKinds } from './rare-kinds.ts';
import type { Scenario, Step } from './scenario.ts';

type Edge = Pick<Scenario, 'area' | 'steps'>;

const TABLE = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
const PARTIAL = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
const PARTIAL_LIST = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };

/** Requests about one kind, or a few. */
export function edgesOfKinds(): Edge[] {
  return [
    metadata(),
    autoscaler(),
    eviction(),
    tokens(),
    reviews(),
    customVersions(),
    schemas(),
    creations(),
    pools(),
    declaredLast(),
    discovery(),
  ];
}

/** Annotations that are fields of the internal type, in answers with only the metadata. */
function metadata(): Edge {
  const path = '/apis/apps/v1/namespaces/{ns}/daemonsets';
  const labels = { app: 'demo' };
  const spec = { containers: [{ name: 'main', image: 'demo:1' }] };
  const set = (name: string, annotations?: object): unknown => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, ...(annotations && { annotations }) },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
  const generation = { 'deprecated.daemonset.template.generation': '5', 'demo.example/a': 'b' };
  return {
    area: 'negotiation',
    steps: [
      setup(post(path, set('one'))),
      setup(post(path, set('two', generation))),
      get(`${path}/one`, PARTIAL),
      get(`${path}/two`, PARTIAL),
      get(path, PARTIAL_LIST),
      get(path, TABLE),
      get(`${path}?includeObject=Object`, TABLE),
      get(`${path}?watch=1&timeoutSeconds=1`, PARTIAL),
      post(path, set('three'), TABLE),
      patch('apply', `${objectPath(configMaps, 'a')}?fieldManager=a`, '[]'),
    ],
  };
}

function autoscaler(): Edge {
  const path = (version: string): string =>
    `/apis/autoscaling/${version}/namespaces/{ns}/horizontalpodautoscalers`;
  const memory = { name: 'memory', target: { type: 'AverageValue', averageValue: '1Mi' } };
  const spec = {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    maxReplicas: 3,
    metrics: [{ type: 'Resource', resource: memory }],
  };
  const kind = 'HorizontalPodAutoscaler';
  const body = { apiVersion: 'autoscaling/v2', kind, metadata: { name: 'web' }, spec };
  return {
    area: 'negotiation',
    steps: [setup(post(path('v2'), body)), get(path('v1'), TABLE), get(path('v1'), PARTIAL_LIST)],
  };
}

/** Options of the deletion, which are refused when the pod is deleted. */
function eviction(): Edge {
  const path = `${objectPath(pods, 'one')}/eviction`;
  const evict = (deleteOptions: object): Step =>
    post(path, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'one' },
      deleteOptions,
    });
  return {
    area: 'subresources',
    steps: [
      setup(post(collectionPath(pods), draftOf(pods, 'one'))),
      evict({ dryRun: ['Some'] }),
      evict({ propagationPolicy: 'Sideways' }),
      evict({ propagationPolicy: 'Orphan', orphanDependents: true }),
      get(`${objectPath(pods, 'one')}/status`),
    ],
  };
}

function tokens(): Edge {
  const bound = (rest: object): Step =>
    post(`${objectPath(serviceAccounts, 'one')}/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { boundObjectRef: { kind: 'Pod', name: 'one', ...rest } },
    });
  const pod = draftOf(pods, 'one');
  return {
    area: 'subresources',
    steps: [
      setup(post(collectionPath(serviceAccounts), draftOf(serviceAccounts, 'one'))),
      setup(
        post(collectionPath(pods), {
          ...pod,
          spec: { ...(pod['spec'] as object), serviceAccountName: 'one' },
        }),
      ),
      bound({}),
      bound({ apiVersion: 'v2' }),
      bound({ apiVersion: 'apps/v1' }),
    ],
  };
}

function reviews(): Edge {
  const review = (group: string, kind: string, spec: object, where = '', name = {}): Step =>
    post(`/apis/${group}/v1/${where}${kind.toLowerCase()}s`, {
      apiVersion: `${group}/v1`,
      kind,
      metadata: name,
      spec,
    });
  const both = {
    user: 'u',
    resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'pods' },
    nonResourceAttributes: { path: '/x' },
  };
  const { user: _, ...self } = both;
  const group = 'authorization.k8s.io';
  return {
    area: 'access',
    steps: [
      review(group, 'SubjectAccessReview', both),
      review(group, 'SelfSubjectAccessReview', self),
      review(group, 'LocalSubjectAccessReview', both, 'namespaces/{ns}/'),
      review(
        group,
        'SubjectAccessReview',
        { user: 'u', nonResourceAttributes: { path: '/' } },
        '',
        {
          namespace: 'x',
        },
      ),
      review('authentication.k8s.io', 'TokenReview', { token: 'none' }, '', { namespace: 'x' }),
    ],
  };
}

const definitions: Kind = clusterKind(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
);

const text = { type: 'string' };
const spec = { type: 'object', properties: { a: text } };
const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };

function definition(versions: readonly object[]): unknown {
  const group = '{ns}.example.com';
  return {
    ...definitions.make(`gears.${group}`),
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'gears', singular: 'gear', kind: 'Gear', listKind: 'GearList' },
      versions,
    },
  };
}

/** Fields for selectors that only one version has. */
function customVersions(): Edge {
  const path = (version: string): string =>
    `/apis/{ns}.example.com/${version}/namespaces/{ns}/gears`;
  const versions = [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema,
      selectableFields: [{ jsonPath: '.spec.a' }],
    },
    { name: 'v2', served: true, storage: false, schema },
  ];
  const gear = { apiVersion: '{ns}.example.com/v1', kind: 'Gear', metadata: { name: 'one' } };
  return {
    area: 'custom resources',
    steps: [
      setup(post(collectionPath(definitions), definition(versions))),
      { ...get(path('v1')), until: 200, setup: true },
      { ...get(path('v2')), until: 200, setup: true },
      setup(post(path('v1'), { ...gear, spec: { a: 'x' } })),
      get(`${path('v1')}?fieldSelector=spec.a%3Dx`),
      get(`${path('v2')}?fieldSelector=spec.a%3Dx`),
      get(`${path('v2')}?fieldSelector=metadata.name%3Done`),
      get(`${path('v2')}?watch=1&fieldSelector=spec.a%3Dx`),
    ],
  };
}

/** A definition that has two causes twice. */
function schemas(): Edge {
  const key = { k: { type: 'object' } };
  const list = {
    type: 'array',
    items: { type: 'object', properties: key },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k', 'k', 'z'],
  };
  const openAPIV3Schema = { type: 'object', properties: { list } };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
  return {
    area: 'custom resources',
    steps: [
      post(`${collectionPath(definitions)}?dryRun=All`, definition(versions)),
      put(`${objectPath(definitions, 'none')}?dryRun=All`, definition(versions)),
    ],
  };
}

/** A resource version in a create, an update of a status without one, and members of YAML in the order of their names. */
function creations(): Edge {
  const path = collectionPath(configMaps);
  const map = (name: string, resourceVersion: string): Step =>
    post(path, { ...draftOf(configMaps, name), metadata: { name, resourceVersion } });
  const text = 'kind: ConfigMap\nmetadata: {name: true}\ndata: {a: 1}\napiVersion: v1\n';
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'one' },
    spec: { minAvailable: 1, selector: {} },
  };
  const budgets = '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets';
  return {
    area: 'kinds',
    steps: [
      map('a', '5'),
      map('a', 'x'),
      map('a', 'x'),
      post(path, text, { 'content-type': 'application/yaml' }),
      setup(post(budgets, budget)),
      put(`${budgets}/one/status`, { ...budget, status: {} }),
    ],
  };
}

/** Slices by their pools, and a field of a feature that is off. */
function pools(): Edge {
  const slices = rareKind('ResourceSlice');
  const slice = draftOf(slices, 'one');
  const resources = { cpu: { amount: '1' } };
  const spec = {
    ...(slice['spec'] as object),
    pool: { name: '{ns}', generation: 1, resourceSliceCount: 1 },
    devices: [{ name: 'one', nodeAllocatableResources: resources }],
  };
  const path = collectionPath(slices);
  return {
    area: 'selectors',
    steps: [
      post(path, { ...slice, spec }),
      get(`${path}?fieldSelector=spec.pool.name%3D{ns}`),
      get(`${path}?fieldSelector=spec.pool%3D{ns}`),
    ],
  };
}

function rareKind(name: string): Kind {
  const found = rareKinds.find((one) => one.make('any').kind === name);
  if (found === undefined) throw new Error(`no kind is called ${name}`);
  return found;
}

/** Several causes: those of declared rules come last, in the order of the fields. */
function declaredLast(): Edge {
  const rbac = 'rbac.authorization.k8s.io';
  const create = (path: string, apiVersion: string, kind: string, rest: object): Step =>
    post(`/apis/${apiVersion}/${path}?dryRun=All`, {
      apiVersion,
      kind,
      metadata: { name: '{ns}-a' },
      ...rest,
    });
  return {
    area: 'validation',
    steps: [
      create('namespaces/{ns}/rolebindings', `${rbac}/v1`, 'RoleBinding', {
        roleRef: { kind: 'Role', name: '', apiGroup: 'none' },
        subjects: [{ kind: 'User' }, { kind: 'Odd', name: 'o' }],
      }),
      create('ingressclasses', 'networking.k8s.io/v1', 'IngressClass', {
        spec: { controller: 'x', parameters: { kind: '', name: '', scope: 'Namespace' } },
      }),
      ...['Odd', 'Exempt', ''].map((type) =>
        create(
          'prioritylevelconfigurations',
          'flowcontrol.apiserver.k8s.io/v1',
          'PriorityLevelConfiguration',
          { spec: { type, limited: { limitResponse: { queuing: {} } } } },
        ),
      ),
      create('runtimeclasses', 'node.k8s.io/v1', 'RuntimeClass', {
        handler: 'Bad_',
        overhead: { podFixed: { cpu: '-1' } },
      }),
      create('storageclasses', 'storage.k8s.io/v1', 'StorageClass', {
        provisioner: 'a b',
        parameters: { '': 'x' },
        reclaimPolicy: 'Odd',
      }),
      create('resourceslices', 'resource.k8s.io/v1', 'ResourceSlice', {
        spec: {
          driver: 'd.example',
          nodeName: 'n',
          pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
          devices: [{ name: 'x', attributes: { a: { string: 's', int: 1 }, v: { version: 'x' } } }],
        },
      }),
    ],
  };
}

/** The groups are not aggregated with a slash at the end of the path. */
function discovery(): Edge {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  return { area: 'discovery', steps: [get('/apis/', { accept })] };
}
