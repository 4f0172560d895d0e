import type { Change } from '../change.ts';
import type { RuleCases } from '../rule-cases.ts';

const GROUP = '{ns}.example.com';
const collection = `/apis/${GROUP}/v1/namespaces/{ns}/widgets`;
const text = { type: 'string' };
const number = { type: 'integer' };
const PRESERVE = { 'x-kubernetes-preserve-unknown-fields': true };
const EMBEDDED = { type: 'object', 'x-kubernetes-embedded-resource': true };

/** Members of `spec`, each with values that it accepts or refuses. */
const MEMBERS: Readonly<Record<string, readonly [object, readonly unknown[]]>> = {
  text: [text, ['a', 1, true, null, [], {}, '']],
  nullable: [{ ...text, nullable: true }, [null, 1]],
  nullableEnum: [{ ...text, nullable: true, enum: ['a', 'b'] }, [null, 'c']],
  integer: [number, [1.5, '1', -0, 1e20, 1e3]],
  int32: [{ ...number, format: 'int32' }, [2 ** 31, 2 ** 31 - 1, -(2 ** 31) - 1]],
  number: [{ type: 'number' }, [1, 1.5, 'x']],
  float: [{ type: 'number', format: 'float' }, [1e39, 1.5]],
  flag: [{ type: 'boolean' }, [0, 'true']],
  port: [{ 'x-kubernetes-int-or-string': true }, [1, '25%', 1.5, true, {}]],
  percent: [{ 'x-kubernetes-int-or-string': true, pattern: '^[0-9]+%$' }, [7, '7%', '7']],
  least: [{ ...number, minimum: 2 }, [1, 2]],
  above: [{ ...number, minimum: 2, exclusiveMinimum: true }, [2, 3]],
  most: [{ type: 'number', maximum: 2.5 }, [2.5, 2.6, 3]],
  below: [{ type: 'number', maximum: 2.5, exclusiveMaximum: true }, [2.5, 2]],
  limit: [{ ...number, minimum: 1.5, maximum: 3.5 }, [1, 2, 4]],
  times: [{ ...number, multipleOf: 3 }, [3, 4]],
  steps: [{ type: 'number', multipleOf: 0.1 }, [0.3, 0.25]],
  short: [{ ...text, maxLength: 2 }, ['ab', 'abc', 'éé', '\u{1f600}\u{1f600}\u{1f600}']],
  long: [{ ...text, minLength: 2 }, ['a', '\u{1f600}']],
  both: [{ ...text, maxLength: 1, pattern: '^a' }, ['bb', 'b']],
  code: [{ ...text, pattern: '^[a-z]+$' }, ['abc', 'A', 'a\n']],
  anyCase: [{ ...text, pattern: '(?i)^ſtraße$' }, ['STRASSE', 'Straße', 'straẞe', 'x']],
  word: [{ ...text, pattern: '\\bcat\\b' }, ['a cat!', 'concat']],
  lines: [{ ...text, pattern: '(?m)^b$' }, ['a\nb\nc', 'ab']],
  greek: [{ ...text, pattern: '^\\p{Greek}+[[:digit:]]$' }, ['αβ1', 'ab1']],
  repeated: [{ ...text, pattern: '^(a{2,3}|b+?)*c??$' }, ['aabbb', 'a', 'aaaaac']],
  slow: [{ ...text, pattern: '^(a+)+$' }, [`${'a'.repeat(60)}b`]],
  choice: [{ ...text, enum: ['a', 'b'] }, ['b', 'c', 1]],
  numbers: [{ ...number, enum: [1, 2] }, [2, 3]],
  things: [{ type: 'object', ...PRESERVE, enum: [{ a: 1 }, { b: [2] }] }, [{ a: 1 }, { a: 2 }]],
  list: [
    { type: 'array', items: number, minItems: 1, maxItems: 2 },
    [[], [1], [1, 2, 3], ['x'], {}],
  ],
  set: [
    { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    [['a', 'b'], ['a', 'a', 'a'], [null]],
  ],
  pairs: [
    {
      type: 'array',
      items: {
        type: 'object',
        properties: { a: text, b: { ...number, default: 1 } },
        required: ['a'],
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a', 'b'],
    },
    [[{ a: 'x' }, { a: 'x', b: 2 }], [{ a: 'x' }, { a: 'x', b: 1 }], [{ b: 1 }], ['x']],
  ],
  map: [{ type: 'object', additionalProperties: number }, [{ a: 1 }, { a: 'x' }, { a: null }, []]],
  few: [
    { type: 'object', additionalProperties: text, minProperties: 1, maxProperties: 2 },
    [{}, { a: 'x', b: 'y', c: 'z' }],
  ],
  open: [{ type: 'object', additionalProperties: true }, [{ a: { b: 1 }, c: [{ d: 1 }] }]],
  closed: [{ type: 'object', additionalProperties: false }, [{ a: 1 }, {}]],
  kept: [
    { type: 'object', ...PRESERVE, properties: { a: { type: 'object' } } },
    [{ b: { c: 1 }, a: { d: 1 } }],
  ],
  anything: [PRESERVE, [1, null, [{ a: null }], 'x']],
  object: [
    { type: 'object', required: ['a'], properties: { a: text, b: { ...number, default: 3 } } },
    [{}, { a: 'x' }, { a: 'x', b: null }, { a: null }, { a: 'x', c: 1 }, null],
  ],
  defaulted: [
    { type: 'object', default: { a: 'x' }, properties: { a: text, b: { ...text, default: 'y' } } },
    [{}, null, { a: 'z' }],
  ],
  anyOf: [
    {
      type: 'object',
      properties: { a: text, b: number },
      anyOf: [{ required: ['a'] }, { required: ['b'], properties: { b: { minimum: 3 } } }],
    },
    [{}, { a: 'x' }, { b: 1 }, { b: 3 }],
  ],
  oneOf: [
    {
      type: 'object',
      properties: { a: text, b: number },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    [{}, { a: 'x' }, { a: 'x', b: 1 }],
  ],
  allOf: [{ ...text, allOf: [{ maxLength: 2 }, { pattern: '^a' }] }, ['a', 'b', 'bbb', 'abb']],
  not: [{ ...text, not: { enum: ['a'] } }, ['a', 'b']],
  pod: [
    { ...EMBEDDED, ...PRESERVE },
    [
      {},
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', odd: 1, labels: { 'a b': 'c' } } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 1 } },
      { apiVersion: 1, kind: 'Pod' },
      { apiVersion: '', kind: '' },
      { apiVersion: 'v1', kind: 'F_' },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a/b' }, spec: { a: 1 } },
    ],
  ],
};

/** Formats, each with texts. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  'date-time': [
    '2024-02-30T00:00:00Z',
    '2024-02-29T23:59:60Z',
    '2024-02-29t00:00:00.5+01:00',
    'soon',
  ],
  date: ['2023-02-29', '2024-02-29', '2024-2-1'],
  email: ['a@b', 'a', 'Ann <a@b.c>', 'a b@c', '"a b"@c', 'a..b@c', 'a@[1.2.3.4]', 'a@b.c (x)'],
  uri: [
    'http://a/b?c#d',
    'a',
    '/a',
    'mailto:x',
    'http://a b',
    'http://a:b',
    '//a/b',
    'http://[::1]:80',
    ':a',
    'http://%zz',
  ],
  hostname: ['a.example', '-a', 'a_b', 'exämple.com', 'a.b.c-', '1.2'],
  ipv4: ['1.2.3.4', '01.2.3.4', '1.2.3', '::ffff:1.2.3.4', '::1'],
  ipv6: ['::1', '1.2.3.4', 'fe80::1%a', '1::2::3'],
  cidr: ['10.0.0.0/8', '10.0.0.0/33', 'a/1', '::/0'],
  mac: ['00:00:5e:00:53:01', '00-00-5e-00-53-01', '0000.5e00.5301', '00:00', '00:00-5e:00:53:01'],
  uuid: ['A987FBC9-4BED-3078-CF07-9141BA07C9F3', 'a987fbc94bed3078cf079141ba07c9f3', 'x'],
  uuid3: ['a987fbc9-4bed-3078-cf07-9141ba07c9f3', 'a987fbc9-4bed-4078-8f07-9141ba07c9f3'],
  uuid4: ['a987fbc9-4bed-4078-8f07-9141ba07c9f3', 'a987fbc9-4bed-4078-cf07-9141ba07c9f3'],
  uuid5: ['a987fbc9-4bed-5078-8f07-9141ba07c9f3', 'x'],
  isbn: ['0321751043', '978-0321751041', '1'],
  isbn10: ['0-321-75104-3', '0321751044', '080442957X'],
  isbn13: ['978 0321751041', '9780321751042'],
  creditcard: ['4111-1111-1111-1111', '4111111111111112'],
  ssn: ['111-11-1111', '111111111', '111 11 1111'],
  hexcolor: ['#FFF', 'abcdef', '#ab'],
  rgbcolor: ['rgb(255, 0,1)', 'rgb(256,0,0)'],
  byte: ['AAAA', 'AA==', 'A', ''],
  password: ['x'],
  duration: ['22 ns', '1h30m', '2 hours', '-1.5s', '1y', '', '1 week', '5', '.5h'],
  bsonobjectid: ['507f1f77bcf86cd799439011', 'x'],
  'k8s-short-name': ['a-b', 'A', 'a.b'],
  'k8s-long-name': ['a.b', 'a..b', 'A.b', `${'a.'.repeat(126)}b`, `${'a.'.repeat(126)}bc`],
};

const formats: readonly (readonly [string, readonly [object, readonly unknown[]]])[] =
  Object.entries(FORMATS).map(([format, texts]) => [
    `f_${format.replaceAll('-', '_')}`,
    [{ ...text, format }, [...texts, 5]],
  ]);

function definition(members: readonly (readonly [string, readonly [object, unknown]])[]): object {
  const properties = Object.fromEntries(members.map(([name, [schema]]) => [name, schema]));
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', properties },
                status: { type: 'object', properties: { size: { ...number, minimum: 0 } } },
              },
            },
          },
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.size',
              statusReplicasPath: '.status.size',
              labelSelectorPath: '.status.selector',
            },
          },
        },
      ],
    },
  };
}

function casesOf(
  name: string,
  members: readonly (readonly [string, readonly [object, readonly unknown[]]])[],
  more: Partial<RuleCases>,
): RuleCases {
  const changes = members.flatMap(([member, [, values]]) =>
    values.map((value): Change => ({ [`spec.${member}`]: value })),
  );
  return {
    title: `example.com/v1 Widget, ${name}`,
    collection,
    before: [
      {
        collection: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        object: definition(members) as Record<string, unknown>,
        makes: collection,
      },
    ],
    base: { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { name: 'base' }, spec: {} },
    ...more,
    creates: [...changes, ...(more.creates ?? [])],
  };
}

const METADATA: readonly Change[] = [
  { 'metadata.labels': { a: 1 } },
  { 'metadata.labels': [] },
  { 'metadata.finalizers': 'x' },
  { 'metadata.finalizers': ['a', 'a.b', 'example.com/x', 'orphan', 'a b'] },
  { 'metadata.creationTimestamp': 'x' },
  { 'metadata.odd': 1 },
  { 'metadata.ownerReferences': [{ name: 'x' }] },
  { 'metadata.generation': 'x' },
  { odd: 1, 'spec.odd': { a: 1 } },
  { kind: 'Other' },
  { apiVersion: 'other/v1' },
  { spec: 'x' },
  { spec: [] },
  { spec: null },
  { status: { size: 'x' } },
];

export const cases: readonly RuleCases[] = [
  casesOf('values', Object.entries(MEMBERS), { creates: METADATA }),
  casesOf('formats', formats, {}),
  casesOf('scale', [['size', [number, [-1, 0, 2 ** 31, 2 ** 31 - 1, 1.5, 'x', null]]]], {
    base: {
      apiVersion: `${GROUP}/v1`,
      kind: 'Widget',
      metadata: { name: 'base' },
      spec: { size: 1 },
    },
    updates: [{ 'spec.size': -1 }, { 'spec.size': 2 }, { spec: undefined }, { 'spec.odd': 1 }],
    statuses: [
      { status: { size: -1 } },
      { status: { size: 'x' } },
      { status: { size: 1 } },
      { status: { odd: 1 } },
      { 'spec.size': 2 },
      { status: 'x' },
    ],
  }),
];
