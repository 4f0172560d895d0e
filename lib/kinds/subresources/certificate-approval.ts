import type { RestStorage } from '../../server/registry/contract/rest-storage.ts';
import type { UpdateStrategy } from '../../server/registry/contract/strategy.ts';
import type { SubresourceParts } from '../../server/registry/contract/subresource-parts.ts';
import { timestampOf } from '../../server/registry/rules/duration.ts';
import {
  recordAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { partialUpdate } from './partial-update.ts';

/**
 * `certificatesigningrequests/NAME/approval`: the conditions Approved and Denied, and all others.
 * @see pkg/registry/certificates/certificates/strategy.go csrApprovalStrategy @ 24a394e
 */
export function certificateApproval(
  { store }: SubresourceParts,
  validateUpdate: UpdateStrategy['validateUpdate'],
): RestStorage {
  return partialUpdate(store, { ...approvalStrategy, validateUpdate });
}

const approvalStrategy: Omit<UpdateStrategy, 'validateUpdate'> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForUpdate(request, existing, { nowMs }) {
    request['spec'] = existing['spec'];
    const conditions = recordsAt(request, 'status', 'conditions');
    const status: JsonRecord = { ...recordAt(existing, 'status') };
    if (conditions.length === 0) delete status['conditions'];
    else status['conditions'] = datedConditions(conditions, existing, nowMs);
    request['status'] = status;
  },
};

/** Times of conditions that the client has left out: those of the stored condition, or now. */
export function datedConditions(
  conditions: readonly JsonRecord[],
  existing: MutableObject,
  nowMs: number,
): JsonRecord[] {
  const now = timestampOf(nowMs);
  const before = recordsAt(existing, 'status', 'conditions');
  return conditions.map((condition) => {
    const old = before.find((one) => textAt(one, 'type') === textAt(condition, 'type'));
    const same = textAt(old, 'status') === textAt(condition, 'status');
    const transition = same ? textAt(old, 'lastTransitionTime') : '';
    return {
      ...condition,
      lastUpdateTime: textAt(condition, 'lastUpdateTime') || now,
      lastTransitionTime: textAt(condition, 'lastTransitionTime') || transition || now,
    };
  });
}
