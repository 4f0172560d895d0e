import type { SharedInformerFactory } from '../../cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../client/rest/client.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { Latch } from '../../kernel/time/latch.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
} from '../../types/built-in/core-v1-kinds.ts';
import type { StorageClass } from '../../types/built-in/storage-v1-kinds.ts';
import { LazyCollection } from './lazy-collection.ts';
import {
  type Claim,
  isBound,
  isMeantFor,
  SELECTED_NODE,
  type Volume,
  type VolumeChoice,
  type VolumeLookup,
} from './model/pod-volumes.ts';

const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';

export interface VolumeBinderOptions {
  readonly client: Client;
  readonly informers: SharedInformerFactory;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
  /** Claims of this namespace have changed, or volumes or classes. */
  readonly onChange: (namespace: string | undefined) => void;
}

/** A pod that waits for its volumes. */
interface Wait {
  readonly latch: Latch;
  /** Whether they are there, or no pod waits for them any more. @throws {ListwatchError} they will not be. */
  readonly look: () => boolean;
  failure: Error | undefined;
}

/**
 * Claims, volumes and classes as the scheduler knows them, and the writes by which a controller of volumes learns what was chosen.
 *
 * Not as in kube-scheduler: a pod waits for its volumes without a limit of time.
 * @see pkg/scheduler/framework/plugins/volumebinding/binder.go @ v1.37.2
 */
export class VolumeBinder implements VolumeLookup, AsyncDisposable {
  readonly #options: VolumeBinderOptions;
  readonly #claims: LazyCollection<PersistentVolumeClaim>;
  readonly #volumes: LazyCollection<PersistentVolume>;
  readonly #classes: LazyCollection<StorageClass>;
  /** Volumes whose choice is not seen yet, with the uid of their claim. */
  readonly #chosen = new Map<string, string>();
  readonly #waits = new Set<Wait>();

  constructor(options: VolumeBinderOptions) {
    this.#options = options;
    const { informers, onChange } = options;
    const changed = (namespace: string | undefined): void => {
      this.lookAgain();
      onChange(namespace);
    };
    this.#claims = new LazyCollection({
      open: () => informers.for('v1', 'persistentvolumeclaims'),
      onChange: (claim) => changed(claim?.metadata.namespace),
    });
    this.#volumes = new LazyCollection({
      open: () => informers.for('v1', 'persistentvolumes'),
      onChange: () => changed(undefined),
    });
    this.#classes = new LazyCollection({
      open: () => informers.for('storage.k8s.io/v1', 'storageclasses'),
      onChange: () => changed(undefined),
    });
  }

  /** Whether claims, volumes and classes are known. If not, they will be. */
  get isKnown(): boolean {
    const all = [this.#claims, this.#volumes, this.#classes];
    return all.map(({ isKnown }) => isKnown).every(Boolean);
  }

  claim(namespace: string, name: string): Claim | undefined {
    return this.#claims.get(`${namespace}/${name}`);
  }

  volume(name: string): Volume | undefined {
    return this.#volumes.get(name);
  }

  volumes(): readonly Volume[] {
    return this.#volumes.list();
  }

  storageClass(name: string): StorageClass | undefined {
    return name === '' ? undefined : this.#classes.get(name);
  }

  chosenFor(volume: string): string | undefined {
    return this.#chosen.get(volume);
  }

  /** No other pod gets these volumes until `release`. */
  choose({ bindings }: VolumeChoice): void {
    for (const { volume, claim } of bindings) {
      this.#chosen.set(volume.metadata.name, claim.metadata.uid);
    }
  }

  /** The choice is written, or there is none any more. */
  release({ bindings }: VolumeChoice): void {
    for (const { volume } of bindings) this.#chosen.delete(volume.metadata.name);
  }

  /** After a change that may end a wait. */
  lookAgain(): void {
    for (const wait of this.#waits) settle(wait);
  }

  /**
   * Writes the choice, and resolves when the claims are bound, or no pod wants it any more.
   * @throws {ListwatchError} they will not be bound. {ApiError} a write was refused.
   */
  async bind(
    { bindings, provisions }: VolumeChoice,
    node: string,
    isWanted: () => boolean,
  ): Promise<void> {
    for (const { volume, claim } of bindings) await this.#bindVolume(volume, claim);
    for (const claim of provisions) await this.#selectNode(claim, node);
    await this.#until(() => !isWanted() || this.#areBound({ bindings, provisions }, node));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [this.#claims, this.#volumes, this.#classes];
    await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
  }

  async #bindVolume(volume: Volume, claim: Claim): Promise<void> {
    const { client, signal } = this.#options;
    const { name, namespace, uid, resourceVersion } = claim.metadata;
    const reference = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid };
    const marks = isMeantFor(volume, claim) ? {} : { [BOUND_BY_CONTROLLER]: 'yes' };
    await client.resource('v1', 'persistentvolumes', { signal }).patch(volume.metadata.name, {
      metadata: { resourceVersion: volume.metadata.resourceVersion, annotations: marks },
      spec: { claimRef: { ...reference, resourceVersion } },
    });
  }

  async #selectNode({ metadata }: Claim, node: string): Promise<void> {
    const { client, informers, signal } = this.#options;
    const { name, namespace, uid, annotations } = metadata;
    if (annotations?.[SELECTED_NODE] === node) return;
    const claims = client.resource('v1', 'persistentvolumeclaims', { namespace, signal });
    const patch = { metadata: { uid, annotations: { [SELECTED_NODE]: node } } };
    // Shown at once: the wait that follows reads it.
    informers.for('v1', 'persistentvolumeclaims').written(await claims.patch(name, patch));
  }

  async #until(look: Wait['look']): Promise<void> {
    const { runtime, signal } = this.#options;
    const latch = new Latch('volumes of a pod');
    const wait: Wait = { latch, look, failure: undefined };
    this.#waits.add(wait);
    try {
      settle(wait);
      await untilOpen(runtime, [latch], { signal, describe: () => latch.name });
      if (wait.failure !== undefined) throw wait.failure;
    } finally {
      this.#waits.delete(wait);
    }
  }

  #areBound({ bindings, provisions }: VolumeChoice, node: string): boolean {
    for (const { claim: chosen } of [...bindings, ...provisions.map((claim) => ({ claim }))]) {
      const { name, namespace = '' } = chosen.metadata;
      const claim = this.claim(namespace, name);
      if (claim === undefined)
        throw failed('NOT_FOUND', `persistentvolumeclaim "${name}" not found`);
      const isProvision = provisions.includes(chosen);
      if (isProvision && claim.metadata.annotations?.[SELECTED_NODE] !== node) {
        throw failed('CONFLICT', `provisioning failed for PVC "${name}"`);
      }
      if (!isBound(claim)) return false;
    }
    return true;
  }
}

function settle(wait: Wait): void {
  try {
    if (!wait.look()) return;
  } catch (error) {
    wait.failure = error instanceof Error ? error : new Error(String(error));
  }
  wait.latch.open();
}

function failed(code: 'NOT_FOUND' | 'CONFLICT', text: string): ListwatchError {
  return new ListwatchError(code, `binding volumes: ${text}`);
}
