import { recordsAt, textAt, valueAt } from '../../meta/json-value.ts';
import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { causesOf, checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, isChanged } from '../../server/registry/validation/combine.ts';
import { conditionsCheck } from '../../server/registry/validation/condition-checks.ts';
import {
  dns1035Label,
  dnsSubdomain,
  type Format,
} from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';

/** All faults of a text in one cause. */
function together(form: Format): Check {
  return (value, path, report) => {
    const problems = form(String(value));
    if (problems.length > 0) report.invalid(path, value, problems.join(','));
  };
}

const resourceName = together(dns1035Label);
const groupName = together(dnsSubdomain);

const migrated: Check = (spec, path, report) => {
  const resource = textAt(spec, 'resource', 'resource');
  const place = `${path}.resource.resource`;
  if (resource === '') report.required(place, 'resource is required to be set');
  else resourceName(resource, place, report);
  const group = textAt(spec, 'resource', 'group');
  if (group !== '') groupName(group, `${path}.resource.group`, report);
};

const kept: Check = (spec, path, report, old) => {
  if (!isChanged(spec, report, old)) return;
  report.immutable(path, goForm('storagemigration.StorageVersionMigrationSpec', spec));
};

const DIGITS = /^[1-9]\d*$/;

function isTrue(status: unknown, type: string): boolean {
  const condition = recordsAt(status, 'conditions').find((one) => textAt(one, 'type') === type);
  return textAt(condition, 'status') === 'True';
}

/** @see pkg/apis/storagemigration/validation ValidateStorageVersionMigrationStatusUpdate @ v1.37.2 */
const migrationStatus: Check = (status, path, report, old) => {
  const version = textAt(status, 'resourceVersion');
  const place = `${path}.resourceVersion`;
  if (version !== '' && !DIGITS.test(version)) {
    report.invalid(place, version, `resource version is not well formed: ${version}`);
  }
  conditionsCheck(recordsAt(status, 'conditions'), `${path}.conditions`, report);
  const before = textAt(old, 'resourceVersion');
  if (before !== '' && before !== version) report.immutable(place, version);
  const wrong = (detail: string): void =>
    report.invalid(`${path}.conditions`, valueAt(status, 'conditions') ?? null, detail);
  if (isTrue(status, 'Succeeded') && isTrue(status, 'Failed')) {
    wrong('Both success and failed conditions cannot be true at the same time');
  }
  for (const [type, name] of [
    ['Succeeded', 'Success'],
    ['Failed', 'Failed'],
  ] as const) {
    if (!isTrue(old, type) || isTrue(status, type)) continue;
    wrong(`${name} condition cannot be set to false once it is true`);
  }
};

/** Requests to write all objects of a resource again, in the version in which they are stored today. */
export const storageVersionMigrations: KindRules = {
  group: 'storagemigration.k8s.io',
  resource: 'storageversionmigrations',
  statusStrategy: newStatusStrategy({
    keepMetadata: true,
    validateUpdate: (object, existing, policy) =>
      causesOf(fields({ status: migrationStatus }), object, existing, policy),
  }),
  strategy: checkedBy(fields({ spec: all(migrated, kept) })),
};
