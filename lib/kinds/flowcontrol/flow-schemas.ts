import {
  isRecord,
  jsonEqual,
  textAt,
  numberAt,
  recordAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import {
  checkedBy,
  type Check,
  type Report,
  causesOf,
} from '../../server/registry/validation/check.ts';
import {
  all,
  each,
  fields,
  isEmpty,
  required,
  requiredFor,
  unique,
} from '../../server/registry/validation/combine.ts';
import { dnsLabel, dnsSubdomain, prefixed } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { format, atLeast, between } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { newStatusStrategy, type UpdateStrategy } from '../../server/registry/contract/strategy.ts';

/** The conditions of a status: each has a type of its own. */
const statusConditions: Check = fields({
  conditions: all(
    unique((one) => (isRecord(one) ? (one['type'] ?? '') : one), 'type'),
    each(fields({ type: required() })),
  ),
});

const checks = fields({ status: statusConditions });

const flowStatusStrategy: UpdateStrategy = newStatusStrategy({
  keepMetadata: true,
  validateUpdate: (object, existing, policy) => causesOf(checks, object, existing, policy),
});

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
    if (detail !== undefined) report.invalid(`${path}.${name}`, number, detail);
  };
  const length = numberAt(value, 'queueLengthLimit');
  if (length <= 0) wrong('queueLengthLimit', length, POSITIVE);
  if (queues <= 0) wrong('queues', queues, POSITIVE);
  else if (queues > MOST_QUEUES) {
    wrong('queues', queues, `must not be greater than ${MOST_QUEUES}`);
  }
  wrong('handSize', hand, handProblem(hand, queues));
};

/** A part that belongs to one type is refused for an unknown one. */
function refusePart(part: unknown, path: string, report: Report): void {
  if (part === undefined || !report.isSince('levelPartsOfUnknownType')) return;
  report.forbidden(path, '');
}

const limitResponse: Check = (value, path, report) => {
  const type = textAt(value, 'type');
  const given = isRecord(value) ? value['queuing'] : undefined;
  const place = `${path}.queuing`;
  if (type === '') {
    report.required(`${path}.type`);
    return refusePart(given, place, report);
  }
  const about = 'if limited.limitResponse.type is';
  if (type === 'Reject') {
    if (given !== undefined) report.forbidden(place, `must be nil ${about} not Limited`);
  } else if (type !== 'Queue') {
    report.notSupported(`${path}.type`, type, ['Queue', 'Reject']);
    refusePart(given, place, report);
  } else if (given === undefined) {
    report.required(place, `must not be empty ${about} Limited`);
  } else queuing(given, place, report);
};

/** The limits of a level of another type: the declared rules look at their response all the same. */
function refuseLimits(limits: unknown, path: string, report: Report): void {
  if (limits === undefined || !report.isSince('levelPartsOfUnknownType')) return;
  const response = recordAt(limits, 'limitResponse');
  const type = textAt(response, 'type');
  const place = `${path}.limitResponse`;
  if (type !== 'Queue') refusePart(response?.['queuing'], `${place}.queuing`, report);
  else if (response?.['queuing'] === undefined) report.required(`${place}.queuing`);
  if (type === '') report.required(`${place}.type`);
}

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
    report.invalid(`${path}.type`, type, detail);
  }
  const { limited: whenLimited, exempt: whenExempt } = spec;
  if (isExempt) {
    if (whenLimited !== undefined) {
      report.forbidden(`${path}.limited`, 'must be nil if the type is not Limited');
    }
    exempt(whenExempt, `${path}.exempt`, report);
    refuseLimits(whenLimited, `${path}.limited`, report);
  } else if (type === 'Limited') {
    if (whenExempt !== undefined) {
      report.forbidden(`${path}.exempt`, 'must be nil if the type is Limited');
    }
    if (whenLimited === undefined) {
      report.required(`${path}.limited`, 'must not be empty when type is Limited');
    } else limited(whenLimited, `${path}.limited`, report);
  } else {
    if (type === '') report.required(`${path}.type`);
    else report.notSupported(`${path}.type`, type, ['Exempt', 'Limited']);
    refusePart(whenLimited, `${path}.limited`, report);
    refuseLimits(whenLimited, `${path}.limited`, report);
  }
};

