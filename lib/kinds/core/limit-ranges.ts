import { recordAt, recordsAt, textAt, type JsonRecord } from '../../meta/json-value.ts';
import { checkedBy, type Check, type Report } from '../../server/registry/validation/check.ts';
import { qualifiedName } from '../../server/registry/validation/formats.ts';
import { compareQuantities, nanosOf } from '../../server/registry/validation/quantity-checks.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { containerResource, isNative, resourceName } from './resource-amounts.ts';

// See pkg/apis/core/validation/validation.go ValidateLimitRange @ v1.36.3.

const TYPES = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);
const MILLI = 1_000_000n;
const UNIT = 1_000_000_000n;
/** Above it, amounts are compared as whole numbers. */
const LARGEST_MILLI = (2n ** 63n - 1n) / 1000n;

function typeProblems(type: string): readonly string[] {
  const problems = qualifiedName(type);
  if (problems.length > 0 || type.includes('/') || TYPES.has(type)) return problems;
  return ['must be a standard limit type or fully qualified'];
}

type Amounts = Readonly<Record<string, JsonRecord>>;

const MEMBERS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

const limit = (item: JsonRecord, path: string, report: Report): void => {
  const type = textAt(item, 'type');
  const ofContainers = type === 'Pod' || type === 'Container';
  const amounts: Record<string, JsonRecord> = {};
  for (const member of MEMBERS) {
    const given = recordAt(item, member) ?? {};
    if (member === 'maxLimitRequestRatio' && type === 'PersistentVolumeClaim') {
      checkStorage(amounts, path, report);
    }
    if (type === 'Pod' && member.startsWith('default')) {
      const detail = "may not be specified when `type` is 'Pod'";
      if (Object.keys(given).length > 0) report.forbidden(`${path}.${member}`, detail);
      continue;
    }
    amounts[member] = given;
    const nameCheck = ofContainers ? containerResource : resourceName;
    for (const name of Object.keys(given)) nameCheck(name, `${path}.${member}[${name}]`, report);
  }
  const names = new Set(Object.values(amounts).flatMap((given) => Object.keys(given)));
  for (const name of names) checkAmounts(name, amounts, path, report);
};

function checkStorage({ min = {}, max = {} }: Amounts, path: string, report: Report): void {
  if (Object.hasOwn(min, 'storage') || Object.hasOwn(max, 'storage')) return;
  const detail = 'either minimum or maximum storage value is required, but neither was provided';
  report.required(`${path}.limits`, detail);
}

/** Pairs of limits in which the first must not be greater, with their places and names. */
const ORDER = [
  ['min', 'max', 'min', 'min', 'min', 'max'],
  ['min', 'defaultRequest', 'defaultRequest', 'defaultRequest', 'min', 'default request'],
  ['defaultRequest', 'max', 'defaultRequest', 'defaultRequest', 'default request', 'max'],
  [
    'defaultRequest',
    'default',
    'defaultRequest',
    'defaultRequest',
    'default request',
    'default limit',
  ],
  ['min', 'default', 'default', 'min', 'min', 'default'],
  ['default', 'max', 'default', 'max', 'default', 'max'],
] as const;

function checkAmounts(name: string, amounts: Amounts, path: string, report: Report): void {
  const of = (member: string): string | undefined => textAt(amounts[member], name) || undefined;
  for (const [less, more, place, shown, lessWord, moreWord] of ORDER) {
    const [one, other] = [of(less), of(more)];
    if (one === undefined || other === undefined || compareQuantities(one, other) <= 0) continue;
    const detail = `${lessWord} value ${one} is greater than ${moreWord} value ${other}`;
    report.invalid(`${path}.${place}[${name}]`, of(shown), detail);
  }
  checkRatio(`${path}.maxLimitRequestRatio[${name}]`, of, report);
  const [usual, request] = [of('default'), of('defaultRequest')];
  const mayOvercommit = isNative(name) && !name.startsWith('hugepages-');
  if (mayOvercommit || usual === undefined || request === undefined) return;
  if (compareQuantities(usual, request) === 0) return;
  const detail = `default value ${usual} must equal to defaultRequest value ${request} in ${name}`;
  report.invalid(`${path}.defaultRequest[${name}]`, request, detail);
}

function checkRatio(
  path: string,
  of: (member: string) => string | undefined,
  report: Report,
): void {
  const [ratio, min, max] = [of('maxLimitRequestRatio'), of('min'), of('max')];
  if (ratio === undefined) return;
  if (nanosOf(ratio) < UNIT) report.invalid(path, ratio, `ratio ${ratio} is less than 1`);
  if (min === undefined || max === undefined) return;
  const all = [ratio, min, max].map(nanosOf);
  const unit = all.every((nanos) => up(nanos, UNIT) < LARGEST_MILLI) ? MILLI : UNIT;
  const [asked, least, most] = all.map((nanos) => Number(up(nanos, unit))) as [
    number,
    number,
    number,
  ];
  const limitOfRatio = most / least;
  if (asked / (unit === MILLI ? 1000 : 1) <= limitOfRatio || Number.isNaN(limitOfRatio)) return;
  const detail = `ratio ${ratio} is greater than max/min = ${limitOfRatio.toFixed(6)}`;
  report.invalid(path, ratio, detail);
}

/** Divided, and rounded up. */
function up(nanos: bigint, unit: bigint): bigint {
  const whole = nanos / unit;
  return nanos > 0n && nanos % unit !== 0n ? whole + 1n : whole;
}

const limits: Check = (range, _path, report) => {
  const seen = new Set<string>();
  for (const [index, item] of recordsAt(range, 'spec', 'limits').entries()) {
    const path = `spec.limits[${index}]`;
    const type = textAt(item, 'type');
    for (const problem of typeProblems(type)) report.invalid(`${path}.type`, type, problem);
    if (seen.has(type)) report.duplicate(`${path}.type`, type);
    seen.add(type);
    limit(item, path, report);
  }
};

export const limitRanges: KindRules = {
  resource: 'limitranges',
  strategy: {
    ...checkedBy(limits),
    prepareForCreate({ metadata }) {
      // A limit range without a name gets a random one.
      if ((metadata.name ?? '') === '' && metadata.uid !== undefined) metadata.name = metadata.uid;
    },
  },
};
