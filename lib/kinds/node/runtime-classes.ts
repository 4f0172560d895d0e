import { deprecatedNodeLabel } from '../../server/registry/rules/deprecated-node-labels.ts';
import { isRecord, recordAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, required, entries } from '../../server/registry/validation/combine.ts';
import {
  dnsLabel,
  qualifiedName,
  decimalInteger,
  labelValue,
} from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { labelMap } from '../../server/registry/validation/label-selector-checks.ts';
import { format, immutable } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import {
  isWholeQuantity,
  nonNegativeQuantity,
} from '../../server/registry/validation/quantity-checks.ts';

const EFFECTS: readonly unknown[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const LARGEST_INT64 = 2n ** 63n;

interface TolerationOptions {
  /** Whether `Lt` and `Gt` may be used. @defaultValue false */
  readonly comparisons?: boolean | undefined;
}

/** @see pkg/apis/core/validation ValidateTolerations @ v1.36.3 */
function tolerations({ comparisons = false }: TolerationOptions = {}): Check {
  return each((toleration, path, report) => {
    if (!isRecord(toleration)) return;
    const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
    const wrong = (name: string, bad: unknown, detail: string): void =>
      report.invalid(`${path}.${name}`, bad, detail);
    if (key !== '') for (const problem of qualifiedName(String(key))) wrong('key', key, problem);
    else if (operator !== 'Exists') {
      const detail =
        'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      wrong('operator', operator, detail);
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      wrong('effect', effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (operator === '' || operator === 'Equal') {
      const problems = labelValue(String(value));
      if (problems.length > 0) wrong('operator', value, problems.join(';'));
    } else if (operator === 'Exists') {
      if (value !== '') wrong('operator', value, "value must be empty when `operator` is 'Exists'");
    } else if (operator === 'Lt' || operator === 'Gt') {
      if (comparisons)
        for (const problem of integerProblems(String(value))) wrong('value', value, problem);
      else report.notSupported(`${path}.operator`, operator, ['Equal', 'Exists', 'Lt', 'Gt']);
    } else report.notSupported(`${path}.operator`, operator, ['Equal', 'Exists']);
    if (effect === '' || EFFECTS.includes(effect)) return;
    report.notSupported(`${path}.effect`, effect, EFFECTS);
  });
}

/** Faults of a number of 64 bits, in the words of Go's `strconv.ParseInt`. */
function integerProblems(text: string): readonly string[] {
  const problems = [...decimalInteger(text)];
  const parsing = `strconv.ParseInt: parsing ${JSON.stringify(text)}`;
  if (!/^[+-]?\d+$/.test(text)) problems.push(`${parsing}: invalid syntax`);
  else {
    const number = BigInt(text.replace('+', ''));
    const fits = number < LARGEST_INT64 && number >= -LARGEST_INT64;
    if (!fits) problems.push(`${parsing}: value out of range`);
  }
  return problems;
}

const OF_CONTAINERS: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];
/** Names without a domain that are known elsewhere. See pkg/apis/core/helper standardResources @ v1.36.3. */
const STANDARD = new Set(
  `${OF_CONTAINERS.join(' ')} requests.cpu requests.memory requests.ephemeral-storage limits.cpu limits.memory limits.ephemeral-storage
  pods resourcequotas services replicationcontrollers secrets configmaps persistentvolumeclaims storage requests.storage
  services.nodeports services.loadbalancers`.split(/\s+/),
);

const name: Check = (key, path, report) => {
  const text = String(key);
  const wrong = (detail: string): void => report.invalid(path, text, detail);
  const problems = qualifiedName(text);
  for (const problem of problems) wrong(problem);
  const isPlain = !text.includes('/');
  const isHuge = text.startsWith('hugepages-');
  if (isPlain) {
    if (problems.length === 0 && !STANDARD.has(text) && !isHuge) {
      wrong('must be a standard resource type or fully qualified');
    }
    if (!OF_CONTAINERS.includes(text) && !isHuge)
      wrong('must be a standard resource for containers');
  } else if (!text.includes('kubernetes.io/') && !isExtended(text)) {
    wrong("doesn't follow extended resource name standard");
  }
};

function isExtended(text: string): boolean {
  if (!text.includes('/') || text.includes('kubernetes.io/')) return false;
  return !text.startsWith('requests.') && qualifiedName(`requests.${text}`).length === 0;
}

const WHOLE = new Set(
  'pods resourcequotas services replicationcontrollers secrets configmaps persistentvolumeclaims services.nodeports services.loadbalancers'.split(
    ' ',
  ),
);

const amount: Check = (value, path, report) => {
  const resource = path.slice(path.indexOf('[') + 1, -1);
  const counted = WHOLE.has(resource) || isExtended(resource);
  if (counted && !isWholeQuantity(value)) report.invalid(path, value, 'must be an integer');
};

/** Resources and their amounts, as the limits of a container. @see pkg/apis/core/validation @ v1.36.3 */
const overheadResources: Check = entries({
  key: name,
  value: all(nonNegativeQuantity, amount),
});

const uniqueTolerations: Check = (list, path, report) => {
  const seen = new Set<string>();
  each((one, place) => {
    const { key = '', operator = '', value = '', effect = '' } = isRecord(one) ? one : {};
    const text = JSON.stringify([key, operator, value, effect]);
    if (seen.has(text)) report.duplicate(place, goForm('core.Toleration', one));
    seen.add(text);
  })(list, path, report);
};

/** @see pkg/apis/node/validation ValidateRuntimeClass @ v1.36.3 */
const checks = all(
  fields({
    handler: required(format(dnsLabel)),
    // Overhead is checked as the limits of a container, and its path says so.
    overhead: (overhead, path, report) =>
      overheadResources(recordAt(overhead, 'podFixed'), `${path}.limits`, report),
    scheduling: fields({
      nodeSelector: labelMap,
      tolerations: all(tolerations(), uniqueTolerations),
    }),
  }),
  fields({ handler: immutable }),
);

export const runtimeClasses: KindRules = {
  group: 'node.k8s.io',
  resource: 'runtimeclasses',
  strategy: {
    ...checkedBy(checks),
    warnings: (runtimeClass) =>
      Object.keys(recordAt(runtimeClass, 'scheduling', 'nodeSelector') ?? {}).flatMap((key) => {
        const message = deprecatedNodeLabel(key);
        return message === undefined ? [] : [`scheduling.nodeSelector: ${message}`];
      }),
  },
};
