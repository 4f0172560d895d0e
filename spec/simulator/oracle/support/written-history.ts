import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import type { KeyValue } from '../../../../lib/server/mvcc/contract/key-value-store.ts';
import { ClusterHistory } from '../../../../lib/simulator/record/cluster-history.ts';

const FIRST = 10n;
const encoder = new TextEncoder();

/** Config maps of the namespace `default`, as a store commits them. */
export class WrittenHistory {
  readonly history: ClusterHistory;
  nowMs = 0;
  readonly #stored = new Map<string, KeyValue>();
  #revision = FIRST;

  constructor() {
    this.history = new ClusterHistory([], String(FIRST), () => this.nowMs);
  }

  /** Creates or changes a config map; returns it as the server would give it. */
  put(name: string, labels: Readonly<Record<string, string>> = {}): KubernetesObject {
    this.#revision += 1n;
    const key = `/registry/configmaps/default/${name}`;
    const metadata = { name, namespace: 'default', uid: name, labels };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    const previous = this.#stored.get(key);
    const kv: KeyValue = {
      key,
      value: encoder.encode(JSON.stringify(object)),
      createRevision: previous?.createRevision ?? this.#revision,
      modRevision: this.#revision,
      version: (previous?.version ?? 0n) + 1n,
      lease: 0n,
    };
    this.#stored.set(key, kv);
    this.history.commit([{ type: 'put', kv, previous }], 'user');
    return { ...object, metadata: { ...metadata, resourceVersion: String(this.#revision) } };
  }

  /** Deletes a config map; returns its last state, with the version of the deletion. */
  delete(name: string): KubernetesObject {
    this.#revision += 1n;
    const key = `/registry/configmaps/default/${name}`;
    const previous = this.#stored.get(key) as KeyValue;
    this.#stored.delete(key);
    const kv = { ...previous, value: new Uint8Array(), modRevision: this.#revision };
    this.history.commit([{ type: 'delete', kv, previous }], 'user');
    const metadata = { name, namespace: 'default', resourceVersion: String(this.#revision) };
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  }

  get version(): string {
    return String(this.#revision);
  }
}