/** The specs of the levels that every server has; the members of `exempt` may be set. */
const MANDATORY_LEVELS: Readonly<Record<string, object>> = {
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

const mandatoryLevel: Check = (spec, path, report) => {
  const name = textAt(report.object, 'metadata', 'name');
  if (!isRecord(spec) || !Object.hasOwn(MANDATORY_LEVELS, name)) return;
  const { exempt: _free, ...fixed } = spec;
  if (jsonEqual(name === 'exempt' ? fixed : spec, MANDATORY_LEVELS[name])) return;
  const but = name === 'exempt' ? " except the 'spec.exempt' field" : '';
  const shown = goForm('flowcontrol.PriorityLevelConfigurationSpec', spec);
  report.invalid(path, shown, `spec of '${name}'${but} must equal the fixed value`);
};

const RESERVED = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

const annotations: Check = (value, path, report) => {
  if (!isRecord(value) || !Object.hasOwn(value, RESERVED)) return;
  report.forbidden(path, `annotation '${RESERVED}' is forbidden`);
};

export const priorityLevelConfigurations: KindRules = {
  group: 'flowcontrol.apiserver.k8s.io',
  resource: 'prioritylevelconfigurations',
  strategy: checkedBy(
    fields({
      metadata: fields({ annotations }),
      spec: all(byType, mandatoryLevel),
      status: statusConditions,
    }),
  ),
  statusStrategy: flowStatusStrategy,
};

const MOST_PRECEDENCE = 10_000;

const precedence: Check = (value, path, report) => {
  if (typeof value !== 'number') return;
  const wrong = (detail: string): void => report.invalid(path, value, detail);
  if (value <= 0) wrong('must be a positive value');
  if (value > MOST_PRECEDENCE) wrong(`must not be greater than ${MOST_PRECEDENCE}`);
  if (value === 1 && nameOf(report) !== 'exempt') {
    wrong("only the schema named 'exempt' may have matchingPrecedence 1");
  }
};

function nameOf({ object }: Report): string {
  return textAt(object, 'metadata', 'name');
}

const distinguisher: Check = (value, path, report) => {
  if (!isRecord(value)) return;
  const methods = ['ByNamespace', 'ByUser'];
  if (methods.includes(textAt(value, 'type'))) return;
  const shown = goForm('flowcontrol.FlowDistinguisherMethod', value);
  report.notSupported(`${path}.type`, shown, methods);
};

const account = fields({
  name: required((name, path, report) => {
    if (name !== '*') format(dnsSubdomain)(name, path, report);
  }),
  namespace: requiredFor('must specify namespace for service account', format(dnsLabel)),
});
const named = fields({ name: required() });

/** The member of a subject of each kind, in the order in which the others are refused. */
const MEMBERS: readonly (readonly [kind: string, member: string, check: Check])[] = [
  ['ServiceAccount', 'serviceAccount', account],
  ['User', 'user', named],
  ['Group', 'group', named],
];

const subject: Check = (value, path, report) => {
  if (!isRecord(value)) return;
  const own = MEMBERS.find(([kind]) => kind === value['kind']);
  if (own === undefined) {
    const kinds = ['Group', 'ServiceAccount', 'User'];
    return report.notSupported(`${path}.kind`, value['kind'] ?? '', kinds);
  }
  const [kind, member, check] = own;
  const given = value[member];
  if (given !== undefined) check(given, `${path}.${member}`, report);
  else {
    const detail = `${member} is required when subject kind is '${kind}'`;
    report.required(`${path}.${member}`, detail);
  }
  for (const [otherKind, other] of MEMBERS) {
    if (other === member || value[other] === undefined) continue;
    const detail = `${other} is forbidden when subject kind is not '${otherKind}'`;
    report.forbidden(`${path}.${other}`, detail);
  }
};

/** A list whose `*` stands alone, and whose other items are checked. */
function wildcards(whenEmpty: string, others: string, items?: Check): Check {
  return (value, path, report) => {
    if (!Array.isArray(value) || value.length === 0) {
      report.required(path, whenEmpty);
    } else if (!value.includes('*')) items?.(value, path, report);
    else if (value.length > 1) {
      const detail = `if '*' is present, must not specify other ${others}`;
      report.invalid(path, value, detail);
    }
  };
}

const VERBS = 'create delete deletecollection get list patch proxy update watch'.split(' ');

const verbs = wildcards('verbs must contain at least one value', 'verbs', (value, path, report) => {
  if ((value as readonly string[]).every((verb) => VERBS.includes(verb))) return;
  report.notSupported(path, value, VERBS);
});

const NAMESPACE = "each member of this list must be '*' or a DNS-1123 label; ";
const namespaces = wildcards(
  'resource rules that are not cluster scoped must supply at least one namespace',
  'namespaces',
  each(format(prefixed(NAMESPACE, dnsLabel))),
);

const resourceRule: Check = all(
  fields({
    verbs,
    apiGroups: wildcards('resource rules must supply at least one api group', 'api groups'),
    resources: wildcards('resource rules must supply at least one resource', 'resources'),
  }),
  (rule, path, report) => {
    const { clusterScope, namespaces: given } = rule as JsonRecord;
    if (clusterScope === true && isEmpty(given)) return;
    namespaces(given, `${path}.namespaces`, report);
  },
);

/** The fault of a URL, without a rule for those of `*`. */
function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const stars = url.split('*').length - 1;
  if (stars > 1 || (stars === 1 && !url.endsWith('/*')))
    return 'wildcard can only do suffix matching';
  return undefined;
}

