import { isRecord, textAt, textsAt } from '../../../meta/json-value.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { each, fields, requiredFor } from '../../../server/registry/validation/combine.ts';
import { dnsLabel, dnsSubdomain, labelValue } from '../../../server/registry/validation/formats.ts';
import {
  labelName,
  labelSelector,
} from '../../../server/registry/validation/label-selector-checks.ts';
import { format } from '../../../server/registry/validation/values.ts';
import { podCheck } from '../report/pod-report.ts';
import { within } from '../report/small-checks.ts';
import { hasWrongAffinitySelectors, hasWrongNodeValues } from './stored-selectors.ts';
import { checkLabelKeys } from './label-keys.ts';

// See pkg/apis/core/validation/validation.go validateAffinity @ v1.36.3.

const NOT_AN_OPERATOR = 'not a valid selector operator';
const value = format(labelValue);

/** One expression of a node selector; the values of preferences may be wrong. */
export function nodeRequirement(strictValues: boolean): Check {
  return (requirement, path, report) => {
    const operator = textAt(requirement, 'operator');
    const values = textsAt(requirement, 'values');
    const at = `${path}.values`;
    if (operator === 'In' || operator === 'NotIn') {
      const rule = "must be specified when `operator` is 'In' or 'NotIn'";
      if (values.length === 0) report.required(at, rule);
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      const rule = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      if (values.length > 0) report.forbidden(at, rule);
    } else if (operator === 'Gt' || operator === 'Lt') {
      const rule = "must be specified single value when `operator` is 'Lt' or 'Gt'";
      if (values.length !== 1) report.required(at, rule);
    } else report.invalid(`${path}.operator`, operator, NOT_AN_OPERATOR);
    labelName(isRecord(requirement) ? requirement['key'] : '', `${path}.key`, report);
    if (!strictValues) return;
    for (const [index, one] of values.entries()) value(one, `${at}[${index}]`, report);
  };
}

const nodeNames = each(format(dnsSubdomain));

/** One expression about the fields of a node, of which only the name can be asked for. */
const nodeField: Check = (requirement, path, report) => {
  const operator = textAt(requirement, 'operator');
  const values = textsAt(requirement, 'values');
  const key = textAt(requirement, 'key');
  if (operator === 'In' || operator === 'NotIn') {
    const rule =
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    if (values.length !== 1) report.required(`${path}.values`, rule);
  } else report.invalid(`${path}.operator`, operator, NOT_AN_OPERATOR);
  if (key !== 'metadata.name') {
    report.invalid(`${path}.key`, key, 'not a valid field selector key');
  } else nodeNames(values, `${path}.values`, report);
};

function nodeTerm(strictValues: boolean): Check {
  return fields({
    matchExpressions: each(nodeRequirement(strictValues)),
    matchFields: each(nodeField),
  });
}

/** The nodes that a pod, or a volume, needs. */
export function nodeSelector(strictValues: boolean): Check {
  return fields({
    nodeSelectorTerms: requiredFor(
      'must have at least one node selector term',
      each(nodeTerm(strictValues)),
    ),
  });
}

const strictNodes = nodeSelector(true);
const looseNodes = nodeSelector(false);
const inRange = within(1, 100, 'must be in the range 1-100');

const weight: Check = (given, path, report) => {
  inRange(given ?? 0, path, report);
};

const nodeAffinity: Check = fields({
  requiredDuringSchedulingIgnoredDuringExecution: podCheck((given, path, pod) => {
    const check = hasWrongNodeValues(pod.content.oldSpec) ? looseNodes : strictNodes;
    if (isRecord(given)) check(given, path, pod);
  }),
  preferredDuringSchedulingIgnoredDuringExecution: each(
    fields({ weight, preference: nodeTerm(false) }),
  ),
});

const strictSelector = labelSelector();
const looseSelector = labelSelector({ strictValues: false });
const namespace = format(dnsLabel);

const podTerm: Check = podCheck((term, path, pod) => {
  if (!isRecord(term)) return;
  const selector = hasWrongAffinitySelectors(pod.content.oldSpec) ? looseSelector : strictSelector;
  selector(term['labelSelector'], `${path}.labelSelector`, pod);
  selector(term['namespaceSelector'], `${path}.namespaceSelector`, pod);
  for (const name of textsAt(term, 'namespaces')) namespace(name, `${path}.namespace`, pod);
  checkLabelKeys(term, path, pod);
  if (textAt(term, 'topologyKey') === '') pod.required(`${path}.topologyKey`, 'can not be empty');
  labelName(term['topologyKey'], `${path}.topologyKey`, pod);
});

const podAffinity: Check = fields({
  requiredDuringSchedulingIgnoredDuringExecution: each(podTerm),
  preferredDuringSchedulingIgnoredDuringExecution: each(
    fields({ weight, podAffinityTerm: podTerm }),
  ),
});

export const affinity: Check = fields({
  nodeAffinity,
  podAffinity,
  podAntiAffinity: podAffinity,
});
