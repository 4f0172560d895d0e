import type { CauseChange } from '../../server/registry/rules/cause-changes.ts';

/** The message of a required field has no more words. */
const JUST_REQUIRED = { from: /^Required value: .*$/s, to: 'Required value' } as const;
/** The new value of a field that may not change is not shown. */
const SHOWS_NOTHING = {
  from: /^Invalid value: .*: field is immutable$/s,
  to: 'Invalid value: null: field is immutable',
} as const;
/** The same message, behind those of the rules that are written in Go. */
const MOVED = {} as const;

/** Forms of names in words that say what is counted, and of which letters. */
function longNames(...fields: readonly string[]): CauseChange[] {
  return [
    {
      since: 37,
      fields,
      from: /a lowercase RFC 1123 subdomain must consist of lower case (.*)'example\.com'/s,
      to: "an RFC 1123 subdomain must consist of $1'Example.com'",
    },
    {
      since: 37,
      fields,
      from: /^Too long: may not be more than 63 bytes$/,
      to: 'Too long: may not be more than 63 characters',
    },
    { since: 37, fields, ...MOVED },
  ];
}

function dottedNames(...fields: readonly string[]): CauseChange[] {
  return [
    { since: 37, fields, from: /: the domain must/, to: ': prefix must' },
    { since: 37, fields, from: /: the name must/, to: ': name must' },
    { since: 37, fields, from: /: (a lowercase RFC 1123 subdomain)/, to: ': prefix: $1' },
  ];
}

/** A condition of the form that newer kinds share. */
function conditions(path: string): CauseChange[] {
  return [
    {
      since: 37,
      fields: [`${path}[*].status`],
      from: /^Unsupported value: "": .*$/,
      to: 'Required value',
      reason: 'FieldValueRequired',
      isDeclared: false,
    },
    {
      since: 37,
      fields: [`${path}[*].type`],
      from: /^Invalid value: "": name part .*$/s,
      to: 'Required value: is required',
      reason: 'FieldValueRequired',
      isDeclared: false,
    },
    {
      since: 37,
      fields: [`${path}[*].type`],
      from: /^Duplicate value: /,
      to: '$&',
      field: [/\.type$/, ''],
      isDeclared: false,
    },
  ];
}

const ROLE: readonly CauseChange[] = [{ since: 37, fields: ['rules[*].verbs'], ...JUST_REQUIRED }];

const BINDING: readonly CauseChange[] = [
  {
    since: 37,
    fields: ['roleRef'],
    from: /: cannot change roleRef$/,
    to: ': field is immutable',
  },
  { since: 37, fields: ['subjects[*].name'], from: /^Required value/, to: '$&' },
];

const RESTART_RULES = ['containers', 'initContainers'].map(
  (list) => `spec.${list}[*].restartPolicyRules`,
);

/**
 * The words of the causes by kind. Most have changed where a rule that was written in Go is now declared with the type.
 * Found by the recorded answers of each version to `spec/rules`.
 */
