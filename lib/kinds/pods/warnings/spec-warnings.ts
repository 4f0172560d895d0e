import {
  isRecord,
  jsonEqual,
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  valueAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import { ipWarnings } from '../../../server/registry/validation/addresses/ip-formats.ts';
import {
  APP_ARMOR,
  appArmorOf,
  SECCOMP_CONTAINER,
  SECCOMP_POD,
} from '../report/profile-annotations.ts';
import { visitContainers } from '../report/pod-report.ts';
import { placementWarnings, podAffinityWarnings } from './placement-warnings.ts';
import { portWarnings } from './port-warnings.ts';
import { fractionWarnings, volumeWarnings } from './volume-warnings.ts';

/** A pod or a pod template. */
export interface WarnedTemplate {
  readonly metadata: unknown;
  readonly spec: unknown;
  /** The path of the template; empty for a pod. */
  readonly path: string;
}

const DEPRECATED_ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod':
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls':
    'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls':
    'non-functional in v1.11+; use the "sysctls" field instead',
};

/**
 * Texts for fields that are allowed but hardly meant.
 * @see pkg/api/pod/warnings.go @ v1.36.3
 */
export function specWarnings({ metadata, spec, path }: WarnedTemplate): string[] {
  if (!isRecord(spec)) return [];
  const annotations = recordAt(metadata, 'annotations') ?? {};
  const [specAt, notesAt] =
    path === ''
      ? ['spec', 'metadata.annotations']
      : [`${path}.spec`, `${path}.metadata.annotations`];
  return [
    ...placementWarnings(spec, specAt),
    ...Object.entries(DEPRECATED_ANNOTATIONS)
      .filter(([key]) => Object.hasOwn(annotations, key))
      .map(([key, text]) => `${notesAt}[${key}]: ${text}`),
    ...volumeWarnings(spec, specAt),
    ...repeated(recordsAt(spec, 'hostAliases'), 'ip', `${specAt}.hostAliases`),
    ...repeated(recordsAt(spec, 'imagePullSecrets'), 'name', `${specAt}.imagePullSecrets`),
    ...recordsAt(spec, 'imagePullSecrets').flatMap((one, index) =>
      textAt(one, 'name') === ''
        ? [`${specAt}.imagePullSecrets[${index}].name: invalid empty name ""`]
        : [],
    ),
    ...BYTE_RESOURCES.flatMap((name) =>
      fractionWarnings(valueAt(spec, 'overhead', name), `${specAt}.overhead[${name}]`),
    ),
    ...seccompWarnings(annotations[SECCOMP_POD], spec, `${notesAt}[${SECCOMP_POD}]`),
    ...containerWarnings(spec, specAt, { annotations, notesAt, isTemplate: path !== '' }),
    ...portWarnings(spec, specAt),
    ...(numberAt(spec, 'terminationGracePeriodSeconds') < 0
      ? [
          `${specAt}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...podAffinityWarnings(spec, specAt),
    ...textsAt(spec, 'dnsConfig', 'nameservers').flatMap((one, index) =>
      ipWarnings(`${specAt}.dnsConfig.nameservers[${index}]`, one),
    ),
    ...recordsAt(spec, 'hostAliases').flatMap((one, index) =>
      ipWarnings(`${specAt}.hostAliases[${index}].ip`, textAt(one, 'ip')),
    ),
  ];
}

const BYTE_RESOURCES = ['memory', 'ephemeral-storage'];

function repeated(list: readonly JsonRecord[], member: string, at: string): string[] {
  const texts = list.map((one) => textAt(one, member));
  return texts.flatMap((text, index) =>
    texts.indexOf(text) < index
      ? [`${at}[${index}].${member}: duplicate ${member} ${JSON.stringify(text)}`]
      : [],
  );
}

/** An annotation without the field that replaces it. */
function seccompWarnings(annotation: unknown, owner: JsonRecord, at: string): string[] {
  if (annotation === undefined) return [];
  if (valueAt(owner, 'securityContext', 'seccompProfile') !== undefined) return [];
  return [`${at}: non-functional in v1.27+; use the "seccompProfile" field instead`];
}

interface Notes {
  readonly annotations: JsonRecord;
  readonly notesAt: string;
  /** Pods are warned when the annotation is taken over. */
  readonly isTemplate: boolean;
}

function containerWarnings(
  spec: JsonRecord,
  path: string,
  { annotations, notesAt, isTemplate }: Notes,
): string[] {
  const warnings: string[] = [];
  const whole = valueAt(spec, 'securityContext', 'appArmorProfile');
  visitContainers(spec, path, (container, at) => {
    const name = textAt(container, 'name');
    const key = SECCOMP_CONTAINER + name;
    warnings.push(...seccompWarnings(annotations[key], container, `${notesAt}[${key}]`));
    const armor = annotations[APP_ARMOR + name];
    const own = valueAt(container, 'securityContext', 'appArmorProfile');
    if (isTemplate && own === undefined && typeof armor === 'string') {
      if (whole === undefined || !jsonEqual(whole, appArmorOf(armor))) {
        warnings.push(appArmorWarning(`${notesAt}[${APP_ARMOR}${name}]`));
      }
    }
    for (const resource of BYTE_RESOURCES) {
      for (const which of ['limits', 'requests']) {
        const amount = valueAt(container, 'resources', which, resource);
        warnings.push(...fractionWarnings(amount, `${at}.resources.${which}[${resource}]`));
      }
    }
    warnings.push(...environmentWarnings(recordsAt(container, 'env'), `${at}.env`));
  });
  return warnings;
}

export function appArmorWarning(at: string): string {
  return `${at}: deprecated since v1.30; use the "appArmorProfile" field instead`;
}

/** A variable that is set twice hides the first one, unless its value has a reference to it. */
function environmentWarnings(variables: readonly JsonRecord[], at: string): string[] {
  const known = new Set<string>();
  return variables.flatMap((one, index) => {
    const name = textAt(one, 'name');
    const isKnown = known.has(name);
    known.add(name);
    if (!isKnown) return [];
    const value = textAt(one, 'value');
    const reference = `$(${name})`;
    const isExtended = value !== reference && value.includes(reference);
    if (one['valueFrom'] === undefined && isExtended) return [];
    return [
      `${at}[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}