const urls = wildcards(
  'nonResourceURLs must contain at least one value',
  'non-resource URLs',
  each((url, path, report) => {
    const problem = typeof url === 'string' ? urlProblem(url) : undefined;
    if (problem !== undefined) report.invalid(path, url, problem);
  }),
);

const rule: Check = all(
  fields({ subjects: requiredFor('subjects must contain at least one value', each(subject)) }),
  (value, path, report) => {
    const { resourceRules, nonResourceRules } = value as JsonRecord;
    if (!isEmpty(resourceRules) || !isEmpty(nonResourceRules)) return;
    const detail = 'at least one of resourceRules and nonResourceRules has to be non-empty';
    report.required(path, detail);
  },
  fields({
    resourceRules: each(resourceRule),
    nonResourceRules: each(fields({ verbs, nonResourceURLs: urls })),
  }),
);

const everybody = {
  subjects: ['system:unauthenticated', 'system:authenticated'].map((name) => ({
    kind: 'Group',
    group: { name },
  })),
  resourceRules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] },
  ],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

/** The specs of the schemas that every server has. @see apiserver pkg/apis/flowcontrol/bootstrap @ v0.36.3 */
const MANDATORY: Readonly<Record<string, object>> = {
  exempt: {
    priorityLevelConfiguration: { name: 'exempt' },
    matchingPrecedence: 1,
    rules: [
      {
        ...everybody,
        subjects: [{ kind: 'Group', group: { name: 'system:masters' } }],
      },
    ],
  },
  'catch-all': {
    priorityLevelConfiguration: { name: 'catch-all' },
    matchingPrecedence: MOST_PRECEDENCE,
    distinguisherMethod: { type: 'ByUser' },
    rules: [everybody],
  },
};

const mandatory: Check = (spec, path, report) => {
  const name = nameOf(report);
  if (!Object.hasOwn(MANDATORY, name) || jsonEqual(spec, MANDATORY[name])) return;
  const detail = `spec of '${name}' must equal the fixed value`;
  report.invalid(path, goForm('flowcontrol.FlowSchemaSpec', spec), detail);
};

/** @see pkg/apis/flowcontrol/validation ValidateFlowSchema @ v1.36.3 */
export const flowSchemas: KindRules = {
  group: 'flowcontrol.apiserver.k8s.io',
  resource: 'flowschemas',
  strategy: checkedBy(
    fields({
      spec: all(
        fields({
          matchingPrecedence: precedence,
          distinguisherMethod: distinguisher,
          priorityLevelConfiguration: fields({
            name: requiredFor('must reference a priority level', format(dnsSubdomain)),
          }),
          rules: each(rule),
        }),
        mandatory,
      ),
      status: statusConditions,
    }),
  ),
  statusStrategy: flowStatusStrategy,
};