const CHANGES: Readonly<Record<string, readonly CauseChange[]>> = {
  'admissionregistration.k8s.io/validatingadmissionpolicies': conditions('status.conditions'),
  pods: [
    {
      until: 35,
      fields: ['spec.containers[*].resizePolicy'],
      from: /when pod `restartPolicy`/,
      to: 'when `restartPolicy`',
      isDeclared: false,
    },
    {
      until: 35,
      fields: RESTART_RULES.flatMap((rules) => [rules, `${rules}[*].exitCodes.values`]),
      from: /^Too many: \d+: must have at most (\d+) items$/,
      to: 'Too long: may not be more than $1 bytes',
      reason: 'FieldValueTooLong',
      isDeclared: false,
    },
    {
      since: 37,
      fields: ['status.containerStatuses[*].allocatedResourcesStatus[*].name'],
      from: /must match one of the container's resource claims in .*$/,
      to: "must match one of the container's resource claims as 'claim:<claimName>/<requestName>' when container.resources.claims[*].request is set or 'claim:<claimName>' when it is empty",
      isDeclared: false,
    },
  ],
  'policy/poddisruptionbudgets': conditions('status.conditions'),
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': [
    { since: 37, fields: ['spec.validationActions'], ...JUST_REQUIRED },
  ],
  'autoscaling/horizontalpodautoscalers': [
    {
      until: 35,
      fields: ['spec.maxReplicas'],
      from: /^Required value: must be set and greater than 0$/,
      to: 'Invalid value: 0: must be greater than 0',
      reason: 'FieldValueInvalid',
      isDeclared: false,
    },
    {
      until: 35,
      fields: ['spec.maxReplicas'],
      from: /must be greater than or equal to 1$/,
      to: 'must be greater than 0',
      isDeclared: false,
    },
    { since: 37, fields: ['spec.maxReplicas'], ...JUST_REQUIRED },
    { since: 37, fields: ['spec.maxReplicas'], from: /or equal to 1$/, to: '$&' },
  ],
  'batch/cronjobs': [{ since: 37, fields: ['spec.schedule'], from: /^Required/, to: '$&' }],
  'certificates.k8s.io/certificatesigningrequests': [
    {
      since: 37,
      fields: ['status.conditions'],
      from: /^Invalid value: .*: Approved and Denied conditions are mutually exclusive$/,
      to: String.raw`Invalid value: "{conditions[{\"type\": \"Approved\"}], conditions[{\"type\": \"Denied\"}]}": must specify at most one of: ${'`'}conditions[{"type": "Approved"}]${'`'}, ${'`'}conditions[{"type": "Denied"}]${'`'}`,
    },
  ],
  'certificates.k8s.io/podcertificaterequests': conditions('status.conditions'),
  'discovery.k8s.io/endpointslices': [
    { since: 37, fields: ['endpoints[*].addresses'], ...JUST_REQUIRED },
    { since: 37, fields: ['addressType'], ...SHOWS_NOTHING },
  ],
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': [
    {
      until: 35,
      fields: ['spec.type'],
      from: /^Required value$/,
      to: 'Unsupported value: "": supported values: "Exempt", "Limited"',
      reason: 'FieldValueNotSupported',
      isDeclared: false,
    },
    {
      until: 35,
      fields: ['spec.limited.limitResponse.type'],
      from: /^Required value$/,
      to: 'Unsupported value: "": supported values: "Queue", "Reject"',
      reason: 'FieldValueNotSupported',
      isDeclared: false,
    },
    {
      since: 37,
      fields: ['spec.limited', 'spec.exempt', 'spec.limited.limitResponse.queuing'],
      from: /^(Required value|Forbidden).*$/,
      to: '$1',
      isDeclared: false,
    },
    {
      since: 37,
      fields: ['spec.type', 'spec.limited.limitResponse.type'],
      from: /^Required value/,
      to: '$&',
    },
  ],
  'networking.k8s.io/ipaddresses': [{ since: 37, fields: ['spec.parentRef'], ...SHOWS_NOTHING }],
  'node.k8s.io/runtimeclasses': [
    {
      until: 35,
      fields: ['handler'],
      from: /^Required value$/,
      to: "Invalid value: \"\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      reason: 'FieldValueInvalid',
      isDeclared: false,
    },
    { since: 37, fields: ['handler'], from: /63 characters$/, to: '63 bytes' },
    { since: 37, fields: ['handler'], ...SHOWS_NOTHING },
    { since: 37, fields: ['handler'], from: /^Required value/, to: '$&' },
  ],
  'rbac.authorization.k8s.io/roles': ROLE,
  'rbac.authorization.k8s.io/clusterroles': ROLE,
  'rbac.authorization.k8s.io/rolebindings': BINDING,
  'rbac.authorization.k8s.io/clusterrolebindings': BINDING,
  'resource.k8s.io/deviceclasses': longNames('spec.config[*].opaque.driver'),
  'resource.k8s.io/devicetaintrules': conditions('status.conditions'),
  'resource.k8s.io/resourceclaims': [
    ...conditions('status.devices[*].conditions'),
    ...longNames('spec.devices.config[*].opaque.driver'),
    ...dottedNames('spec.devices.constraints[*].matchAttribute'),
    { since: 37, fields: ['spec'], ...SHOWS_NOTHING },
    {
      since: 37,
      fields: ['status.allocation.devices.results[*].pool'],
      from: /: a lowercase RFC/,
      to: ': segment 0: a lowercase RFC',
    },
    {
      since: 37,
      fields: ['status.allocation.devices.results[*].pool'],
      from: /: must be no more than 253 characters$/,
      to: ': segment 0: must be no more than 253 bytes',
    },
    {
      since: 37,
      fields: ['status.allocation.devices.results[*].shareID'],
      from: /^(Invalid value: "[^"]*": ).*$/s,
      to: '$1must be a lowercase UUID in 8-4-4-4-12 format',
    },
  ],
  'resource.k8s.io/resourceslices': [
    {
      since: 37,
      fields: [
        'spec.devices[*].capacity[*].requestPolicy.validRange.min',
        'spec.devices[*].capacity[*].requestPolicy.validRange.max',
      ],
      from: /: default is (?:less|more) than/,
      to: '$&',
      field: [/\.(?:min|max)$/, '.default'],
      isDeclared: false,
    },
    {
      since: 37,
      fields: ['spec.devices[*].attributes[*]'],
      from: /^(Invalid value: "": )exactly one value must be specified$/,
      to: '$1must specify one of: `int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`',
    },
  ],
  'storage.k8s.io/storageclasses': [
    ...['parameters', 'provisioner', 'reclaimPolicy'].map(
      (field): CauseChange => ({
        until: 35,
        fields: [field],
        from: /^Invalid value: .*: field is immutable$/s,
        to: `Forbidden: updates to ${field} are forbidden.`,
        reason: 'FieldValueForbidden',
        isDeclared: false,
      }),
    ),
    {
      since: 37,
      fields: ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'],
      ...SHOWS_NOTHING,
    },
  ],
  'storage.k8s.io/volumeattachments': [
    ...longNames('spec.attacher'),
    { since: 37, fields: ['spec'], ...SHOWS_NOTHING },
  ],
  'storagemigration.k8s.io/storageversionmigrations': conditions('status.conditions'),
};

/** The changes of the words of one kind. */
export function causeChangesOf(
  group: string,
  resource: string,
): readonly CauseChange[] | undefined {
  return CHANGES[group === '' ? resource : `${group}/${resource}`];
}
