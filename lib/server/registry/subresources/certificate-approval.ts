import type { FieldCause } from '../../../meta/failures.ts';
import type { RestStorage } from '../contract/rest-storage.ts';
import type { UpdateStrategy } from '../contract/strategy.ts';
import type { SubresourceParts } from '../contract/subresource-parts.ts';
import { timestampOf } from '../rules/duration.ts';
import { fieldForbidden, fieldNotSupported } from '../rules/field-causes.ts';
import { recordAt, recordsAt, textAt, type JsonRecord } from '../rules/json-value.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import { partialUpdate } from './partial-update.ts';

/** Conditions that stay once they are set. */
const PERMANENT = ['Approved', 'Denied', 'Failed'];

/**
 * `certificatesigningrequests/NAME/approval`: the conditions Approved and Denied.
 * @see pkg/registry/certificates/certificates/strategy.go csrApprovalStrategy @ 24a394e
 */
export function certificateApproval({ store }: SubresourceParts): RestStorage {
  return partialUpdate(store, approvalStrategy);
}

const approvalStrategy: UpdateStrategy = {
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
  validateUpdate: conditionCauses,
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

/** Approved, Denied and Failed stay, and are always true. */
export function conditionCauses(request: MutableObject, existing: MutableObject): FieldCause[] {
  const conditions = recordsAt(request, 'status', 'conditions');
  const causes: FieldCause[] = [];
  for (const [index, condition] of conditions.entries()) {
    const status = textAt(condition, 'status');
    if (PERMANENT.includes(textAt(condition, 'type')) && status !== 'True') {
      causes.push(fieldNotSupported(`status.conditions[${index}].status`, status, ['True']));
    }
  }
  for (const type of PERMANENT) {
    const count = (object: unknown): number =>
      recordsAt(object, 'status', 'conditions').filter((one) => textAt(one, 'type') === type)
        .length;
    if (count(request) < count(existing)) {
      const rule = `updates may not remove a condition of type ${JSON.stringify(type)}`;
      causes.push(fieldForbidden('status.conditions', rule));
    }
  }
  return causes;
}
