import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import { recordAt, textAt, valueAt } from '../../meta/json-value.ts';
import {
  balancerPoints,
  balancerWarnings,
  isIp,
  unlessEmpty,
} from '../../server/registry/validation/addresses/address-checks.ts';
import { causesOf, checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, isEmpty, required } from '../../server/registry/validation/combine.ts';
import {
  dnsLabel,
  dnsSubdomain,
  pathSegment,
  portName,
  wildcardSubdomain,
  isLonger,
  type Format,
} from '../../server/registry/validation/formats.ts';
import { format, oneOf, portNumber, immutable } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { domainPrefixedPath } from '../../server/registry/validation/domain-checks.ts';

const LONGEST_CONTROLLER = 250;

const controllerLength: Check = (value, path, report) => {
  if (typeof value === 'string' && isLonger(value, LONGEST_CONTROLLER)) {
    report.tooLong(path, LONGEST_CONTROLLER, 'bytes');
  }
};

const isNamespaceName = format(dnsLabel);

const namespaceByScope: Check = (value, path, report) => {
  const scope = recordAt(report.object, 'spec', 'parameters')?.['scope'];
  const detail = `\`parameters.scope\` is set to '${String(scope)}'`;
  if (scope === 'Cluster' && value !== undefined) report.forbidden(path, detail);
  if (scope !== 'Namespace') return;
  if (value === undefined) report.required(path, detail);
  else isNamespaceName(value, path, report);
};

const controllerOf = (object: unknown): unknown => recordAt(object, 'spec')?.['controller'] ?? '';

/** That of an update comes before all others. */
const controllerStays: Check = (object, _path, report) => {
  immutable(controllerOf(object), 'spec.controller', report, controllerOf(report.existing));
};

const classChecks: Check = all(
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
  strategy: checkedBy(classChecks),
};

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

const isPortName = format(portName);

const resourceReference: Check = fields({
  apiGroup: format(dnsSubdomain),
  kind: required(format(pathSegment)),
  name: required(format(pathSegment)),
});

const serviceName: Check = required(format(dnsLabel));

/** The place of the port is that of the backend when there are two of them or none. */
const servicePort: Check = (service, path, report) => {
  const name = textAt(service, 'port', 'name');
  const number = valueAt(service, 'port', 'number') ?? 0;
  const of = (member: string): string => `${path}.service.port.${member}`;
  if (name !== '' && number !== 0) {
    report.invalid(path, '', 'cannot set both port name & port number');
  } else if (name !== '') isPortName(name, of('name'), report);
  else if (number !== 0) portNumber(number, of('number'), report);
  else report.required(path, 'port name or number is required');
};

const backend: Check = (value, path, report) => {
  const resource = recordAt(value, 'resource');
  const service = recordAt(value, 'service');
  if (resource !== undefined && service !== undefined) {
    report.invalid(path, '', 'cannot set both resource and service backends');
  } else if (resource !== undefined) resourceReference(resource, `${path}.resource`, report);
  else if (service !== undefined) {
    serviceName(service['name'], `${path}.service.name`, report);
    servicePort(service, path, report);
  } else report.invalid(path, '', 'resource or service backend is required');
};

const FORBIDDEN_PARTS = ['//', '/./', '/../', '%2f', '%2F'];
const FORBIDDEN_ENDS = ['/..', '/.'];

/** The faults of a path that is compared with those of requests. */
const strictPath: Format = (text) => [
  ...(text.startsWith('/') ? [] : ['must be an absolute path']),
  ...FORBIDDEN_PARTS.filter((one) => text.includes(one)).map((one) => `must not contain '${one}'`),
  ...FORBIDDEN_ENDS.filter((one) => text.endsWith(one)).map((one) => `cannot end with '${one}'`),
];

/** The faults of a path that the controller interprets. */
const freePath: Format = (text) =>
  text === '' || text.startsWith('/') ? [] : ['must be an absolute path'];

const pathForms: Readonly<Record<string, Check>> = {
  Exact: format(strictPath),
  Prefix: format(strictPath),
  ImplementationSpecific: format(freePath),
};

const isPathType = oneOf(['Exact', 'ImplementationSpecific', 'Prefix']);

const httpPath: Check = (value, path, report) => {
  const type = valueAt(value, 'pathType') ?? undefined;
  if (type === undefined) {
    report.required(`${path}.pathType`, 'pathType must be specified');
    return;
  }
  if (typeof type === 'string' && Object.hasOwn(pathForms, type)) {
    pathForms[type]?.(textAt(value, 'path'), `${path}.path`, report);
  } else isPathType(type, `${path}.pathType`, report);
  backend(valueAt(value, 'backend'), `${path}.backend`, report);
};

const hostForm: Format = (text) =>
  text.includes('*') ? wildcardSubdomain(text) : dnsSubdomain(text);

const host: Check = (value, path, report) => {
  if (isIp(value)) report.invalid(path, value, 'must be a DNS name, not an IP address');
  format(hostForm)(value, path, report);
};

const hasTarget: Check = (object, _path, report) => {
  const spec = recordAt(object, 'spec') ?? {};
  if (!isEmpty(spec['rules']) || spec['defaultBackend'] !== undefined) return;
  const detail = 'either `defaultBackend` or `rules` must be specified';
  report.invalid('spec', spec['rules'] ?? null, detail);
};

const checks: Check = all(
  hasTarget,
  fields({
    spec: fields({
      defaultBackend: (value, path, report) => {
        if (value !== undefined) backend(value, path, report);
      },
      rules: each(
        fields({
          host: unlessEmpty(host),
          http: fields({ paths: required(each(httpPath)) }),
        }),
      ),
      tls: each(
        fields({
          hosts: each(format(hostForm)),
          secretName: unlessEmpty(format(dnsSubdomain)),
        }),
      ),
      ingressClassName: format(dnsSubdomain),
    }),
  }),
);

/** Only new objects: the annotation of an old one may say another class. */
const sameClass: Check = (object, _path, report) => {
  const annotation = recordAt(object, 'metadata', 'annotations')?.[CLASS_ANNOTATION];
  const name = valueAt(object, 'spec', 'ingressClassName');
  if (annotation === undefined || name === undefined || annotation === name) return;
  const detail = 'must match `ingressClassName` when both are specified';
  report.invalid(`annotations.${CLASS_ANNOTATION}`, annotation, detail);
};

const createChecks: Check = all(checks, sameClass);

const statusChecks: Check = fields({
  status: fields({ loadBalancer: fields({ ingress: balancerPoints(() => {}) }) }),
});

function warnings(object: unknown, existing?: unknown): string[] {
  const annotation = recordAt(object, 'metadata', 'annotations')?.[CLASS_ANNOTATION];
  const isNamed = valueAt(object, 'spec', 'ingressClassName') !== undefined;
  if (existing !== undefined || annotation === undefined || isNamed) return [];
  return [
    `annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`,
  ];
}

/** @see pkg/apis/networking/validation/validation.go @ v1.36.3 */
export const ingresses: KindRules = {
  group: 'networking.k8s.io',
  resource: 'ingresses',
  strategy: {
    validate: (object, policy) => causesOf(createChecks, object, undefined, policy),
    validateUpdate: (object, existing, policy) => causesOf(checks, object, existing, policy),
    warnings,
  },
  statusStrategy: {
    ...newStatusStrategy({
      validateUpdate: (object, existing, policy) =>
        causesOf(statusChecks, object, existing, policy),
    }),
    warnings: (object) => balancerWarnings(valueAt(object, 'status', 'loadBalancer', 'ingress')),
  },
};
