import assert from 'node:assert/strict';
import { sleep } from '../../kernel/time/wait.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type {
  GetListOptions,
  StorageInterface,
} from '../../server/storage/contract/storage-interface.ts';
import type { StoredObject } from '../../server/storage/contract/stored-object.ts';
import {
  conformanceKey,
  conformancePod,
  type ConformancePod,
  type PodFields,
} from './conformance-pod.ts';
import type { CountingKeyValueStore } from './counting-key-value-store.ts';
import type { SwitchableTransformer } from './switchable-transformer.ts';
import type { UpstreamStorageTest } from './upstream-storage-tests.ts';

/**
 * One storage to be tested, with the parts below it. Created for each case.
 *
 * @experimental
 */
export interface StorageHarness {
  /** Stores pods under `CONFORMANCE_PREFIX`. */
  readonly storage: StorageInterface<ConformancePod>;
  /** The engine below the storage. */
  readonly store: CountingKeyValueStore;
  /** The transformer of the storage. */
  readonly transformer: SwitchableTransformer;
  readonly runtime: Runtime;
  /** Whether there is a watch cache in front of the engine. */
  readonly cached: boolean;
  /** Makes the cache drop its history before a resource version, as it would after some time. Needed with a cache. */
  readonly forgetHistory?: ((resourceVersion: string) => Promise<void>) | undefined;
  /** Runs a case; a harness in virtual time advances its clock meanwhile. */
  run(work: () => Promise<void>): Promise<void>;
  /** Stops storage and engine. */
  close(): Promise<void>;
}

/** One fact about a storage. Rejects when it does not hold. */
export interface ConformanceCase {
  readonly title: string;
  /** The run-functions of kube-apiserver that check the same fact, or a part of it. */
  readonly upstream: readonly UpstreamStorageTest[];
  /** Left out if the fact holds with and without a cache. */
  readonly only?: 'raw' | 'cached' | undefined;
  /** A feature that the backend must support; see `StorageInterface.supportsProgress`. */
  readonly needs?: 'progress' | undefined;
  readonly check: (storage: StorageUnderTest) => Promise<void>;
}

/** Longest wait until the storage is ready, milliseconds. */
const READY_WITHIN_MS = 60_000;

/** A harness with the calls that most cases make. */
export class StorageUnderTest {
  readonly harness: StorageHarness;
  readonly storage: StorageInterface<ConformancePod>;

  constructor(harness: StorageHarness) {
    this.harness = harness;
    this.storage = harness.storage;
  }

  async create(path: string, fields: PodFields = {}): Promise<StoredObject<ConformancePod>> {
    return await this.storage.create(conformanceKey(path), conformancePod(path, fields));
  }

  /** Moves a pod to another node. */
  async move(path: string, nodeName: string): Promise<StoredObject<ConformancePod>> {
    return await this.storage.guaranteedUpdate(conformanceKey(path), ({ existing }) => ({
      object: { ...existing, spec: { nodeName } },
    }));
  }

  async delete(path: string): Promise<StoredObject<ConformancePod>> {
    return await this.storage.delete(conformanceKey(path));
  }

  /** The present pod; undefined when there is none. */
  async find(path: string): Promise<StoredObject<ConformancePod> | undefined> {
    return await this.storage.get(conformanceKey(path), { ignoreNotFound: true });
  }

  /** `namespace/name@node` of all pods of a list. */
  async names(path: string, options: GetListOptions<ConformancePod> = {}): Promise<string[]> {
    const { items } = await this.storage.getList(conformanceKey(path), options);
    return items.map(describePod);
  }

  /** Writes a key outside the pods; returns the resource version after it. */
  async writeElsewhere(): Promise<string> {
    const put = { type: 'put', key: '/elsewhere', value: Buffer.from('x') } as const;
    const { revision } = await this.harness.store.txn({ compare: [], success: [put] });
    return this.storage.versioner.resourceVersionOf(revision);
  }

  /** Drops the history before a resource version. */
  async compact(resourceVersion: string): Promise<void> {
    await this.harness.store.compact(this.storage.versioner.parseResourceVersion(resourceVersion));
    await this.harness.forgetHistory?.(resourceVersion);
  }

  async sleep(delayMs: number): Promise<void> {
    await sleep(this.harness.runtime, delayMs);
  }

  /**
   * After a read of the newest state: resolves when a list of any state has this many pods. A cache without progress may be behind what the
   * storage below it has answered.
   */
  async whenShown(count: number): Promise<void> {
    if (this.storage.supportsProgress) return;
    const { runtime } = this.harness;
    const deadlineMs = runtime.monotonicMs() + READY_WITHIN_MS;
    while ((await this.names('', { resourceVersion: '0' })).length !== count) {
      assert(runtime.monotonicMs() < deadlineMs, `the cache does not come to ${count} pods`);
      await this.sleep(10);
    }
  }

  /** Resolves when there is no object of this name. A storage may remove an object some time after it has expired. */
  async whenGone(name: string): Promise<void> {
    const { runtime } = this.harness;
    const deadlineMs = runtime.monotonicMs() + READY_WITHIN_MS;
    while ((await this.find(name)) !== undefined) {
      assert(runtime.monotonicMs() < deadlineMs, `${name} is still there`);
      await this.sleep(100);
    }
  }

  async whenReady(): Promise<void> {
    const { runtime } = this.harness;
    const deadlineMs = runtime.monotonicMs() + READY_WITHIN_MS;
    for (;;) {
      try {
        await this.storage.readinessCheck();
        return;
      } catch (error) {
        if (runtime.monotonicMs() > deadlineMs) throw error;
      }
      await this.sleep(10);
    }
  }
}

/** `namespace/name`, or `name`, followed by `@` and the node if there is one. */
export function describePod(stored: StoredObject<ConformancePod>): string {
  const { metadata, spec } = stored.object;
  const node = spec?.nodeName === undefined ? '' : `@${spec.nodeName}`;
  const namespace = metadata?.namespace === undefined ? '' : `${metadata.namespace}/`;
  return `${namespace}${metadata?.name}${node}`;
}

/** A resource version that is no number: kube-apiserver answers 500 to a get and a watch, 400 to a list. */
export const INVALID_VERSION = ['BAD_REQUEST', 'INTERNAL_ERROR'] as const;

/** Expects a rejection with one of the codes, and returns the error. */
export async function rejection(
  work: Promise<unknown>,
  ...codes: readonly string[]
): Promise<Error> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert(error instanceof Error, 'it should have been refused');
  const { code } = error as { code?: string };
  assert(
    codes.includes(code ?? ''),
    `expected ${codes.join(' or ')}, got ${code}: ${error.message}`,
  );
  return error;
}
