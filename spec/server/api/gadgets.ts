export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** The spec of a gadget. */
export const GADGET = { apiVersion: 'h3.example.com/v1', kind: 'Gadget' };
export const GADGETS = '/apis/h3.example.com/v1';

const spec = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    mode: { type: 'string', enum: [] },
  },
};
const status = { type: 'object', properties: { replicas: { type: 'integer' } } };

/** A custom resource with both subresources, as it was created at kube-apiserver to record its answers. */
export const gadgets: object = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.h3.example.com' },
  spec: {
    group: 'h3.example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
      },
    ],
  },
};
