import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import type {
  RangeRequest,
  RangeResponse,
} from '../../../lib/server/mvcc/contract/key-value-store.ts';

/** A store whose cluster is down at first. */
export class LateStore extends EmbeddedKeyValueStore {
  down = true;

  override async range(request: RangeRequest): Promise<RangeResponse> {
    if (this.down) throw new ListwatchError('STORE_UNAVAILABLE', 'etcd did not answer');
    return await super.range(request);
  }
}
