import type { Client } from '../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';

/** One server, with a namespace for all cases. */
export interface World {
  readonly client: Client;
  readonly namespace: string;
  /** The warnings of the server since the case began. */
  readonly warnings: readonly string[];
}

export interface VerbCase {
  readonly title: string;
  /** The result of the client: it has to be the same on both servers. Errors are part of it by `outcome`. */
  run(world: World): Promise<unknown>;
}

export type Json = Readonly<Record<string, unknown>>;

/** An object of any kind, to be changed field by field. */
export interface Thing extends UnstructuredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string } & NonNullable<UnstructuredObject['metadata']>;
  readonly [field: string]: unknown;
}

export type Things = ResourceClient<Thing>;

export function within({ namespace }: World): { readonly namespace: string } {
  return { namespace };
}

export function maps({ client, namespace }: World): Things {
  return client.resource<Thing>('v1', 'configmaps', { namespace });
}

export function deployments({ client, namespace }: World): Things {
  return client.resource<Thing>('apps/v1', 'deployments', { namespace });
}

export function pods({ client, namespace }: World): Things {
  return client.resource<Thing>('v1', 'pods', { namespace });
}

export function map(name: string, data: Json = { a: '1' }, metadata: Json = {}): Thing {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

export function deployment(name: string, spec: Json = {}): Thing {
  const labels = { app: name };
  const containers = [{ name: 'web', image: 'web:1' }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
      ...spec,
    },
  };
}

export function pod(name: string, metadata: Json = {}): Thing {
  const containers = [{ name: 'web', image: 'web:1' }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec: { containers } };
}

/** The result of a call that may fail: its value, or its error. */
export async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    return errorOf(error);
  }
}

/** Errors of the client whose messages do not depend on other kinds that a server has, or on time. */
const OWN_WORDS: ReadonlySet<string> = new Set(['INVALID_OPTION', 'KEY', 'MANIFEST_INVALID']);

/** The parts of an error that a program reads. */
export function errorOf(error: unknown): unknown {
  if (!(error instanceof Error)) return { thrown: String(error) };
  const { code, causes, conflicts, remedy, status } = error as Error & Json;
  if (status !== undefined)
    return { error: code, causes, conflicts, remedy, said: (status as Json)['message'] };
  return {
    error: code ?? error.name,
    ...(OWN_WORDS.has(String(code)) ? { said: error.message } : {}),
  };
}
