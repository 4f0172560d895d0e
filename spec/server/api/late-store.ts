import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import type {
  RangeRequest,
  RangeResponse,
  TxnRequest,
  TxnResponse,
} from '../../../lib/server/mvcc/contract/key-value-store.ts';

/** A store whose cluster is down at first. */
export class LateStore extends EmbeddedKeyValueStore {
  down = true;

  override async range(request: RangeRequest): Promise<RangeResponse> {
    if (this.down) throw new ListwatchError('STORE_UNAVAILABLE', 'etcd did not answer');
    return await super.range(request);
  }
}

/** A store whose cluster does not answer each second write in time, at first. It carries out half of these. */
export class SlowStore extends EmbeddedKeyValueStore {
  unanswered = 0;

  override async txn(request: TxnRequest): Promise<TxnResponse> {
    this.#writes += 1;
    if (this.#writes > SLOW_WRITES || this.#writes % 2 === 0) return await super.txn(request);
    this.unanswered += 1;
    if (this.unanswered % 2 === 0) await super.txn(request);
    const error = new ListwatchError('STORE_UNAVAILABLE', 'etcd did not answer a write');
    throw Object.assign(error, { outcome: 'unknown' });
  }

  #writes = 0;
}

const SLOW_WRITES = 60;
