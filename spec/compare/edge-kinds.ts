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
import type { Scenario, Step } from './scenario.ts';

type Edge = Pick<Scenario, 'area' | 'steps'>;

const TABLE = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
const PARTIAL = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
const PARTIAL_LIST = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };

/** Requests about one kind, or a few. */
export function edgesOfKinds(): Edge[] {
  return [metadata(), autoscaler(), eviction(), tokens(), reviews(), customVersions(), schemas()];
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
