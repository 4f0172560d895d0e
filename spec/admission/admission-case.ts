import type { Client } from '../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../lib/client/rest/resource-client.ts';
import type { UnstructuredObject } from '../../lib/meta/object.ts';
import type { Answer, Json, Review } from './webhook-process.ts';

/** A webhook of a case; what is left out is filled in. */
export interface HookSpec {
  readonly [field: string]: unknown;
  /** The path at which it is called; also the first part of its name. */
  readonly path: string;
  readonly answer?: Answer | undefined;
}

/** One server, with a namespace for the case. */
export interface World {
  readonly client: Client;
  readonly namespace: string;
  /** The warnings of the server since the case began. */
  readonly warnings: readonly string[];
  readonly origin: string;
  /** Registers mutating webhooks, for requests in the namespace; resolves when the server calls them. */
  mutating(...hooks: readonly HookSpec[]): Promise<void>;
  validating(...hooks: readonly HookSpec[]): Promise<void>;
  /** The requests to the webhook of a path. */
  seen(path: string): readonly Review['request'][];
  /** A name that no other case and run has, for what has no namespace. */
  unique(name: string): string;
  /** Deletes an object without a namespace after the case. */
  remove(apiVersion: string, resource: string, name: string): void;
}

export interface AdmissionCase {
  readonly title: string;
  /** The result of a client: it has to be the same on both servers. */
  run(world: World): Promise<unknown>;
}

export interface Thing extends UnstructuredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string } & NonNullable<UnstructuredObject['metadata']>;
  readonly [field: string]: unknown;
}

export function things(
  { client, namespace }: World,
  apiVersion: string,
  resource: string,
): ResourceClient<Thing> {
  return client.resource<Thing>(apiVersion, resource, { namespace });
}

export function maps(world: World): ResourceClient<Thing> {
  return things(world, 'v1', 'configmaps');
}

export function map(name: string, metadata: Json = {}, data: Json = { a: '1' }): Thing {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

export function pod(name: string, spec: Json = {}, metadata: Json = {}): Thing {
  const containers = [{ name: 'web', image: 'web:1' }];
  const all = { containers, ...spec };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec: all };
}

/** The result of a call that may fail: its value, or the status of its error. */
export async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    const { status } = error as { status?: unknown };
    return { refused: status ?? String(error) };
  }
}

export const MAPS_RULE: Json = {
  operations: ['*'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
};

export function ruleFor(resources: readonly string[], operations: readonly string[]): Json {
  return { ...MAPS_RULE, operations, resources };
}
