import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { isRecord, jsonEqual, numberAt, textAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields } from '../../server/registry/validation/combine.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { atLeast, between } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { flowStatusStrategy, statusConditions } from './flow-status.ts';

const MOST_QUEUES = 10_000_000;
const MOST_HASH_BITS = 60;
const POSITIVE = 'must be positive';

/** Bits to deal a hand without putting cards back. @see apiserver pkg/util/shufflesharding @ v0.36.3 */
function entropyBits(deckSize: number, handSize: number): number {
  return Math.ceil(Math.log2(deckSize) * handSize);
}

function handProblem(hand: number, queues: number): string | undefined {
  if (hand <= 0) return POSITIVE;
  if (hand > queues) return `should not be greater than queues (${queues})`;
  if (entropyBits(queues, hand) <= MOST_HASH_BITS) return undefined;
  return `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${MOST_HASH_BITS}`;
}

const queuing: Check = (value, path, report) => {
  const queues = numberAt(value, 'queues');
  const hand = numberAt(value, 'handSize');
  const wrong = (name: string, number: number, detail: string | undefined): void => {
    if (detail !== undefined) report.add(fieldInvalid(`${path}.${name}`, number, detail));
  };
  const length = numberAt(value, 'queueLengthLimit');
  if (length <= 0) wrong('queueLengthLimit', length, POSITIVE);
  if (queues <= 0) wrong('queues', queues, POSITIVE);
  else if (queues > MOST_QUEUES) {
    wrong('queues', queues, `must not be greater than ${MOST_QUEUES}`);
  }
  wrong('handSize', hand, handProblem(hand, queues));
};

const limitResponse: Check = (value, path, report) => {
  const type = textAt(value, 'type');
  const given = isRecord(value) ? value['queuing'] : undefined;
  if (type === '') return report.add(fieldRequired(`${path}.type`));
  const place = `${path}.queuing`;
  const about = 'if limited.limitResponse.type is';
  if (type === 'Reject') {
    if (given !== undefined) report.add(fieldForbidden(place, `must be nil ${about} not Limited`));
  } else if (type !== 'Queue') {
    report.add(fieldNotSupported(`${path}.type`, type, ['Queue', 'Reject']));
  } else if (given === undefined) {
    report.add(fieldRequired(place, `must not be empty ${about} Limited`));
  } else queuing(given, place, report);
};

const shares = atLeast(0, 'must be a non-negative integer');

const limited = fields({
  nominalConcurrencyShares: shares,
  limitResponse,
  lendablePercent: between(0, 100),
  borrowingLimitPercent: atLeast(0, 'if specified, must be a non-negative integer'),
});

const exempt = fields({ nominalConcurrencyShares: shares, lendablePercent: between(0, 100) });

/** @see pkg/apis/flowcontrol/validation ValidatePriorityLevelConfigurationSpec @ v1.36.3 */
const byType: Check = (spec, path, report) => {
  if (!isRecord(spec)) return;
  const type = textAt(spec, 'type');
  const isExempt = type === 'Exempt';
  if ((textAt(report.object, 'metadata', 'name') === 'exempt') !== isExempt) {
    const detail = "must be 'Exempt' if and only if `name` is 'exempt'";
    report.add(fieldInvalid(`${path}.type`, type, detail));
  }
  const { limited: whenLimited, exempt: whenExempt } = spec;
  if (isExempt) {
    if (whenLimited !== undefined) {
      report.add(fieldForbidden(`${path}.limited`, 'must be nil if the type is not Limited'));
    }
    exempt(whenExempt, `${path}.exempt`, report);
  } else if (type === 'Limited') {
    if (whenExempt !== undefined) {
      report.add(fieldForbidden(`${path}.exempt`, 'must be nil if the type is Limited'));
    }
    if (whenLimited === undefined) {
      report.add(fieldRequired(`${path}.limited`, 'must not be empty when type is Limited'));
    } else limited(whenLimited, `${path}.limited`, report);
  } else if (type === '') report.add(fieldRequired(`${path}.type`));
  else report.add(fieldNotSupported(`${path}.type`, type, ['Exempt', 'Limited']));
};

/** The specs of the levels that every server has; the members of `exempt` may be set. */
const MANDATORY: Readonly<Record<string, object>> = {
  exempt: { type: 'Exempt' },
  'catch-all': {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: 5,
      limitResponse: { type: 'Reject' },
      lendablePercent: 0,
    },
  },
};

const mandatory: Check = (spec, path, report) => {
  const name = textAt(report.object, 'metadata', 'name');
  if (!isRecord(spec) || !Object.hasOwn(MANDATORY, name)) return;
  const { exempt: _free, ...fixed } = spec;
  if (jsonEqual(name === 'exempt' ? fixed : spec, MANDATORY[name])) return;
  const but = name === 'exempt' ? " except the 'spec.exempt' field" : '';
  const shown = goForm('flowcontrol.PriorityLevelConfigurationSpec', spec);
  report.add(fieldInvalid(path, shown, `spec of '${name}'${but} must equal the fixed value`));
};

const RESERVED = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

const annotations: Check = (value, path, report) => {
  if (!isRecord(value) || !Object.hasOwn(value, RESERVED)) return;
  report.add(fieldForbidden(path, `annotation '${RESERVED}' is forbidden`));
};

export const priorityLevelConfigurations: KindRules = {
  group: 'flowcontrol.apiserver.k8s.io',
  resource: 'prioritylevelconfigurations',
  strategy: checkedBy(
    fields({
      metadata: fields({ annotations }),
      spec: all(byType, mandatory),
      status: statusConditions,
    }),
  ),
  statusStrategy: flowStatusStrategy,
};
