import { del, get, patch, post, put, setup, type Draw } from '../draw.ts';
import type { Step } from '../scenario.ts';
import { TABLE } from './reading.ts';

const GROUP = '{ns}.example.com';
const CRD = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${GROUP}`;
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = `/apis/${GROUP}/v1/namespaces/{ns}/widgets`;

const text = { type: 'string' };
/** Schemas of `spec`, each with specs that it accepts or refuses. */
const SCHEMAS: readonly (readonly [object, readonly unknown[]])[] = [
  [
    {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 9 },
        name: { ...text, maxLength: 5 },
      },
    },
    [
      { size: 3 },
      { size: 0 },
      { size: 10 },
      {},
      { size: 'x' },
      { size: 1.5 },
      { size: 2, name: 'too long' },
      { size: 2, extra: true },
      { size: null },
    ],
  ],
  [
    {
      type: 'object',
      properties: {
        mode: { ...text, enum: ['a', 'b'], default: 'a' },
        on: { type: 'boolean', default: true },
      },
    },
    [{}, { mode: 'b' }, { mode: 'c' }, { mode: null }, { on: 'yes' }, { on: null }, undefined],
  ],
  [
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    [{ any: { thing: [1, 'x', null] } }, {}, 'text', []],
  ],
  [
    {
      type: 'object',
      properties: {
        items: {
          type: 'array',
          maxItems: 2,
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: text, value: { type: 'integer' } },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
      },
    },
    [
      { items: [{ name: 'a' }] },
      { items: [{ name: 'a' }, { name: 'a' }] },
      { items: [{}] },
      { items: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
      { items: {} },
    ],
  ],
  [
    {
      type: 'object',
      properties: {
        set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        port: { 'x-kubernetes-int-or-string': true },
      },
    },
    [{ set: ['a', 'b'] }, { set: ['a', 'a'] }, { port: 80 }, { port: 'http' }, { port: true }],
  ],
  [
    {
      type: 'object',
      properties: {
        when: { ...text, format: 'date-time' },
        mail: { ...text, format: 'email' },
        code: { ...text, pattern: '^[a-z]+$' },
      },
    },
    [
      { when: '2024-01-01T00:00:00Z' },
      { when: 'soon' },
      { mail: 'x' },
      { code: 'ABC' },
      { code: 'abc' },
    ],
  ],
  [
    {
      type: 'object',
      properties: { low: { type: 'integer' }, high: { type: 'integer' } },
      'x-kubernetes-validations': [
        {
          rule: '!has(self.low) || !has(self.high) || self.low <= self.high',
          message: 'low must not be above high',
        },
      ],
    },
    [{ low: 1, high: 2 }, { low: 3, high: 2 }, {}],
  ],
  [
    {
      type: 'object',
      properties: {
        map: { type: 'object', additionalProperties: { type: 'integer' } },
        one: {
          type: 'object',
          oneOf: [{ required: ['a'] }, { required: ['b'] }],
          properties: { a: text, b: text },
        },
      },
    },
    [
      { map: { a: 1 } },
      { map: { a: 'x' } },
      { one: { a: 'x' } },
      { one: {} },
      { one: { a: 'x', b: 'y' } },
    ],
  ],
];

interface Extras {
  readonly status?: boolean;
  readonly scale?: boolean;
  readonly columns?: boolean;
  readonly scope?: string;
  readonly versions?: readonly object[];
  readonly names?: object;
}

function definition(spec: object, extras: Extras = {}): unknown {
  const {
    status = true,
    scale = false,
    columns = false,
    scope = 'Namespaced',
    names = {},
  } = extras;
  const replicas = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec,
          status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
    subresources: { ...(status ? { status: {} } : {}), ...(scale ? { scale: replicas } : {}) },
    ...(columns
      ? {
          additionalPrinterColumns: [
            { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
        }
      : {}),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${GROUP}` },
    spec: {
      group: GROUP,
      scope,
      names: { plural: 'widgets', kind: 'Widget', ...names },
      versions: extras.versions ?? [version],
    },
  };
}

