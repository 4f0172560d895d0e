import { kind, withSpec, type ApplyKind } from './apply-kind.ts';
import { object, oneOf, someOf, texts, type Values } from './values.ts';

export const CUSTOM_GROUP = 'applies.example.com';

const text = { type: 'string' };
const number = { type: 'integer' };

function listOf(items: object, more: object): object {
  return { type: 'array', items, ...more };
}

const listMap = { 'x-kubernetes-list-type': 'map' };
const part = {
  type: 'object',
  required: ['name', 'port'],
  properties: {
    name: text,
    port: number,
    zone: { ...text, default: 'z' },
    value: text,
    tags: listOf(text, { 'x-kubernetes-list-type': 'set' }),
  },
};

const spec = {
  type: 'object',
  properties: {
    replicas: number,
    size: { ...number, default: 1 },
    color: text,
    parts: listOf(part, { ...listMap, 'x-kubernetes-list-map-keys': ['name', 'port'] }),
    zones: listOf(part, { ...listMap, 'x-kubernetes-list-map-keys': ['zone'] }),
    tags: listOf(text, { 'x-kubernetes-list-type': 'set' }),
    numbers: listOf(number, { 'x-kubernetes-list-type': 'set' }),
    steps: listOf(part, { 'x-kubernetes-list-type': 'atomic' }),
    plain: listOf(text, {}),
    whole: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { a: text, b: text },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    names: { type: 'object', additionalProperties: text },
    deep: { type: 'object', properties: { inner: { type: 'object', properties: { leaf: text } } } },
  },
};

const status = {
  type: 'object',
  properties: {
    replicas: number,
    conditions: listOf(
      {
        type: 'object',
        required: ['type'],
        properties: { type: text, status: text, reason: text, message: text },
      },
      { ...listMap, 'x-kubernetes-list-map-keys': ['type'] },
    ),
  },
};

/** The definition of the custom kind; a run establishes it first. */
export const CUSTOM_DEFINITION: object = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${CUSTOM_GROUP}` },
  spec: {
    group: CUSTOM_GROUP,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
    ],
  },
};

const item = (name: string, port: number): Values =>
  object(
    { name: oneOf(name), port: oneOf(port) },
    { zone: oneOf('x', 'y'), value: oneOf('1', '2'), tags: someOf(oneOf('p'), oneOf('q')) },
  );
const condition = (type: string): Values =>
  object({ type: oneOf(type) }, { status: oneOf('True', 'False'), reason: oneOf('a', 'b') });

export const customKind: ApplyKind = kind(
  `${CUSTOM_GROUP}/v1`,
  'Widget',
  'widgets',
  withSpec(
    {},
    {
      replicas: oneOf(1, 2, 3),
      size: oneOf(1, 2),
      color: oneOf('red', 'blue'),
      parts: someOf(item('a', 1), item('a', 2), item('b', 1)),
      zones: someOf(item('a', 1)),
      tags: someOf(oneOf('a'), oneOf('b'), oneOf('c')),
      numbers: someOf(oneOf(1), oneOf(2)),
      steps: someOf(item('a', 1), item('a', 1)),
      plain: someOf(oneOf('a'), oneOf('a'), oneOf('b')),
      whole: object({}, { a: oneOf('1', '2'), b: oneOf('1') }),
      free: oneOf({ x: { y: 1 } }, { x: { z: [1, 2] } }, { x: 'text' }, {}),
      names: texts('a', 'b', 'c'),
      deep: oneOf({ inner: { leaf: 'x' } }, { inner: {} }, {}),
    },
  ),
  {
    strategic: false,
    scale: true,
    status: object(
      {},
      { replicas: oneOf(1, 2), conditions: someOf(condition('A'), condition('B')) },
    ),
  },
);
