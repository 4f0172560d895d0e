import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import {
  fieldForbidden,
  fieldNotSupported,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { textAt, valueAt } from '../../meta/json-value.ts';
import { serviceProxy } from '../subresources/proxies.ts';
import {
  balancerPoints,
  balancerWarnings,
} from '../../server/registry/validation/addresses/address-checks.ts';
import { causesOf, type Check } from '../../server/registry/validation/check.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { ServiceAllocation } from './service-allocation.ts';
import { serviceChecks } from './service-checks.ts';
import { isBalanced, isExternalName, specOf } from './service-fields.ts';
import { serviceWarnings } from './service-warnings.ts';
import { dropDefaultPolicy, dropTypeDependentFields } from './type-dependent-fields.ts';

const INGRESS = 'status.loadBalancer.ingress';
const MODES: readonly unknown[] = ['Proxy', 'VIP'];

const ipMode: Check = (point, path, report) => {
  const place = `${path}.ipMode`;
  const mode = valueAt(point, 'ipMode');
  const hasIp = textAt(point, 'ip') !== '';
  if (mode === undefined) {
    if (hasIp) report.add(fieldRequired(place, 'must be specified when `ip` is set'));
  } else if (!hasIp) {
    report.add(fieldForbidden(place, 'may not be specified when `ip` is not set'));
  } else if (!MODES.includes(mode)) report.add(fieldNotSupported(place, mode, MODES));
};

const points = balancerPoints(ipMode);

const ingressOf = (service: unknown): unknown =>
  valueAt(service, 'status', 'loadBalancer', 'ingress');

const statusChecks: Check = (service, _path, report) => {
  const ingress = ingressOf(service);
  if (isBalanced(specOf(service))) points(ingress, INGRESS, report, ingressOf(report.existing));
  else if (Array.isArray(ingress) && ingress.length > 0) {
    const rule = "may only be used when `spec.type` is 'LoadBalancer'";
    report.add(fieldForbidden(INGRESS, rule));
  }
};

/** @see pkg/registry/core/service/strategy.go @ v1.36.3 */
export const services: KindRules = {
  resource: 'services',
  strategy: {
    ...serviceChecks,
    warnings: serviceWarnings,
    prepareForCreate(service) {
      service['status'] = { loadBalancer: {} };
      if (isExternalName(specOf(service))) dropDefaultPolicy(specOf(service));
    },
    prepareForUpdate: dropTypeDependentFields,
  },
  statusStrategy: {
    ...newStatusStrategy({
      validateUpdate: (service, existing) => causesOf(statusChecks, service, existing),
    }),
    allowCreateOnUpdate: true,
    warnings: (service) => balancerWarnings(ingressOf(service)),
  },
  selectableFields: {
    'spec.clusterIP': (service) => textAt(service, 'spec', 'clusterIP'),
    'spec.type': (service) => textAt(service, 'spec', 'type'),
  },
  newSubresources: (parts) => ({ proxy: serviceProxy(parts) }),
  newHooks: (parts) => new ServiceAllocation(parts),
};
