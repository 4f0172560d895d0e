import { defaultTo, recordAt, isRecord, textAt, type JsonRecord } from '../../meta/json-value.ts';
import type { SetDefaults } from '../../server/registry/typed/type-reader.ts';
import { defaultNumber, defaultUnset } from './core-defaults.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';
const WEBHOOK_PORT = 443;
const TOKEN_LIFE_SECONDS = 3600;
const DEFAULT_CPU_PERCENT = 80;

/** Sets values that no client sent. */
function unset(values: JsonRecord): SetDefaults {
  return (record) => {
    for (const [name, value] of Object.entries(values)) {
      defaultUnset(record, name, isRecord(value) ? { ...value } : value);
    }
  };
}

const WEBHOOK = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

const SCALE_UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const SCALE_DOWN = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

function setAutoscalerDefaults(spec: JsonRecord): void {
  defaultUnset(spec, 'minReplicas', 1);
  const { metrics } = spec;
  if (metrics !== undefined && !(Array.isArray(metrics) && metrics.length === 0)) return;
  const target = { type: 'Utilization', averageUtilization: DEFAULT_CPU_PERCENT };
  spec['metrics'] = [{ type: 'Resource', resource: { name: 'cpu', target } }];
}

function setBehaviorDefaults(behavior: JsonRecord): void {
  for (const [name, rules] of [
    ['scaleUp', SCALE_UP],
    ['scaleDown', SCALE_DOWN],
  ] as const) {
    const given = behavior[name] ?? {};
    if (!isRecord(given)) continue;
    const own = Object.entries(given).filter(([, value]) => value !== null);
    behavior[name] = { ...rules, ...Object.fromEntries(own) };
  }
}

function setNetworkPolicyDefaults(spec: JsonRecord): void {
  const { policyTypes, egress } = spec;
  if (policyTypes !== undefined && !(Array.isArray(policyTypes) && policyTypes.length === 0)) {
    return;
  }
  const hasEgress = Array.isArray(egress) && egress.length > 0;
  spec['policyTypes'] = hasEgress ? ['Ingress', 'Egress'] : ['Ingress'];
}

function setRoleReferenceDefaults(reference: JsonRecord): void {
  defaultTo(reference, 'apiGroup', RBAC_GROUP);
}

function setSubjectDefaults(subject: JsonRecord): void {
  const { kind } = subject;
  if (kind === 'User' || kind === 'Group') defaultTo(subject, 'apiGroup', RBAC_GROUP);
}

function setDeviceRequestDefaults(request: JsonRecord): void {
  const mode = defaultTo(request, 'allocationMode', 'ExactCount');
  if (mode === 'ExactCount') defaultNumber(request, 'count', 1);
}

function setDriverDefaults(spec: JsonRecord): void {
  defaultUnset(spec, 'attachRequired', true);
  for (const name of ['podInfoOnMount', 'storageCapacity', 'requiresRepublish', 'seLinuxMount']) {
    defaultUnset(spec, name, false);
  }
  defaultUnset(spec, 'fsGroupPolicy', 'ReadWriteOnceWithFSType');
  const modes = spec['volumeLifecycleModes'];
  if (modes === undefined || (Array.isArray(modes) && modes.length === 0)) {
    spec['volumeLifecycleModes'] = ['Persistent'];
  }
}

/** Also whether its pods wait for it, which older versions do not have. */
export function setWaitingDriverDefaults(spec: JsonRecord): void {
  setDriverDefaults(spec);
  defaultUnset(spec, 'preventPodSchedulingIfMissing', false);
}

function setDefinitionDefaults(spec: JsonRecord): void {
  const names = { ...recordAt(spec, 'names') };
  const kind = textAt(names, 'kind');
  if (kind !== '') {
    defaultTo(names, 'singular', kind.toLowerCase());
    defaultTo(names, 'listKind', `${kind}List`);
    spec['names'] = names;
  }
  defaultUnset(spec, 'conversion', { strategy: 'None' });
}

/** The defaults of the other groups, by type. @see pkg/apis/GROUP/v1/defaults.go @ v1.36.3 */
export const GROUP_DEFAULTS: Readonly<Record<string, SetDefaults>> = {
  'admission.ValidatingWebhook': unset(WEBHOOK),
  'admission.MutatingWebhook': unset({ ...WEBHOOK, reinvocationPolicy: 'Never' }),
  'admission.Rule': unset({ scope: '*' }),
  'admission.ServiceReference': unset({ port: WEBHOOK_PORT }),
  'admission.ValidatingAdmissionPolicySpec': unset({ failurePolicy: 'Fail' }),
  'admission.MutatingAdmissionPolicySpec': unset({ failurePolicy: 'Fail' }),
  'admission.MatchResources': unset({
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
  }),
  'authentication.TokenRequestSpec': unset({ expirationSeconds: TOKEN_LIFE_SECONDS }),
  'autoscaling.HorizontalPodAutoscalerSpec': unset({ minReplicas: 1 }),
  'autoscaling2.HorizontalPodAutoscalerSpec': setAutoscalerDefaults,
  'autoscaling2.HorizontalPodAutoscalerBehavior': setBehaviorDefaults,
  'discovery.EndpointPort': unset({ name: '', protocol: 'TCP' }),
  'extensions.CustomResourceDefinitionSpec': setDefinitionDefaults,
  'extensions.ServiceReference': unset({ port: WEBHOOK_PORT }),
  'flowcontrol.FlowSchemaSpec': (spec) => {
    defaultNumber(spec, 'matchingPrecedence', 1000);
  },
  'flowcontrol.ExemptPriorityLevelConfiguration': unset({
    nominalConcurrencyShares: 0,
    lendablePercent: 0,
  }),
  'flowcontrol.LimitedPriorityLevelConfiguration': unset({
    nominalConcurrencyShares: 30,
    lendablePercent: 0,
  }),
  'flowcontrol.QueuingConfiguration': (queuing) => {
    defaultNumber(queuing, 'handSize', 8);
    defaultNumber(queuing, 'queues', 64);
    defaultNumber(queuing, 'queueLengthLimit', 50);
  },
  'networking.NetworkPolicyPort': unset({ protocol: 'TCP' }),
  'networking.NetworkPolicySpec': setNetworkPolicyDefaults,
  'networking.IngressClassParametersReference': unset({ scope: 'Cluster' }),
  'rbac.RoleRef': setRoleReferenceDefaults,
  'rbac.Subject': setSubjectDefaults,
  'registration.ServiceReference': unset({ port: WEBHOOK_PORT }),
  'resource.ExactDeviceRequest': setDeviceRequestDefaults,
  'resource.DeviceSubRequest': setDeviceRequestDefaults,
  'scheduling.PriorityClass': unset({ preemptionPolicy: 'PreemptLowerPriority' }),
  'storage.StorageClass': unset({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  'storage.CSIDriverSpec': setDriverDefaults,
};
