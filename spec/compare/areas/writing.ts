import { del, get, patch, post, put, setup, type Draw } from '../draw.ts';
import {
  allKinds,
  collectionPath,
  configMaps,
  deployments,
  draftOf,
  jobs,
  kindsInNamespaces,
  objectPath,
  pods,
  richKinds,
  secrets,
  serviceAccounts,
  services,
  statefulSets,
  withMember,
  type Draft,
  type Kind,
} from '../objects.ts';
import type { Step } from '../scenario.ts';

type Change = readonly [string, unknown];

const META_CHANGES: readonly Change[] = [
  ['metadata.labels', { app: 'new' }],
  ['metadata.annotations', { 'example.com/note': 'x' }],
  ['metadata.resourceVersion', '{rv:0}'],
  ['metadata.resourceVersion', '1'],
  ['metadata.resourceVersion', 'abc'],
  ['metadata.uid', '{uid:0}'],
  ['metadata.uid', '00000000-1111-2222-3333-444444444444'],
  ['metadata.name', 'other'],
  ['metadata.name', undefined],
  ['metadata.namespace', 'elsewhere'],
  ['metadata.generation', 9],
  ['metadata.creationTimestamp', '2020-01-01T00:00:00Z'],
  ['metadata.deletionTimestamp', '2020-01-01T00:00:00Z'],
  ['metadata.finalizers', ['example.com/hold']],
  ['metadata.ownerReferences', [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '00000000-1' }]],
  ['metadata.managedFields', []],
  ['status', { phase: 'Running', replicas: 3 }],
  ['surplus', true],
];

const TEMPLATE = 'spec.template.spec.containers.0';
const CHANGES: readonly (readonly [Kind, readonly Change[]])[] = [
  [
    configMaps,
    [
      ['data', { key: 'new', other: 'x' }],
      ['data', undefined],
      ['immutable', true],
      ['binaryData', { key: 'AA==' }],
      ['data', { key: 1 }],
    ],
  ],
  [
    secrets,
    [
      ['type', 'example.com/other'],
      ['immutable', true],
      ['data', { a: 'YQ==' }],
      ['stringData', { password: 'new' }],
    ],
  ],
  [
    pods,
    [
      ['spec.containers.0.image', 'app:2'],
      ['spec.containers.0.image', ''],
      ['spec.nodeName', 'n1'],
      ['spec.activeDeadlineSeconds', 5],
      ['spec.tolerations', [{ key: 'a', operator: 'Exists' }]],
      ['spec.restartPolicy', 'Never'],
      [
        'spec.containers',
        [
          { name: 'a', image: 'x' },
          { name: 'b', image: 'x' },
        ],
      ],
      ['spec.containers.0.resources', { requests: { cpu: '1' } }],
      ['spec.terminationGracePeriodSeconds', 1],
      ['spec.hostname', 'x'],
    ],
  ],
  [
    services,
    [
      ['spec.type', 'NodePort'],
      ['spec.type', 'ExternalName'],
      ['spec.clusterIP', '10.0.0.200'],
      ['spec.clusterIP', 'None'],
      ['spec.ports', [{ port: 8080 }]],
      ['spec.selector', { app: 'other' }],
      ['spec', { type: 'ExternalName', externalName: 'example.com' }],
      ['spec.sessionAffinity', 'ClientIP'],
    ],
  ],
  [
    deployments,
    [
      ['spec.replicas', 3],
      ['spec.selector.matchLabels', { app: 'other' }],
      [`${TEMPLATE}.image`, 'app:2'],
      [`${TEMPLATE}.env`, [{ name: 'A', value: 'b' }]],
      ['spec.template.metadata.labels', { app: 'demo', extra: 'x' }],
      ['spec.strategy', { type: 'Recreate' }],
      ['spec.paused', true],
    ],
  ],
  [
    statefulSets,
    [
      ['spec.serviceName', 'other'],
      ['spec.replicas', 2],
      ['spec.podManagementPolicy', 'Parallel'],
      [`${TEMPLATE}.image`, 'app:2'],
      ['spec.updateStrategy', { type: 'OnDelete' }],
    ],
  ],
  [
    jobs,
    [
      ['spec.completions', 3],
      ['spec.parallelism', 3],
      ['spec.suspend', true],
      [`${TEMPLATE}.image`, 'app:2'],
      ['spec.backoffLimit', 1],
      ['spec.ttlSecondsAfterFinished', 1],
    ],
  ],
  [
    serviceAccounts,
    [
      ['automountServiceAccountToken', true],
      ['secrets', [{ name: 's' }]],
    ],
  ],
];

