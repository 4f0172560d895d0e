import type { KubernetesObject } from '../../meta/object.ts';
import type { RowCells } from '../../server/registry/contract/kind-rules.ts';
import { ageOf } from '../../server/registry/rules/duration.ts';
import { recordAt, textAt, valueAt } from '../../meta/json-value.ts';
import { isLeaving, lengthAt, namedRow } from './row-cells.ts';

function claimState(claim: KubernetesObject): string {
  const states = isLeaving(claim) ? ['deleted'] : [];
  if (recordAt(claim, 'status', 'allocation') !== undefined) {
    states.push('allocated');
    if (lengthAt(claim, 'status', 'reservedFor') > 0) states.push('reserved');
  } else if (!isLeaving(claim)) {
    states.push('pending');
  }
  return states.join(',');
}

export const resourceClaimCells: RowCells = namedRow((claim) => [claimState(claim)]);

export const resourceSliceCells: RowCells = namedRow((slice) => [
  textAt(slice, 'spec', 'nodeName'),
  textAt(slice, 'spec', 'driver'),
  textAt(slice, 'spec', 'pool', 'name'),
]);

export const deviceTaintRuleCells: RowCells = namedRow((rule, nowMs) => {
  const taint = recordAt(rule, 'spec', 'taint');
  const added = valueAt(taint, 'timeAdded');
  return [
    textAt(taint, 'key'),
    textAt(taint, 'value'),
    textAt(taint, 'effect'),
    added === undefined ? '' : ageOf(added, nowMs),
  ];
});
