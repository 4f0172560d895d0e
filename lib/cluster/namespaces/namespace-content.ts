import type { Client } from '../../client/rest/client.ts';
import type { ApiResource } from '../../client/rest/discovery/api-resource.ts';
import type { ResourceClient } from '../../client/rest/resource-client.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { isApiError, isNotFound } from '../../meta/failure/failures.ts';
import type { KubernetesObject, UnstructuredObject } from '../../meta/object.ts';
import { groupResource } from '../../meta/resource.ts';

/** The content of a namespace that remains after all of it was deleted. */
export interface RemainingContent {
  /** The number of objects by resource, as `pods.` and `deployments.apps`. */
  readonly resources: ReadonlyMap<string, number>;
  /** The number of objects that each finalizer keeps. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** The failed lists and deletions. */
  readonly failures: readonly string[];
}

/** Resources that are emptied side by side. */
const SIDE_BY_SIDE = 8;
const PODS = 'pods';

/** One version of each resource with namespaces whose objects can be deleted. */
export function deletableResources(all: readonly ApiResource[]): readonly ApiResource[] {
  const byName = new Map<string, ApiResource>();
  for (const resource of all) {
    const name = groupResource(resource);
    if (!resource.namespaced || !resource.supports('delete') || byName.has(name)) continue;
    byName.set(name, resource);
  }
  return [...byName.values()];
}

/**
 * Asks every object of a namespace to go, and counts what is left. Pods are the first: while there are some, nothing else is deleted,
 * because they may need it for their end.
 * @see kubernetes pkg/controller/namespace/deletion/namespaced_resources_deleter.go @ v1.36.3
 */
export async function deleteContent(
  client: Client,
  namespace: string,
  resources: readonly ApiResource[],
  signal: AbortSignal,
): Promise<RemainingContent> {
  const content = new Content(client, namespace, signal);
  const isPods = (one: ApiResource): boolean => groupResource(one) === PODS;
  await content.empty(resources.filter(isPods));
  if (content.resources.size === 0 && content.failures.length === 0) {
    await content.empty(resources.filter((one) => !isPods(one)));
  }
  return content;
}

class Content implements RemainingContent {
  readonly resources: Map<string, number> = new Map();
  readonly finalizers: Map<string, number> = new Map();
  readonly failures: string[] = [];
  readonly #client: Client;
  readonly #namespace: string;
  readonly #signal: AbortSignal;

  constructor(client: Client, namespace: string, signal: AbortSignal) {
    this.#client = client;
    this.#namespace = namespace;
    this.#signal = signal;
  }

  async empty(resources: readonly ApiResource[]): Promise<void> {
    const waiting = resources.values();
    const work = async (): Promise<void> => {
      for (const resource of waiting) await this.#emptyOne(resource);
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  }

  async #emptyOne(resource: ApiResource): Promise<void> {
    const { apiVersion, resource: plural } = resource;
    const calls = this.#client.resource<UnstructuredObject>(apiVersion, plural, {
      namespace: this.#namespace,
      signal: this.#signal,
    });
    try {
      await this.#delete(resource, calls);
      if (resource.supports('list')) {
        for await (const object of calls.items()) this.#count(resource, object);
      }
    } catch (error) {
      this.#signal.throwIfAborted();
      // A definition that was deleted meanwhile has no objects.
      if (!isNotFound(error)) this.failures.push(errorMessage(error));
    }
  }

  async #delete(resource: ApiResource, calls: ResourceClient<UnstructuredObject>): Promise<void> {
    const propagationPolicy = 'Background';
    if (resource.supports('deletecollection')) {
      try {
        await calls.deleteCollection({ propagationPolicy });
        return;
      } catch (error) {
        if (!isApiError(error) || error.code !== 'METHOD_NOT_ALLOWED') throw error;
      }
    }
    if (!resource.supports('list')) return;
    for await (const { metadata } of calls.items()) {
      await calls.delete(metadata.name, { propagationPolicy, ignoreNotFound: true });
    }
  }

  #count({ resource, group }: ApiResource, { metadata }: KubernetesObject): void {
    add(this.resources, `${resource}.${group}`);
    for (const finalizer of metadata?.finalizers ?? []) add(this.finalizers, finalizer);
  }
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
