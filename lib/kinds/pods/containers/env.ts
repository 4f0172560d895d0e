import { recordAt, recordsAt, textAt } from '../../../meta/json-value.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { all, each, fields, required } from '../../../server/registry/validation/combine.ts';
import {
  configMapKey,
  dnsLabel,
  dnsSubdomain,
  envVarName,
  type Format,
} from '../../../server/registry/validation/formats.ts';
import { format } from '../../../server/registry/validation/values.ts';
import { objectFieldOf, resourceFieldOf } from '../report/field-references.ts';
import { filled, text } from '../report/small-checks.ts';
import { withoutBacksteps } from '../volumes/local-path.ts';

const keySelector: Check = fields({
  name: text(dnsSubdomain),
  key: required(format(configMapKey)),
});

/** The sources of a value in the order of their checks. */
const SOURCES: readonly (readonly [string, Check])[] = Object.entries({
  fieldRef: objectFieldOf([
    'metadata.name',
    'metadata.namespace',
    'metadata.uid',
    'spec.nodeName',
    'spec.serviceAccountName',
    'status.hostIP',
    'status.hostIPs',
    'status.podIP',
    'status.podIPs',
  ]),
  resourceFieldRef: resourceFieldOf({ inVolume: false }),
  configMapKeyRef: keySelector,
  secretKeyRef: keySelector,
  fileKeyRef: fields({
    key: required(format(envVarName)),
    volumeName: required(format(dnsLabel)),
    path: required(format(withoutBacksteps)),
  }),
});

const MANY = 'may not have more than one field specified at a time';
const NO_SOURCE =
  'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';

const valueFrom: Check = (variable, path, report) => {
  const from = recordAt(variable, 'valueFrom');
  if (from === undefined) return;
  const at = `${path}.valueFrom`;
  let count = 0;
  for (const [name, check] of SOURCES) {
    if (from[name] === undefined) continue;
    check(from[name], `${at}.${name}`, report);
    count += 1;
  }
  if (count === 0) report.invalid(at, '', NO_SOURCE);
  else if (textAt(variable, 'value') !== '') {
    report.invalid(at, '', 'may not be specified when `value` is not empty');
  } else if (count > 1) report.invalid(at, '', MANY);
};

/** The variables of a container. */
export const env: Check = each(all(fields({ name: required(format(envVarName)) }), valueFrom));

/** A name that may end with a dash, as the start of generated names does. */
const subdomainStart: Format = (name) =>
  dnsSubdomain(name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name);

const prefix = filled(envVarName);
const objectName = fields({ name: required(format(subdomainStart)) });

/** The maps of variables of a container. API servers report on the number of their sources at the list. */
export const envFrom: Check = (list, path, report) => {
  for (const [index, one] of recordsAt(list).entries()) {
    const at = `${path}[${index}]`;
    const { configMapRef, secretRef } = one;
    prefix(one['prefix'], `${at}.prefix`, report);
    objectName(configMapRef, `${at}.configMapRef`, report);
    objectName(secretRef, `${at}.secretRef`, report);
    if (configMapRef === undefined && secretRef === undefined) {
      const rule = 'must specify one of: `configMapRef` or `secretRef`';
      report.invalid(path, '', rule);
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      report.invalid(path, '', MANY);
    }
  }
};