/** Definitions that are refused. */
const BAD_DEFINITIONS: readonly unknown[] = [
  definition({ type: 'object', uniqueItems: true }),
  definition({ properties: { a: text } }),
  definition({ type: 'object', $ref: '#/x' }),
  definition({ type: 'object', properties: { a: text }, additionalProperties: true }),
  definition({ type: 'object', properties: { a: { ...text, pattern: '(' } } }),
  definition({ type: 'object', properties: { a: { type: 'integer', default: 'x' } } }),
  definition({ type: 'object', properties: { a: { type: 'array' } } }),
  definition({
    type: 'object',
    properties: {
      a: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' },
    },
  }),
  definition({ type: 'object', 'x-kubernetes-validations': [{ rule: 'self.nope > 1' }] }),
  definition({ type: 'object', 'x-kubernetes-validations': [{ rule: '1 +' }] }),
  definition({ type: 'thing' }),
  definition({ type: 'object' }, { scope: 'Everywhere' }),
  definition({ type: 'object' }, { versions: [] }),
  definition(
    { type: 'object' },
    {
      versions: [
        {
          name: 'v1',
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
    },
  ),
  definition({ type: 'object' }, { versions: [{ name: 'v1', served: true, storage: true }] }),
  definition(
    { type: 'object' },
    {
      versions: [
        {
          name: 'V1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
    },
  ),
  definition({ type: 'object' }, { names: { plural: 'gadgets' } }),
  definition({ type: 'object' }, { names: { kind: '' } }),
  definition({ type: 'object' }, { names: { shortNames: ['Not Valid'] } }),
];

function widget(name: string, spec: unknown, rest: object = {}): Record<string, unknown> {
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'Widget',
    metadata: { name },
    ...(spec === undefined ? {} : { spec }),
    ...rest,
  };
}

/** A definition, its resource as soon as it is served, and objects of it. */
export function customResources(draw: Draw): readonly Step[] {
  const [schema, specs] = draw.pick(SCHEMAS);
  const extras: Extras = {
    status: draw.chance(0.7),
    scale: draw.chance(0.4),
    columns: draw.chance(0.6),
    names: draw.pick([
      {},
      { shortNames: ['wg'], categories: ['all'] },
      { singular: 'widget', listKind: 'WidgetList' },
    ]),
  };
  const one = `${widgets}/one`;
  const strictness = draw.pick([
    '',
    '?fieldValidation=Strict',
    '?fieldValidation=Warn',
    '?fieldValidation=Ignore',
  ]);
  const good = specs[0];
  const later = draw.some<Step>(
    [
      get(one, { accept: TABLE }),
      get(widgets, { accept: TABLE }),
      get(widgets),
      put(one, widget('one', good)),
      put(one, {
        ...widget('one', good),
        metadata: { name: 'one', resourceVersion: '{rv:3}', labels: { a: 'b' } },
      }),
      patch('merge', one, { spec: draw.pick(specs) }),
      patch('strategic', one, { spec: {} }),
      patch('json', one, [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]),
      patch('merge', one, { status: { size: 3 } }),
      patch('merge', `${one}/status`, { status: { size: 3, phase: 'Ready' } }),
      get(`${one}/status`),
      get(`${one}/scale`),
      patch('merge', `${one}/scale`, { spec: { replicas: 4 } }),
      patch('apply', `${one}?fieldManager=me`, widget('one', good)),
      get(`/apis/${GROUP}/v1`),
      get(`/apis/${GROUP}`),
      get(CRD, { accept: TABLE }),
      get(`${widgets}?fieldSelector=metadata.name%3Done`),
      get(`${widgets}?fieldSelector=spec.size%3D1`),
      get(`${widgets}?watch=1&timeoutSeconds=1&resourceVersion=0`),
      get(`/apis/${GROUP}/v2/namespaces/{ns}/widgets`),
      get(widgets, { accept: 'application/vnd.kubernetes.protobuf' }),
      del(one, { propagationPolicy: 'Foreground' }),
      del(one),
    ],
    6,
  );
  return [
    post(`${CRDS}?dryRun=All`, draw.pick(BAD_DEFINITIONS)),
    post(CRDS, definition(schema, extras)),
    { ...setup(get(widgets)), until: 200 },
    post(widgets, widget('one', good)),
    ...draw
      .some(specs, 3)
      .map((spec, index) => post(`${widgets}${strictness}`, widget(`more-${index}`, spec))),
    post(
      widgets,
      draw.pick([
        widget('Bad_Name', good),
        { ...widget('x', good), kind: 'Other' },
        widget('one', good),
        widget('s', good, { status: { size: 1 } }),
      ]),
    ),
    ...later,
  ];
}
