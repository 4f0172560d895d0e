import { recordAt, textAt, type JsonRecord } from '../../meta/json-value.ts';
import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { timestampOf } from '../../server/registry/rules/duration.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { causesOf, checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { fields } from '../../server/registry/validation/combine.ts';
import { conditionsCheck } from '../../server/registry/validation/condition-checks.ts';
import { csiDriverName } from '../../server/registry/validation/csi-driver-name.ts';
import { labelOf, poolName } from './device-names.ts';
import { deviceTaint } from './devices.ts';

const MOST_CONDITIONS = 8;

function ifSet(check: Check): Check {
  return (value, path, report) => {
    if (value !== undefined) check(value, path, report);
  };
}

/** @see pkg/apis/resource/validation validateDeviceTaintRuleSpec @ v1.37.2 */
const checks = fields({
  spec: fields({
    deviceSelector: fields({
      driver: ifSet(csiDriverName),
      pool: ifSet(poolName),
      device: ifSet(labelOf),
    }),
    taint: (taint, path, report) => deviceTaint(taint ?? {}, path, report),
  }),
});

const deviceTaintRuleStatus: Check = fields({
  conditions: (conditions, path, report) => {
    conditionsCheck(conditions, path, report);
    const count = Array.isArray(conditions) ? conditions.length : 0;
    if (count > MOST_CONDITIONS) report.tooMany(path, count, MOST_CONDITIONS);
  },
});

function setTimeAdded(rule: MutableObject, timeAdded: string): void {
  const spec: JsonRecord = { ...recordAt(rule, 'spec') };
  spec['taint'] = { ...recordAt(spec, 'taint'), timeAdded };
  rule['spec'] = spec;
}

/** Taints of the devices that a selector names. The time of a taint is that of its present effect. */
export const deviceTaintRules: KindRules = {
  group: 'resource.k8s.io',
  resource: 'devicetaintrules',
  statusStrategy: newStatusStrategy({
    keepMetadata: true,
    validateUpdate: (object, existing, policy) =>
      causesOf(fields({ status: deviceTaintRuleStatus }), object, existing, policy),
  }),
  strategy: {
    ...checkedBy(checks),
    prepareForCreate(rule, { nowMs }) {
      if (textAt(rule, 'spec', 'taint', 'timeAdded') === '') setTimeAdded(rule, timestampOf(nowMs));
    },
    prepareForUpdate(rule, existing, { nowMs }) {
      const [taint, before] = [rule, existing].map((one) => recordAt(one, 'spec', 'taint'));
      const time = textAt(taint, 'timeAdded');
      const hasOtherEffect = textAt(taint, 'effect') !== textAt(before, 'effect');
      if (time !== '' && !(hasOtherEffect && time === textAt(before, 'timeAdded'))) return;
      setTimeAdded(rule, timestampOf(nowMs));
    },
  },
};