/** Replacements of an object: those that pass, and those that a rule refuses. */
export function update(draw: Draw): readonly Step[] {
  const [kind, own] = draw.chance(0.6) ? draw.pick(CHANGES) : [draw.pick(allKinds), META_CHANGES];
  const one = objectPath(kind, 'one');
  const base = draftOf(kind, 'one');
  const changed = (changes: readonly Change[]): Draft =>
    changes.reduce((draft, [path, value]) => withMember(draft, path, value), base);
  const query = (): string =>
    draw.pick([
      '',
      '',
      '',
      '?dryRun=All',
      '?fieldValidation=Strict',
      '?fieldManager=me',
      '?dryRun=Some',
    ]);
  const replace = (changes: readonly Change[]): Step => put(`${one}${query()}`, changed(changes));
  return [
    post(collectionPath(kind), base),
    put(one, draw.chance(0.5) ? base : withMember(base, 'metadata.resourceVersion', '{rv:0}')),
    replace(draw.some(own, 1)),
    replace(draw.some(META_CHANGES, 1)),
    replace([...draw.some(own, 1), ...draw.some(META_CHANGES, 1)]),
    replace(draw.some(own, 2)),
    draw.chance(0.4) ? put(objectPath(kind, 'missing'), draftOf(kind, 'missing')) : get(one),
  ];
}

