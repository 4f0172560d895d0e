import {
  fieldForbidden,
  fieldRequired,
  fieldTooLong,
} from '../../server/registry/rules/field-causes.ts';
import { recordAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, required } from '../../server/registry/validation/combine.ts';
import { domainPrefixedPath } from '../../server/registry/validation/domain-checks.ts';
import {
  dnsLabel,
  dnsSubdomain,
  isLonger,
  pathSegment,
} from '../../server/registry/validation/formats.ts';
import { format, immutable, oneOf } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

const LONGEST_CONTROLLER = 250;

const controllerLength: Check = (value, path, report) => {
  if (typeof value === 'string' && isLonger(value, LONGEST_CONTROLLER)) {
    report.add(fieldTooLong(path, LONGEST_CONTROLLER, 'bytes'));
  }
};

const isNamespaceName = format(dnsLabel);

const namespaceByScope: Check = (value, path, report) => {
  const scope = recordAt(report.object, 'spec', 'parameters')?.['scope'];
  const detail = `\`parameters.scope\` is set to '${String(scope)}'`;
  if (scope === 'Cluster' && value !== undefined) report.add(fieldForbidden(path, detail));
  if (scope !== 'Namespace') return;
  if (value === undefined) report.add(fieldRequired(path, detail));
  else isNamespaceName(value, path, report);
};

const controllerOf = (object: unknown): unknown => recordAt(object, 'spec')?.['controller'] ?? '';

/** That of an update comes before all others. */
const controllerStays: Check = (object, _path, report) => {
  immutable(controllerOf(object), 'spec.controller', report, controllerOf(report.existing));
};

const checks: Check = all(
  controllerStays,
  (object, _path, report) => {
    const controller = controllerOf(object);
    controllerLength(controller, 'spec.controller', report);
    domainPrefixedPath(controller, 'spec.controller', report);
  },
  fields({
    spec: fields({
      parameters: fields({
        apiGroup: format(dnsSubdomain),
        kind: required(format(pathSegment)),
        name: required(format(pathSegment)),
        scope: required(oneOf(['Cluster', 'Namespace'])),
        namespace: namespaceByScope,
      }),
    }),
  }),
);

/** @see pkg/apis/networking/validation/validation.go @ v1.36.3 */
export const ingressClasses: KindRules = {
  group: 'networking.k8s.io',
  resource: 'ingressclasses',
  strategy: checkedBy(checks),
};
