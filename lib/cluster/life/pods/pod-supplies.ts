import type { SharedInformerFactory } from '../../../cache/informer/factory/shared-informer-factory.ts';
import type { InformerLease } from '../../../cache/informer/factory/informer-entry.ts';
import type { Client } from '../../../client/rest/client.ts';
import { isNotFound } from '../../../meta/failure/failures.ts';
import { textAt, valueAt } from '../../../meta/json-value.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { LifePod } from './life-pod.ts';
import { podNeeds, type PodNeed } from './pod-needs.ts';

/** The needs of a pod that are not met. */
export interface MissingSupplies {
  /** Why none of its containers starts, as the text of an event. */
  readonly mount: string | undefined;
  /** Why a container does not start, by its name. */
  readonly containers: ReadonlyMap<string, string>;
}

export interface PodSuppliesOptions {
  readonly client: Client;
  readonly informers: SharedInformerFactory;
  /** Something has come that this pod waits for. */
  readonly onSupply: (podKey: string) => void;
}

interface Waiting {
  readonly lease: InformerLease<UnstructuredObject>;
  /** The pods by the keys of the objects that they wait for. */
  readonly pods: Map<string, Set<string>>;
}

const KINDS = {
  configmaps: { noun: 'configmap', kind: 'ConfigMap' },
  secrets: { noun: 'secret', kind: 'Secret' },
  persistentvolumeclaims: { noun: 'persistentvolumeclaim', kind: 'PersistentVolumeClaim' },
} as const;

/** Config maps, secrets and claims that pods need. A resource is watched only while some pod waits for an object of it. */
export class PodSupplies {
  readonly #options: PodSuppliesOptions;
  readonly #waiting = new Map<PodNeed['resource'], Waiting>();

  constructor(options: PodSuppliesOptions) {
    this.#options = options;
  }

  /** Resolves to what is missing; undefined if nothing is. The pod is looked at again when that changes. */
  async missing(
    key: string,
    { metadata, spec }: LifePod,
    signal: AbortSignal,
  ): Promise<MissingSupplies | undefined> {
    const needs = podNeeds(metadata.name, spec);
    if (needs.length === 0) return undefined;
    const { namespace = '' } = metadata as { readonly namespace?: string };
    const unmet = new Set<string>();
    const containers = new Map<string, string>();
    let mount: string | undefined;
    for (const need of needs) {
      if ((await this.#problem(need, namespace, signal)) === undefined) continue;
      this.#wait(need, `${namespace}/${need.name}`, key);
      // It may have come before it was waited for.
      const problem = await this.#problem(need, namespace, signal);
      if (problem === undefined) continue;
      unmet.add(`${need.resource} ${namespace}/${need.name}`);
      if (need.container === undefined) mount ??= mountText(need, problem);
      else if (!containers.has(need.container)) containers.set(need.container, problem);
    }
    // The watch goes on: a new one would begin with the objects that are there, and have the pod looked at for ever.
    this.#forgetOthers(key, unmet);
    return mount === undefined && containers.size === 0 ? undefined : { mount, containers };
  }

  /** The pod does not wait for anything any more. */
  forget(key: string): void {
    if (this.#waiting.size > 0) this.#forgetOthers(key, new Set());
  }

  #forgetOthers(key: string, kept: ReadonlySet<string>): void {
    for (const [resource, { lease, pods }] of this.#waiting) {
      for (const [name, keys] of pods) {
        if (!kept.has(`${resource} ${name}`)) keys.delete(key);
        if (keys.size === 0) pods.delete(name);
      }
      if (pods.size > 0) continue;
      this.#waiting.delete(resource);
      void lease.close();
    }
  }

  async close(): Promise<void> {
    const leases = [...this.#waiting.values()].map(({ lease }) => lease.close());
    this.#waiting.clear();
    await Promise.all(leases);
  }

  async #problem(
    { resource, name, key }: PodNeed,
    namespace: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { client } = this.#options;
    const objects = client.resource<UnstructuredObject>('v1', resource, { namespace, signal });
    const { noun, kind } = KINDS[resource];
    let object: Stored<UnstructuredObject>;
    try {
      object = await objects.get(name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return `${noun} ${JSON.stringify(name)} not found`;
    }
    if (resource === 'persistentvolumeclaims') {
      const isBound = textAt(object, 'status', 'phase') === 'Bound';
      return isBound ? undefined : `error processing PVC ${namespace}/${name}: PVC is not bound`;
    }
    if (key === undefined) return undefined;
    const has = ['data', 'binaryData'].some((part) => valueAt(object, part, key) !== undefined);
    return has ? undefined : `couldn't find key ${key} in ${kind} ${namespace}/${name}`;
  }

  #wait({ resource }: PodNeed, objectKey: string, podKey: string): void {
    const waiting = this.#waiting.get(resource) ?? this.#follow(resource);
    const keys = waiting.pods.get(objectKey) ?? new Set();
    waiting.pods.set(objectKey, keys.add(podKey));
  }

  #follow(resource: PodNeed['resource']): Waiting {
    const { informers, onSupply } = this.#options;
    const lease = informers.acquire<UnstructuredObject>('v1', resource);
    const waiting: Waiting = { lease, pods: new Map() };
    const onChange = ({ key }: { readonly key: string }): void => {
      for (const podKey of waiting.pods.get(key) ?? []) onSupply(podKey);
    };
    const { signal } = lease;
    lease.informer.addHandler({ view: 'key', onAdd: onChange, onUpdate: onChange }, { signal });
    this.#waiting.set(resource, waiting);
    return waiting;
  }
}

function mountText({ resource, volume = '' }: PodNeed, problem: string): string {
  return resource === 'persistentvolumeclaims'
    ? `Unable to attach or mount volumes: unmounted volumes=[${volume}], unattached volumes=[], failed to process volumes=[${volume}]: ${problem}`
    : `MountVolume.SetUp failed for volume ${JSON.stringify(volume)} : ${problem}`;
}
