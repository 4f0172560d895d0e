import { newStatusStrategy, type UpdateStrategy } from '../../server/registry/contract/strategy.ts';
import { isRecord } from '../../meta/json-value.ts';
import { causesOf, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, required, unique } from '../../server/registry/validation/combine.ts';

/** The conditions of a status: each has a type of its own. */
export const statusConditions: Check = fields({
  conditions: all(
    unique((one) => (isRecord(one) ? (one['type'] ?? '') : one), 'type'),
    each(fields({ type: required() })),
  ),
});

const checks = fields({ status: statusConditions });

export const flowStatusStrategy: UpdateStrategy = newStatusStrategy({
  keepMetadata: true,
  validateUpdate: (object, existing) => causesOf(checks, object, existing),
});
