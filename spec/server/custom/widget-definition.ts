/** A definition of widgets, and its objects. */

export function version(name: string, more: object = {}): object {
  return {
    name,
    served: true,
    storage: name === 'v1',
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            required: ['size'],
            properties: {
              size: { type: 'integer', minimum: 1, maximum: 10 },
              colour: { type: 'string', enum: ['red', 'blue'], default: 'red' },
              code: { type: 'string', pattern: '^[a-z]+$' },
              parts: {
                type: 'array',
                items: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
              },
            },
          },
          status: { type: 'object', properties: { phase: { type: 'string' } } },
        },
      },
    },
    ...more,
  };
}

export function definition({
  plural = 'widgets',
  kind = 'Widget',
  ...spec
}: {
  readonly plural?: string;
  readonly kind?: string;
  readonly [field: string]: unknown;
} = {}): object {
  return {
    metadata: { name: `${plural}.example.io` },
    spec: {
      group: 'example.io',
      scope: 'Namespaced',
      names: { plural, kind, shortNames: [plural.slice(0, 2)], categories: ['all'] },
      versions: [version('v1', { subresources: { status: {} } })],
      ...spec,
    },
  };
}

export function widget(name: string, spec: object = { size: 3 }): object {
  return { apiVersion: 'example.io/v1', kind: 'Widget', metadata: { name }, spec };
}
