import { fieldDuplicate, withDetailOf } from '../../server/registry/rules/field-causes.ts';
import { jsonSyntaxError } from '../../kernel/text/go-json-syntax.ts';
import { goQuote } from '../../server/registry/rules/go-text.ts';
import { isRecord, recordsAt, textAt, textsAt, type JsonRecord } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, required } from '../../server/registry/validation/combine.ts';
import { labelValue } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { parseCidr } from '../../server/registry/validation/addresses/ip-address.ts';
import { legacyCidr } from '../../server/registry/validation/addresses/ip-formats.ts';
import { labelName } from '../../server/registry/validation/label-selector-checks.ts';
import { atLeast, format, oneOf } from '../../server/registry/validation/values.ts';
import { resourceAmounts } from './resource-amounts.ts';

// See pkg/apis/core/validation/validation.go ValidateNode, ValidateNodeUpdate @ v1.36.3.

const TAINTS = 'scheduler.alpha.kubernetes.io/taints';
const AVOID = 'scheduler.alpha.kubernetes.io/preferAvoidPods';

const effect = required(oneOf(['NoSchedule', 'PreferNoSchedule', 'NoExecute']));

const taint: Check = fields({
  key: labelName,
  value: (value, path, report) => {
    const problems = typeof value === 'string' ? labelValue(value) : [];
    if (problems.length > 0) report.invalid(path, value, problems.join(';'));
  },
  effect,
});

const taints: Check = (list, path, report) => {
  if (!Array.isArray(list)) return;
  const seen = new Set<string>();
  for (const [index, one] of (list as readonly JsonRecord[]).entries()) {
    const place = `${path}[${index}]`;
    taint(one, place, report);
    const key = `${textAt(one, 'effect')}/${textAt(one, 'key')}`;
    if (seen.has(key)) {
      const cause = fieldDuplicate(place, goForm('core.Taint', one));
      report.add(withDetailOf(cause, 'taints must be unique by key and effect pair'));
    }
    seen.add(key);
  }
};

/** The list in an annotation; its JSON is not checked further than Go would. */
function annotated(key: string, check: Check, place: string): Check {
  return (annotations, path, report) => {
    const text = textAt(annotations, key);
    if (text === '') return;
    const problem = jsonSyntaxError(Buffer.from(text));
    if (problem !== undefined) report.invalid(path + place, key, problem);
    else check(JSON.parse(text), `${path}.${key}`, report);
  };
}

const avoidedPods: Check = (value, path, report) => {
  for (const [index, one] of recordsAt(value, 'preferAvoidPods').entries()) {
    const place = `${path}[${index}].PodSignature`;
    const signature = one['podSignature'];
    const controller = isRecord(signature) ? signature['podController'] : undefined;
    if (!isRecord(controller)) report.required(place);
    else if (controller['controller'] !== true) {
      const detail = 'must point to a controller';
      report.invalid(`${place}.PodController.Controller`, false, detail);
    }
  }
};

const annotations: Check = all(
  annotated(TAINTS, taints, ''),
  annotated(AVOID, avoidedPods, '.AvoidPods'),
);

const LONGEST_FEATURE = 253;
const FEATURE = /^[A-Z][a-zA-Z0-9]*(?:\/[a-zA-Z][a-zA-Z0-9]*)*$/;

function featureProblem(name: string): string | undefined {
  const start = `invalid feature name ${goQuote(name)}: must`;
  if (name.length > LONGEST_FEATURE) return `${start} be no more than 253 characters`;
  if (FEATURE.test(name)) return undefined;
  return `${start} start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`;
}

const declaredFeatures: Check = (list, path, report) => {
  if (!Array.isArray(list)) return;
  const names = list as readonly string[];
  for (const [index, name] of names.entries()) {
    const problem = featureProblem(name);
    if (problem !== undefined) report.invalid(`${path}[${index}]`, name, problem);
    const next = names[index + 1];
    const place = `${path}[${index + 1}]`;
    if (next === name) report.duplicate(place, next);
    else if (next !== undefined && name > next) {
      report.invalid(place, next, 'list must be sorted alphabetically');
    }
  }
};

const families: Check = (list, path, report) => {
  const texts = Array.isArray(list) ? (list as readonly string[]) : [];
  if (texts.length < 2) return;
  const known = texts.map((text) => parseCidr(text)?.address.family);
  const isDual = known.includes(4) && known.includes(6) && !known.includes(undefined);
  if (isDual && texts.length === 2) return;
  report.invalid(path, texts, 'may specify no more than one CIDR for each IP family');
};

const resources: Check = fields({
  capacity: resourceAmounts('.'),
  allocatable: resourceAmounts('.'),
});

const aboveZero = atLeast(1, 'must be greater than zero');

/** The rules of creations, which updates of the node itself have as well. */
export const nodeChecks: Check = all(
  fields({ metadata: fields({ annotations }) }),
  (node, _path, report) => {
    taints(recordsAt(node, 'spec', 'taints'), 'metadata.taints', report);
  },
  fields({ status: resources }),
  (node, _path, report) => {
    const [info] = [isRecord(node) && isRecord(node['status']) ? node['status'] : {}];
    const swap = isRecord(info['nodeInfo']) ? info['nodeInfo']['swap'] : undefined;
    if (isRecord(swap)) {
      aboveZero(swap['capacity'], 'metadata.nodeSwapStatus.capacity', report);
    }
  },
  fields({
    status: fields({ declaredFeatures }),
    spec: fields({ podCIDRs: all(each(format(legacyCidr)), families) }),
  }),
);

const addresses: Check = (list, path, report) => {
  const seen = new Set<string>();
  for (const [index, one] of (Array.isArray(list) ? list : []).entries()) {
    const key = `${textAt(one, 'type')}/${textAt(one, 'address')}`;
    if (seen.has(key)) report.duplicate(`${path}[${index}]`, goForm('core.NodeAddress', one));
    seen.add(key);
  }
};

const assignedOnce: Check = (spec, path, report, old) => {
  const before = textsAt(old, 'podCIDRs');
  const now = textsAt(spec, 'podCIDRs');
  const changes =
    before.length === now.length ? before.filter((one, index) => one !== now[index]).length : 1;
  for (let at = 0; before.length > 0 && at < changes; at += 1) {
    const detail = 'node updates may not change podCIDR except from "" to valid';
    report.forbidden(`${path}.podCIDRs`, detail);
  }
  const provider = textAt(old, 'providerID');
  if (provider !== '' && provider !== textAt(spec, 'providerID')) {
    if (report.isSince('providerIdChangesNamed')) {
      const change = textAt(spec, 'providerID') === '' ? 'cleared' : 'modified';
      return report.invalid(`${path}.providerID`, null, `field cannot be ${change} once set`);
    }
    const detail = 'node updates may not change providerID except from "" to valid';
    report.forbidden(`${path}.providerID`, detail);
  }
};

/** The rules of updates, through the node or its status. */
export const nodeUpdateChecks: Check = all(
  fields({
    metadata: fields({ annotations }),
    status: all(resources, fields({ declaredFeatures, addresses })),
    spec: assignedOnce,
  }),
  (node, _path, report) => {
    taints(recordsAt(node, 'spec', 'taints'), 'metadata.taints', report);
  },
  fields({
    spec: fields({
      externalID: (value, path, report, old) => {
        if ((value ?? '') !== (old ?? '')) report.forbidden(path, 'may not be updated');
      },
    }),
  }),
);
