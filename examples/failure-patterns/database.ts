import type { Client, Controller, ControllerOptions, KubernetesObject } from 'listwatch';

/** What the operators of this folder serve: a database with a secret and a version. Its definition is in `databases.yaml`. */
export interface Database extends KubernetesObject {
  readonly spec: { readonly version: number };
  readonly status?: { readonly secret?: string; readonly version?: number };
}

export interface DatabaseTypes {
  'example.com/v1/databases': Database;
}

/** An operator, right or wrong. */
export type DatabaseOperator = (
  client: Client<DatabaseTypes>,
  options?: ControllerOptions,
) => Controller<Database, DatabaseTypes>;
