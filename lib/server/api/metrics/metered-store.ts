import type { MetricLabels, Metrics } from '../../../kernel/report/metrics.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type {
  KeyValueStatus,
  KeyValueStore,
  KeyValueWatch,
  KeyValueWatchRequest,
  Lease,
  RangeRequest,
  RangeResponse,
  Revision,
  TxnRequest,
  TxnResponse,
} from '../../mvcc/contract/key-value-store.ts';
import { apiServerMetrics } from './api-server-metrics.ts';

export interface MeteredStoreOptions {
  readonly store: KeyValueStore;
  readonly group: string;
  readonly resource: string;
  readonly runtime: Pick<Runtime, 'monotonicMs'>;
  readonly metrics: Metrics;
}

type Operation = 'get' | 'list' | 'create' | 'update' | 'delete';

const { storageRequests, storageErrors, storageDuration } = apiServerMetrics;

/**
 * A key-value store whose reads and writes for one resource are measured. It passes the promises of the store on as they are, so
 * that nothing is later than without it.
 */
export class MeteredStore implements KeyValueStore {
  readonly #options: MeteredStoreOptions;
  readonly #labels = new Map<Operation, MetricLabels>();

  constructor(options: MeteredStoreOptions) {
    this.#options = options;
  }

  get supportsProgress(): boolean {
    return this.#options.store.supportsProgress;
  }

  range(request: RangeRequest): Promise<RangeResponse> {
    const operation = request.rangeEnd === undefined ? 'get' : 'list';
    return this.#measured(operation, this.#options.store.range(request));
  }

  txn(request: TxnRequest): Promise<TxnResponse> {
    return this.#measured(operationOf(request), this.#options.store.txn(request));
  }

  watch(request: KeyValueWatchRequest): Promise<KeyValueWatch> {
    return this.#options.store.watch(request);
  }

  compact(revision: Revision): Promise<void> {
    return this.#options.store.compact(revision);
  }

  leaseGrant(ttlSeconds: number): Promise<Lease> {
    return this.#options.store.leaseGrant(ttlSeconds);
  }

  leaseRevoke(leaseId: bigint): Promise<void> {
    return this.#options.store.leaseRevoke(leaseId);
  }

  status(): Promise<KeyValueStatus> {
    return this.#options.store.status();
  }

  close(): Promise<void> {
    return this.#options.store.close();
  }

  #labelsOf(operation: Operation): MetricLabels {
    const known = this.#labels.get(operation);
    if (known !== undefined) return known;
    const { group, resource } = this.#options;
    const made = Object.freeze({ operation, group, resource });
    this.#labels.set(operation, made);
    return made;
  }

  /** Without a wait of its own: the reports are a side line. */
  #measured<T>(operation: Operation, work: Promise<T>): Promise<T> {
    const labels = this.#labelsOf(operation);
    const beganMs = this.#options.runtime.monotonicMs();
    work.then(
      () => {
        this.#report(labels, beganMs);
      },
      () => {
        this.#report(labels, beganMs);
        this.#options.metrics.count(storageErrors.name, 1, labels);
      },
    );
    return work;
  }

  #report(labels: MetricLabels, beganMs: number): void {
    const { runtime, metrics } = this.#options;
    metrics.count(storageRequests.name, 1, labels);
    metrics.observe(storageDuration.name, (runtime.monotonicMs() - beganMs) / 1000, labels);
  }
}

function operationOf({ compare, success }: TxnRequest): Operation {
  const [first] = success;
  if (first === undefined || first.type === 'range') return 'get';
  if (first.type === 'delete') return 'delete';
  const isNew = compare.some(({ target, operand }) => target === 'modRevision' && operand === 0n);
  return isNew ? 'create' : 'update';
}
