import type { KubernetesObject } from '../../meta/object.ts';
import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import { isRecord, jsonEqual, recordAt, textAt, textsAt, valueAt } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { causesOf, type Check, type Report } from '../../server/registry/validation/check.ts';
import { all, fields } from '../../server/registry/validation/combine.ts';
import { qualifiedName } from '../../server/registry/validation/formats.ts';
import { goDiff } from '../../server/registry/validation/go-diff.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { compareQuantities } from '../../server/registry/validation/quantity-checks.ts';
import { immutable } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { claimSpecChecks } from '../pods/volumes/claim-spec.ts';
import { fractionWarnings } from '../pods/warnings/spec-warnings.ts';
import { basicAmount } from './persistent-volume-checks.ts';
import { isNative, resourceAmount } from './resource-amounts.ts';

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** The kinds of data sources that both fields of a claim can name. */
function isVolumeSource(source: Record<string, unknown>): boolean {
  const { kind, apiGroup } = source;
  if (kind === 'PersistentVolumeClaim') return (apiGroup ?? '') === '';
  return kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io';
}

/** The newer and the older field for the source of the data say the same. @see pkg/api/persistentvolumeclaim/util.go @ v1.36.3 */
function joinDataSources(claim: MutableObject, existing?: MutableObject): void {
  const spec = recordAt(claim, 'spec');
  if (spec === undefined) return;
  const before = recordAt(existing, 'spec');
  const reference = recordAt(spec, 'dataSourceRef');
  // Sources in other namespaces belong to a feature that is off.
  if (textAt(reference, 'namespace') !== '' && before?.['dataSourceRef'] === undefined) {
    delete spec['dataSourceRef'];
  }
  const source = recordAt(spec, 'dataSource');
  const inUse = before?.['dataSource'] !== undefined || before?.['dataSourceRef'] !== undefined;
  if (!inUse && spec['dataSourceRef'] === undefined && source !== undefined) {
    if (!isVolumeSource(source)) delete spec['dataSource'];
  }
  const [one, other] = [recordAt(spec, 'dataSource'), recordAt(spec, 'dataSourceRef')];
  if (one !== undefined && other === undefined) spec['dataSourceRef'] = { ...one };
  if (one === undefined && other !== undefined && textAt(other, 'namespace') === '') {
    const { namespace: _, ...rest } = other;
    spec['dataSource'] = rest;
  }
}

/** Both specs to compare; fields that an update may change are set as they were. */
function comparedSpecs(
  claim: unknown,
  existing: unknown,
): readonly [now: Record<string, unknown>, before: Record<string, unknown>] {
  const now = { ...recordAt(claim, 'spec') };
  const before = { ...recordAt(existing, 'spec') };
  if (textAt(before, 'volumeName') === '') {
    if (now['volumeName'] === undefined) delete before['volumeName'];
    else before['volumeName'] = now['volumeName'];
  }
  const oldBeta = betaClassOf(existing);
  if (movesToField(claim, existing)) delete now['storageClassName'];
  else if (now['storageClassName'] !== undefined && before['storageClassName'] === undefined) {
    if (oldBeta === undefined || now['storageClassName'] === oldBeta)
      delete now['storageClassName'];
  }
  if (textAt(claim, 'status', 'phase') === 'Bound') {
    const requests = recordAt(now, 'resources', 'requests');
    const size = valueAt(before, 'resources', 'requests', 'storage');
    if (requests !== undefined) {
      now['resources'] = {
        ...recordAt(now, 'resources'),
        requests: { ...requests, storage: size },
      };
    }
    const name = 'volumeAttributesClassName';
    if (before[name] === undefined) delete now[name];
    else now[name] = before[name];
  }
  return [now, before];
}

function betaClassOf(claim: unknown): string | undefined {
  const annotations = recordAt(claim, 'metadata', 'annotations');
  return annotations !== undefined && Object.hasOwn(annotations, BETA_CLASS)
    ? textAt(annotations, BETA_CLASS)
    : undefined;
}

/** Whether the class moves from the old annotation to its field. */
function movesToField(claim: unknown, existing: unknown): boolean {
  const oldBeta = betaClassOf(existing);
  const beta = betaClassOf(claim);
  if (oldBeta === undefined || valueAt(existing, 'spec', 'storageClassName') !== undefined) {
    return false;
  }
  const name = valueAt(claim, 'spec', 'storageClassName');
  return name === oldBeta && (beta === undefined || beta === oldBeta);
}

