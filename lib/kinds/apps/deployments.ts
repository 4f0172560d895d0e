import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { isRecord, jsonEqual } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields } from '../../server/registry/validation/combine.ts';
import {
  atMostAllPercent,
  intOrPercent,
  intOrPercentValue,
} from '../../server/registry/validation/int-or-percent.ts';
import { nonNegative } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { workloadWarnings } from './template-warnings.ts';
import { fixedSelector, replicaTemplate, selectorAndTemplate } from './workload-checks.ts';
import { workloadScale } from './workload-scale.ts';

const bothZero: Check = (rolling, path, report) => {
  if (!isRecord(rolling)) return;
  const { maxUnavailable = 0, maxSurge = 0 } = rolling;
  if (intOrPercentValue(maxUnavailable) !== 0 || intOrPercentValue(maxSurge) !== 0) return;
  const detail = 'may not be 0 when `maxSurge` is 0';
  report.add(fieldInvalid(`${path}.maxUnavailable`, maxUnavailable, detail));
};

const rollingUpdate = all(
  fields({ maxUnavailable: intOrPercent, maxSurge: intOrPercent }),
  bothZero,
  fields({ maxUnavailable: atMostAllPercent }),
);

const TYPES = ['Recreate', 'RollingUpdate'];

const strategy: Check = (value, path, report) => {
  const { type = '', rollingUpdate: rolling } = isRecord(value) ? value : {};
  const place = `${path}.rollingUpdate`;
  if (type === 'RollingUpdate') {
    if (isRecord(rolling)) rollingUpdate(rolling, place, report);
    else report.add(fieldRequired(place, 'this should be defaulted and never be nil'));
  } else if (type === 'Recreate') {
    if (rolling === undefined) return;
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    report.add(fieldForbidden(place, detail));
  } else {
    const { maxUnavailable = 0, maxSurge = 0 } = isRecord(rolling) ? rolling : {};
    const shown = isRecord(rolling) ? { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge } : null;
    report.add(fieldNotSupported(path, { Type: type, RollingUpdate: shown }, TYPES));
  }
};

const afterReady: Check = (spec, path, report) => {
  if (!isRecord(spec)) return;
  const { progressDeadlineSeconds: deadline, minReadySeconds: ready } = spec;
  if (typeof deadline !== 'number' || deadline > (typeof ready === 'number' ? ready : 0)) return;
  const detail = 'must be greater than minReadySeconds';
  report.add(fieldInvalid(`${path}.progressDeadlineSeconds`, deadline, detail));
};

const deploymentSpec: Check = all(
  fields({ replicas: nonNegative }),
  selectorAndTemplate({
    name: 'deployment',
    unreadable: 'invalid label selector',
    template: replicaTemplate('ReplicaSet'),
  }),
  fields({
    strategy,
    minReadySeconds: nonNegative,
    revisionHistoryLimit: nonNegative,
    progressDeadlineSeconds: nonNegative,
  }),
  afterReady,
  fields({ selector: fixedSelector }),
);

/** @see pkg/apis/apps/validation/validation.go ValidateDeployment @ v1.36.3 */
const deploymentChecks: Check = fields({ spec: deploymentSpec });

export const deployments: KindRules = {
  group: 'apps',
  resource: 'deployments',
  strategy: {
    ...checkedBy(deploymentChecks),
    // Annotations are copied to replica sets, so that their changes count as well.
    prepareForUpdate({ metadata }, { metadata: before }) {
      if (jsonEqual(metadata.annotations ?? {}, before.annotations ?? {})) return;
      metadata.generation = (before.generation ?? 0) + 1;
    },
    warnings: workloadWarnings,
  },
  scale: workloadScale,
};
