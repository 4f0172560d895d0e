/** Two custom resources as they were created at kube-apiserver 1.36.3 to record its OpenAPI documents. */
export const definitions: readonly object[] = [
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'apples.h6.example.com' },
    spec: {
      group: 'h6.example.com',
      scope: 'Namespaced',
      names: { plural: 'apples', singular: 'apple', kind: 'Apple', listKind: 'AppleList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
          },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description: "An apple, 'round': yes",
              required: ['spec'],
              properties: {
                spec: {
                  type: 'object',
                  required: ['a', 'num'],
                  properties: {
                    replicas: { type: 'integer', default: 1 },
                    num: { type: 'integer', nullable: true },
                    a: {
                      type: 'string',
                      enum: ['red', 'green'],
                      'x-kubernetes-validations': [
                        { rule: "self == 'red'", message: 'must: be red' },
                      ],
                    },
                    ios: {
                      'x-kubernetes-int-or-string': true,
                      anyOf: [{ type: 'integer' }, { type: 'string' }],
                      pattern: '^x',
                    },
                    ios2: { 'x-kubernetes-int-or-string': true },
                    obj: {
                      type: 'object',
                      default: { a: 1 },
                      'x-kubernetes-preserve-unknown-fields': true,
                      properties: { q: { type: 'string' } },
                    },
                  },
                },
                m: {
                  type: 'object',
                  additionalProperties: {
                    type: 'array',
                    items: { type: 'string', nullable: true },
                  },
                },
                free: { type: 'object', additionalProperties: true },
                emb: {
                  type: 'object',
                  'x-kubernetes-embedded-resource': true,
                  'x-kubernetes-preserve-unknown-fields': true,
                },
                emb2: {
                  type: 'object',
                  'x-kubernetes-embedded-resource': true,
                  properties: { spec: { type: 'object' } },
                },
                l: {
                  type: 'array',
                  items: { type: 'object', properties: { k: { type: 'string' } }, required: ['k'] },
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['k'],
                },
                one: {
                  type: 'integer',
                  oneOf: [{ multipleOf: 5 }, { multipleOf: 3 }],
                  not: { minimum: 100 },
                  allOf: [{ maximum: 50 }],
                },
                status: { type: 'object', properties: { replicas: { type: 'integer' } } },
              },
            },
          },
          selectableFields: [{ jsonPath: '.spec.a' }],
        },
      ],
    },
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'pears.h6.example.com' },
    spec: {
      group: 'h6.example.com',
      scope: 'Cluster',
      names: { plural: 'pears', singular: 'pear', kind: 'Pears', listKind: 'PearsList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              'x-kubernetes-preserve-unknown-fields': true,
              properties: { spec: { type: 'object' } },
            },
          },
        },
        {
          name: 'v1alpha1',
          served: true,
          storage: false,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
    },
  },
];
