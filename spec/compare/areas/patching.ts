import { get, patch, post, setup, type Draw } from '../draw.ts';
import {
  allKinds,
  collectionPath,
  configMaps,
  deployments,
  draftOf,
  objectPath,
  pods,
  services,
  withMember,
  type Kind,
} from '../objects.ts';
import type { Step } from '../scenario.ts';

const JSON_PATCHES: readonly unknown[] = [
  [{ op: 'add', path: '/metadata/labels', value: { app: 'x' } }],
  [{ op: 'add', path: '/metadata/labels/app', value: 'x' }],
  [{ op: 'replace', path: '/metadata/labels/app', value: 'x' }],
  [{ op: 'replace', path: '/data/none', value: 'x' }],
  [{ op: 'remove', path: '/metadata/labels/none' }],
  [{ op: 'remove', path: '/metadata/annotations' }],
  [{ op: 'test', path: '/metadata/name', value: 'one' }],
  [{ op: 'test', path: '/metadata/name', value: 'other' }],
  [{ op: 'test', path: '/metadata/none', value: null }],
  [{ op: 'copy', from: '/metadata/name', path: '/metadata/annotations' }],
  [{ op: 'move', from: '/metadata/name', path: '/metadata/generateName' }],
  [
    { op: 'add', path: '/metadata/finalizers', value: ['example.com/a'] },
    { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/b' },
  ],
  [{ op: 'add', path: '/metadata/finalizers/5', value: 'x' }],
  [{ op: 'nope', path: '/a' }],
  [{ op: 'add', path: 'a', value: 1 }],
  [{ op: 'add', path: '/metadata/annotations', value: { 'a~1b': 'c' } }],
  [{ path: '/a' }],
  [{ op: 'replace', path: '/kind', value: 'Other' }],
  [{ op: 'replace', path: '/metadata/uid', value: '00000000-1111-2222-3333-444444444444' }],
  [{ op: 'add', path: '/surplus', value: 1 }],
  [],
  {},
  'nonsense',
  [{ op: 'replace', path: '', value: {} }],
];
const MERGE_PATCHES: readonly unknown[] = [
  {},
  { metadata: { labels: { app: 'x' } } },
  { metadata: { labels: { app: null } } },
  { metadata: { labels: null } },
  { metadata: { annotations: { 'example.com/a': 'b' } } },
  { metadata: { name: 'other' } },
  { metadata: { namespace: 'elsewhere' } },
  { metadata: { uid: '00000000-1111-2222-3333-444444444444' } },
  { metadata: { resourceVersion: '1' } },
  { metadata: { resourceVersion: '{rv:0}' } },
  { metadata: { finalizers: ['example.com/a'] } },
  { metadata: { labels: { app: 5 } } },
  { metadata: { labels: 'x' } },
  { metadata: null },
  { kind: 'Other' },
  { apiVersion: 'v9' },
  { status: { phase: 'Running' } },
  { surplus: 1 },
  { spec: null },
  {
    metadata: {
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '00000000-1' }],
    },
  },
  [],
  'nonsense',
  null,
];
const PATHS_OF_TEMPLATE = (containers: unknown): unknown => ({
  spec: { template: { spec: { containers } } },
});
const STRATEGIC: readonly (readonly [Kind, readonly unknown[]])[] = [
  [
    deployments,
    [
      PATHS_OF_TEMPLATE([{ name: 'main', image: 'app:2' }]),
      PATHS_OF_TEMPLATE([{ name: 'second', image: 'side:1' }]),
      PATHS_OF_TEMPLATE([{ name: 'main', $patch: 'delete' }]),
      PATHS_OF_TEMPLATE([{ $patch: 'replace' }, { name: 'only', image: 'x' }]),
      PATHS_OF_TEMPLATE([{ image: 'nameless' }]),
      PATHS_OF_TEMPLATE([
        { name: 'main', env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80 }] },
      ]),
      { spec: { template: { spec: { $setElementOrder: 1 } } } },
      {
        spec: {
          template: {
            spec: {
              '$setElementOrder/containers': [{ name: 'second' }, { name: 'main' }],
              containers: [{ name: 'second', image: 'x' }],
            },
          },
        },
      },
      { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } },
      { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
      { spec: { replicas: 4 } },
      { spec: { replicas: 'x' } },
      { spec: { selector: { matchLabels: { app: 'other' } } } },
      {
        spec: {
          template: {
            spec: { volumes: [{ name: 'v', emptyDir: {} }], tolerations: [{ operator: 'Exists' }] },
          },
        },
      },
    ],
  ],
  [
    services,
    [
      { spec: { ports: [{ port: 81, name: 'b' }] } },
      {
        spec: {
          ports: [
            { port: 80, name: 'a' },
            { port: 443, name: 'b' },
          ],
        },
      },
      { spec: { ports: [{ port: 80, $patch: 'delete' }] } },
      { spec: { type: 'NodePort' } },
      { spec: { selector: { tier: 'x' } } },
      { spec: { selector: { $patch: 'replace', only: 'x' } } },
    ],
  ],
  [
    pods,
    [
      { spec: { containers: [{ name: 'main', image: 'app:2' }] } },
      { spec: { containers: [{ name: 'second', image: 'app:2' }] } },
      { metadata: { finalizers: ['example.com/a'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] } },
      { spec: { nodeName: 'n1' } },
    ],
  ],
  [
    configMaps,
    [
      { data: { key: null, other: 'x' } },
      { data: { $patch: 'replace', only: 'x' } },
      { $patch: 'delete' },
      { data: { key: 5 } },
      {
        metadata: {
          ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'q', uid: '00000000-2' }],
        },
      },
    ],
  ],
];

/** The three kinds of patches but apply, those that pass and those that do not. */
export function patches(draw: Draw): readonly Step[] {
  const [kind, strategic] = draw.chance(0.7)
    ? draw.pick(STRATEGIC)
    : [draw.pick(allKinds), MERGE_PATCHES.filter((one) => typeof one === 'object')];
  const one = objectPath(kind, 'one');
  const base = withMember(draftOf(kind, 'one'), 'metadata.labels', { app: 'demo' });
  const query = (): string =>
    draw.pick([
      '',
      '',
      '',
      '',
      '?dryRun=All',
      '?fieldValidation=Strict',
      '?fieldManager=me',
      '?force=true',
    ]);
  const any = (): Step => {
    const type = draw.pick(['json', 'merge', 'strategic'] as const);
    const body = draw.pick(
      type === 'json'
        ? JSON_PATCHES
        : [...MERGE_PATCHES, ...(type === 'strategic' ? strategic : [])],
    );
    return patch(type, `${one}${query()}`, body === null ? 'null' : body);
  };
  const own = (): Step =>
    patch(
      draw.pick(['strategic', 'strategic', 'merge'] as const),
      `${one}${query()}`,
      draw.pick(strategic),
    );
  return [
    setup(post(collectionPath(kind), base)),
    own(),
    patch('json', one, draw.pick(JSON_PATCHES)),
    own(),
    any(),
    any(),
    any(),
    draw.chance(0.3) ? patch('merge', objectPath(kind, 'missing'), {}) : get(one),
  ];
}
