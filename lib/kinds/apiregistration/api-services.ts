import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import { timestampOf } from '../../server/registry/rules/duration.ts';
import { isRecord, recordAt, textAt } from '../../meta/json-value.ts';
import { causesOf, checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, required } from '../../server/registry/validation/combine.ts';
import { dns1035Label, dnsSubdomain } from '../../server/registry/validation/formats.ts';
import { format, oneOf } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

const PORTS = 65_535;

const nameOfVersion: Check = (name, path, report) => {
  if (typeof name !== 'string' || /[/%]/.test(name) || name === '.' || name === '..') return;
  const spec = recordAt(report.object, 'spec');
  const wanted = `${textAt(spec, 'version')}.${textAt(spec, 'group')}`;
  if (name === wanted) return;
  const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`;
  report.invalid(path, name, detail);
};

const groupName: Check = (group = '', path, report) => {
  if (group !== '') format(dnsSubdomain)(group, path, report);
  else if (textAt(report.object, 'spec', 'version') !== 'v1') {
    const detail = 'only v1 may have an empty group and it better be legacy kube';
    report.required(path, detail);
  }
};

function priority(most: number): Check {
  return (value, path, report) => {
    if (typeof value === 'number' && value > 0 && value <= most) return;
    report.invalid(path, value, `must be positive and less than ${most}`);
  };
}

const service = fields({
  namespace: required(),
  name: required(),
  port: (port, path, report) => {
    if (typeof port === 'number' && port > 0 && port <= PORTS) return;
    const detail = `port is not valid: must be between 1 and ${PORTS}, inclusive`;
    report.invalid(path, port, detail);
  },
});

/** Whether and how the certificate of the service is verified; local APIServices have none. */
const trust: Check = (spec, path, report) => {
  const {
    service: remote,
    caBundle,
    insecureSkipTLSVerify: skips = false,
  } = isRecord(spec) ? spec : {};
  const wrong = (name: string, value: unknown, detail: string): void =>
    report.invalid(`${path}.${name}`, value, detail);
  const bytes = typeof caBundle === 'string' ? Buffer.byteLength(caBundle, 'base64') : 0;
  if (isRecord(remote)) {
    service(remote, `${path}.service`, report);
    if (skips && bytes > 0) {
      wrong('insecureSkipTLSVerify', true, 'may not be true if caBundle is present');
    }
    return;
  }
  const local = 'local APIServices may not have';
  if (bytes > 0) wrong('caBundle', `${bytes} bytes`, `${local} a caBundle`);
  if (skips) wrong('insecureSkipTLSVerify', true, `${local} insecureSkipTLSVerify`);
};

/** @see kube-aggregator pkg/apis/apiregistration/validation/validation.go @ v0.36.3 */
const checks = fields({
  metadata: fields({ name: nameOfVersion }),
  spec: all(
    fields({
      group: groupName,
      version: (version = '', path, report) => format(dns1035Label)(version, path, report),
      groupPriorityMinimum: priority(20_000),
      versionPriority: priority(1000),
    }),
    trust,
  ),
});

const statusChecks = fields({
  status: fields({
    conditions: each(fields({ status: oneOf(['True', 'False', 'Unknown']) })),
  }),
});

/** APIServices. One without a service is served here, so that it is available at once. */
export const apiServices: KindRules = {
  group: 'apiregistration.k8s.io',
  resource: 'apiservices',
  strategy: {
    ...checkedBy(checks),
    prepareForCreate(object, { nowMs }) {
      if (recordAt(object, 'spec', 'service') !== undefined) return;
      const available = {
        type: 'Available',
        status: 'True',
        lastTransitionTime: timestampOf(nowMs),
        reason: 'Local',
        message: 'Local APIServices are always available',
      };
      object['status'] = { conditions: [available] };
    },
  },
  statusStrategy: newStatusStrategy({
    keepMetadata: true,
    validateUpdate: (object, existing, policy) => causesOf(statusChecks, object, existing, policy),
  }),
};
