import type { Client, Controller, ControllerOptions, KubernetesObject } from 'listwatch';

/** The object that the operators of this folder serve: a database with a secret and a version. */
export interface Database extends KubernetesObject {
  readonly spec: { readonly version: number };
  readonly status?: { readonly secret?: string; readonly version?: number };
}

export interface DatabaseTypes {
  'example.com/v1/databases': Database;
}

/** The namespace of the jobs. An ownerReference cannot name an owner in another namespace, so databases do not own them. */
export const JOBS = 'jobs';

/** An operator, right or wrong. */
export type DatabaseOperator = (
  client: Client<DatabaseTypes>,
  options?: ControllerOptions,
) => Controller<Database, DatabaseTypes>;

const version = { type: 'integer', minimum: 1 };
const properties = {
  spec: { type: 'object', required: ['version'], properties: { version } },
  status: { type: 'object', properties: { version, secret: { type: 'string' } } },
};

export const DEFINITION: object = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'databases.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'databases', kind: 'Database' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties } },
      },
    ],
  },
};