const sameSpec: Check = (claim, _path, report) => {
  const { existing } = report;
  if (!movesToField(claim, existing)) {
    const beta = betaClassOf(claim) ?? '';
    if (beta !== (betaClassOf(existing) ?? '')) {
      report.immutable(`metadata.annotations.${BETA_CLASS}`, beta);
    }
  }
  const [now, before] = comparedSpecs(claim, existing);
  if (!jsonEqual(now, before)) {
    const [one, other] = [before, now].map((spec) =>
      goForm('core.PersistentVolumeClaimSpec', spec),
    );
    const detail = `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${goDiff(one, other)}`;
    report.forbidden('spec', detail);
  }
};

const size: Check = (claim, _path, report) => {
  const path = ['spec', 'resources', 'requests', 'storage'];
  const now = valueAt(claim, ...path) ?? '0';
  const have = valueAt(claim, 'status', 'capacity', 'storage') ?? '0';
  if (compareQuantities(now, valueAt(report.existing, ...path) ?? '0') >= 0) return;
  if (compareQuantities(now, have) > 0) return;
  report.forbidden(path.join('.'), 'field can not be less than status.capacity');
};

const attributesClass: Check = (value, path, report, old) => {
  const current = valueAt(report.existing, 'status', 'currentVolumeAttributesClassName');
  if (value === old || current === undefined) return;
  const end = 'is forbidden when status.currentVolumeAttributesClassName is not nil';
  if (value === undefined) report.forbidden(path, `update to nil ${end}`);
  else if (value === '') report.forbidden(path, `update to empty string ${end}`);
};

const newClaim: Check = fields({ spec: claimSpecChecks });

/** @see pkg/apis/core/validation/validation.go ValidatePersistentVolumeClaimUpdate @ v1.36.3 */
const changedClaim: Check = all(
  newClaim,
  sameSpec,
  size,
  fields({
    spec: fields({
      volumeMode: (value, _path, report, old) => immutable(value, 'volumeMode', report, old),
      volumeAttributesClassName: attributesClass,
    }),
  }),
);

const RESIZES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

function resourceKeyIsRight(name: string, path: string, report: Report): boolean {
  const problems = qualifiedName(name);
  for (const problem of problems) report.invalid(path, name, problem);
  if (problems.length > 0) return false;
  if (!isNative(name) || name === 'storage') return true;
  report.notSupported(path, name, ['storage']);
  return false;
}

const statusChecks: Check = (claim, _path, report) => {
  if (textsAt(claim, 'spec', 'accessModes').length === 0) report.required('Spec.accessModes');
  const status = recordAt(claim, 'status') ?? {};
  const amounts = (name: string): [string, unknown][] =>
    Object.entries(isRecord(status[name]) ? status[name] : {});
  for (const [name, amount] of amounts('capacity')) {
    basicAmount(amount, `status.capacity[${name}]`, report);
  }
  const resizes = 'status.allocatedResourceStatuses';
  for (const [name, state] of amounts('allocatedResourceStatuses')) {
    resourceKeyIsRight(name, resizes, report);
    if (!RESIZES.includes(state as string)) report.notSupported(resizes, name, RESIZES);
  }
  const path = 'status.allocatedResources';
  for (const [name, amount] of amounts('allocatedResources')) {
    if (!resourceKeyIsRight(name, path, report)) continue;
    const before = report.causes.length;
    basicAmount(amount, `${path}[${name}]`, report);
    if (report.causes.length === before) {
      resourceAmount('storage', amount, `${path}[${name}]`, report);
    }
  }
};

function warnings(claim: KubernetesObject): readonly string[] {
  return [
    ...(betaClassOf(claim) === undefined
      ? []
      : [
          `metadata.annotations[${BETA_CLASS}]: deprecated since v1.8; use "storageClassName" attribute instead`,
        ]),
    ...['requests', 'limits'].flatMap((which) =>
      fractionWarnings(
        valueAt(claim, 'spec', 'resources', which, 'storage'),
        `spec.resources.${which}[storage]`,
      ),
    ),
  ];
}

export const persistentVolumeClaims: KindRules = {
  resource: 'persistentvolumeclaims',
  strategy: {
    prepareForCreate: (claim) => joinDataSources(claim),
    prepareForUpdate: joinDataSources,
    validate: (claim, policy) => causesOf(newClaim, claim, undefined, policy),
    validateUpdate: (claim, existing, policy) => causesOf(changedClaim, claim, existing, policy),
    warnings,
  },
  statusStrategy: newStatusStrategy({
    validateUpdate: (claim, _existing, policy) => causesOf(statusChecks, claim, undefined, policy),
  }),
};
