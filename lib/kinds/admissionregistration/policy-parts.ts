import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { isRecord, recordsAt, textAt, textsAt } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, isEmpty } from '../../server/registry/validation/combine.ts';
import {
  dns1035Label,
  dnsSubdomain,
  pathSegment,
} from '../../server/registry/validation/formats.ts';
import { labelSelector } from '../../server/registry/validation/label-selector-checks.ts';
import { format } from '../../server/registry/validation/values.ts';
import { expression, matchConditions } from './match-conditions.ts';
import { failurePolicy, matchResources } from './matched-resources.ts';

const apiVersion: Check = (value = '', path, report) => {
  const text = String(value);
  const wrong = (bad: string, detail: string): void => report.add(fieldInvalid(path, bad, detail));
  if (text === '') return report.add(fieldRequired(path));
  const parts = text === '/' ? [''] : text.split('/');
  if (parts.length > 2) return wrong(text, `unexpected GroupVersion string: ${text}`);
  const [group = '', version = ''] = parts.length === 2 ? parts : ['', parts[0]];
  const badGroup = group === '' ? [] : dnsSubdomain(group);
  if (badGroup.length > 0) wrong(group, badGroup.join(','));
  const badVersion = version === '' ? [] : dns1035Label(version);
  if (version === '') wrong(text, 'version must be specified');
  else if (badVersion.length > 0) wrong(version, badVersion.join(','));
};

const kind: Check = (value = '', path, report) => {
  const text = String(value);
  if (text === '') return report.add(fieldRequired(path));
  const problems = dns1035Label(text.toLowerCase());
  if (problems.length === 0) return;
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  report.add(fieldInvalid(path, text, detail));
};

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const variableName: Check = (name = '', path, report) => {
  const text = String(name);
  if (text.trim() === '') report.add(fieldRequired(path, 'name is not specified'));
  else if (!/^[_a-zA-Z]\w*$/.test(text) || RESERVED.has(text)) {
    report.add(fieldInvalid(path, text, 'must be a valid CEL identifier'));
  }
};

const constraints: Check = (value, path, report) => {
  if (!isRecord(value)) return report.add(fieldRequired(path));
  matchResources(value, path, report);
  if (isEmpty(value['resourceRules'])) report.add(fieldRequired(`${path}.resourceRules`));
};

const MUTATING: readonly string[] = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** Objects that go away cannot be mutated. */
export const mutatingOperations: Check = (value, path, report) => {
  for (const operation of recordsAt(value, 'resourceRules').flatMap((one) =>
    textsAt(one, 'operations'),
  )) {
    if (MUTATING.includes(operation)) continue;
    report.add(fieldNotSupported(`${path}.resourceRules.operations`, operation, MUTATING));
  }
};

/** The fields of both sorts of policies, in this order. */
export function policyChecks(...onMatches: readonly Check[]): Check {
  return fields({
    failurePolicy,
    paramKind: fields({ apiVersion, kind }),
    matchConstraints: all(constraints, ...onMatches),
    matchConditions,
    variables: each(
      fields({ name: variableName, expression: expression('expression is not specified') }),
    ),
  });
}

/** Where the parameters of a binding are. */
export const paramRef: Check = (value, path, report) => {
  if (!isRecord(value)) return;
  const name = textAt(value, 'name');
  const exclusive = 'name and selector are mutually exclusive';
  const { selector, parameterNotFoundAction: action = '' } = value;
  if (name !== '') format(pathSegment)(name, `${path}.name`, report);
  if (name !== '' && selector !== undefined) report.add(fieldForbidden(`${path}.name`, exclusive));
  labelSelector()(selector, `${path}.selector`, report);
  if (name !== '' && selector !== undefined) {
    report.add(fieldForbidden(`${path}.selector`, exclusive));
  }
  if (name === '' && selector === undefined) {
    report.add(fieldRequired(path, 'one of name or selector must be specified'));
  }
  const place = `${path}.parameterNotFoundAction`;
  const actions: readonly unknown[] = ['Deny', 'Allow'];
  if (action === '') report.add(fieldRequired(place));
  else if (!actions.includes(action)) report.add(fieldNotSupported(place, action, actions));
};