const DELETE_BODIES: readonly unknown[] = [
  undefined,
  undefined,
  {},
  { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Foreground' },
  { propagationPolicy: 'Orphan' },
  { propagationPolicy: 'Background' },
  { propagationPolicy: 'Sideways' },
  { orphanDependents: true },
  { orphanDependents: false, propagationPolicy: 'Orphan' },
  { gracePeriodSeconds: 0 },
  { gracePeriodSeconds: 5 },
  { gracePeriodSeconds: -5 },
  { gracePeriodSeconds: 'x' },
  { dryRun: ['All'] },
  { dryRun: ['Some'] },
  { preconditions: { uid: '{uid:0}' } },
  { preconditions: { uid: '00000000-1111-2222-3333-444444444444' } },
  { preconditions: { resourceVersion: '{rv:0}' } },
  { preconditions: { resourceVersion: '1' } },
  { kind: 'ConfigMap', apiVersion: 'v1' },
  { apiVersion: 'v1', kind: 'DeleteOptions', surplus: 1 },
  'nonsense',
];
const DELETE_QUERIES = [
  '',
  '',
  '',
  '?gracePeriodSeconds=0',
  '?propagationPolicy=Foreground',
  '?propagationPolicy=Orphan',
  '?dryRun=All',
  '?gracePeriodSeconds=x',
  '?orphanDependents=true',
  '?propagationPolicy=Nope',
];
const COLLECTION_QUERIES = [
  '',
  '?labelSelector=app%3Ddemo',
  '?fieldSelector=metadata.name%3Done',
  '?limit=1',
  '?labelSelector=%3D%3D',
  '?dryRun=All',
  '?resourceVersion=0',
  '?gracePeriodSeconds=0',
];

/** Deletion of one, twice, of those with finalizers, and of a collection. */
export function deletion(draw: Draw): readonly Step[] {
  const kind = draw.chance(0.7)
    ? draw.pick([configMaps, pods, pods, services, deployments, jobs, secrets, serviceAccounts])
    : draw.pick(kindsInNamespaces);
  const collection = collectionPath(kind);
  const one = objectPath(kind, 'one');
  const held = draw.chance(0.3);
  const base = draftOf(kind, 'one');
  const first = held ? withMember(base, 'metadata.finalizers', ['example.com/hold']) : base;
  const labelled = withMember(draftOf(kind, 'two'), 'metadata.labels', { app: 'demo' });
  const scheduled = kind === pods && draw.chance(0.6);
  const once = (): Step => del(`${one}${draw.pick(DELETE_QUERIES)}`, draw.pick(DELETE_BODIES));
  const binding = {
    target: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
    metadata: { name: 'one' },
  };
  return [
    setup(post(collection, scheduled && !held ? withMember(first, 'spec.nodeName', 'n1') : first)),
    setup(post(collection, labelled)),
    ...(scheduled && held
      ? [post(`${one}/binding`, { apiVersion: 'v1', kind: 'Binding', ...binding })]
      : []),
    once(),
    get(one),
    once(),
    ...(held
      ? [
          patch('merge', one, {
            metadata: { finalizers: draw.pick([null, ['example.com/other'], []]) },
          }),
          get(one),
        ]
      : [del(objectPath(kind, 'missing'))]),
    del(
      `${collection}${draw.pick(COLLECTION_QUERIES)}`,
      draw.chance(0.2) ? draw.pick(DELETE_BODIES) : undefined,
    ),
    get(collection),
    draw.chance(0.1)
      ? del(collection.replace('/namespaces/{ns}', '/namespaces/{ns}-none'))
      : once(),
  ];
}

/** Server-side apply by two managers, with conflicts, lists by key, and fields that go. */
export function apply(draw: Draw): readonly Step[] {
  const kind = draw.pick([configMaps, deployments, services, draw.pick(richKinds)]);
  const one = objectPath(kind, 'one');
  const base = draftOf(kind, 'one');
  const by = (manager: string, body: unknown, rest = ''): Step =>
    patch('apply', `${one}?fieldManager=${manager}${rest}`, body);
  const { apiVersion, kind: name, metadata } = base;
  const bare = { apiVersion, kind: name, metadata };
  const changes: readonly Draft[] = [
    withMember(base, 'metadata.labels', { app: 'x' }),
    withMember(base, 'metadata.annotations', { 'example.com/a': 'b' }),
    withMember(bare, 'metadata.labels', { app: 'y' }),
    ...(kind === configMaps
      ? [withMember(base, 'data', { key: 'other' }), withMember(base, 'data', { more: 'x' })]
      : []),
    ...(kind === deployments
      ? [
          withMember(base, 'spec.replicas', 4),
          withMember(base, `${TEMPLATE}.image`, 'app:9'),
          withMember(base, `${TEMPLATE}.env`, [{ name: 'A', value: '1' }]),
          withMember(base, 'spec.template.spec.containers', [
            { name: 'main', image: 'registry.example/app:1' },
            { name: 'side', image: 'x' },
          ]),
        ]
      : []),
    ...(kind === services
      ? [
          withMember(base, 'spec.ports', [{ port: 80 }, { port: 81, name: 'b' }]),
          withMember(base, 'spec.ports', [{ port: 80, name: 'a' }]),
        ]
      : []),
  ];
  const change = (): Draft => draw.pick(changes);
  const odd = draw.pick<Step>([
    patch('apply', one, base),
    by('one', withMember(base, 'metadata.managedFields', [{ manager: 'x' }])),
    by('one', withMember(base, 'metadata.name', 'other')),
    by('one', withMember(base, 'surplus', 1)),
    by('one', { metadata }),
    by('one', '{'),
    by('one', withMember(base, 'metadata.resourceVersion', '1')),
    by('one', 'a: b'),
    by('one', withMember(base, 'kind', 'Other')),
    by('x'.repeat(200), base),
    by('one', base, '&dryRun=All'),
    by('one', base, '&fieldValidation=Strict'),
    put(`${one}?force=true`, base),
  ]);
  return [
    draw.chance(0.7) ? by('one', base) : post(`${collectionPath(kind)}?fieldManager=first`, base),
    by('two', change()),
    by('two', change(), '&force=true'),
    by('one', change()),
    odd,
    draw.chance(0.5)
      ? by('one', bare)
      : patch('merge', `${one}?fieldManager=third`, { metadata: { labels: { app: 'z' } } }),
    get(one),
  ];
}
