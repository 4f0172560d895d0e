import { isRecord, recordAt, textAt, valueAt, type JsonRecord } from '../../../meta/json-value.ts';
import type { Report } from '../../../server/registry/validation/check.ts';
import { format } from '../../../server/registry/validation/values.ts';
import { tolerations } from '../placement/tolerations.ts';
import { MIRROR_ANNOTATION, type PodReport } from '../report/pod-report.ts';
import {
  APP_ARMOR,
  LOCALHOST,
  SECCOMP_CONTAINER,
  SECCOMP_POD,
} from '../report/profile-annotations.ts';
import { descendingPath } from '../volumes/local-path.ts';

const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

const INT32 = /^(?:0|-\d+|[1-9]\d*)$/;

function isDeletionCost(value: string): boolean {
  if (!INT32.test(value)) return false;
  return Number(value) >= -(2 ** 31) && Number(value) < 2 ** 31;
}

const profilePath = format(descendingPath);

function checkSeccomp(profile: string, path: string, report: Report): void {
  if (profile.startsWith(LOCALHOST)) {
    profilePath(profile.slice(LOCALHOST.length), path, report);
    return;
  }
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return;
  report.invalid(path, profile, 'must be a valid seccomp profile');
}

function isAppArmor(profile: string): boolean {
  return ['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith(LOCALHOST);
}

/**
 * Annotations that say something about the spec.
 * @see pkg/apis/core/validation/validation.go ValidatePodSpecificAnnotations @ v1.36.3
 */
export function checkPodAnnotations(
  annotations: unknown,
  path: string,
  pod: PodReport,
  before?: unknown,
): void {
  if (!isRecord(annotations)) return;
  if (annotations[MIRROR_ANNOTATION] !== undefined && textAt(pod.spec, 'nodeName') === '') {
    const rule = 'must set spec.nodeName if mirror pod annotation is set';
    const value = annotations[MIRROR_ANNOTATION];
    pod.invalid(`${path}[${MIRROR_ANNOTATION}]`, value, rule);
  }
  checkTolerations(annotations[TOLERATIONS], path, pod);
  const cost = annotations[DELETION_COST];
  const wasWrong = isRecord(before) && !isDeletionCost(textAt(before, DELETION_COST) || '0');
  if (typeof cost === 'string' && !isDeletionCost(cost) && !wasWrong) {
    pod.invalid(`${path}[${DELETION_COST}]`, cost, 'must be a 32bit integer');
  }
  const keys = Object.keys(annotations).toSorted();
  if (typeof annotations[SECCOMP_POD] === 'string') {
    checkSeccomp(annotations[SECCOMP_POD], `${path}.${SECCOMP_POD}`, pod);
  }
  for (const key of keys) {
    if (key.startsWith(SECCOMP_CONTAINER)) {
      checkSeccomp(String(annotations[key]), `${path}.${key}`, pod);
    }
  }
  for (const key of keys) {
    if (key.startsWith(APP_ARMOR)) checkAppArmor(key, String(annotations[key]), path, pod);
  }
}

/** Tolerations as JSON, from times when they were no field. */
function checkTolerations(text: unknown, path: string, pod: PodReport): void {
  if (typeof text !== 'string' || text === '') return;
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    pod.invalid(path, TOLERATIONS, 'invalid JSON');
    return;
  }
  tolerations(list, `${path}.${TOLERATIONS}`, pod);
}

function checkAppArmor(key: string, profile: string, path: string, pod: PodReport): void {
  const container = key.slice(APP_ARMOR.length);
  let isThere = false;
  pod.visitContainers((one) => {
    isThere ||= textAt(one, 'name') === container;
  });
  const at = `${path}[${key}]`;
  if (!isThere) pod.invalid(at, container, 'container not found');
  if (isAppArmor(profile)) return;
  const rule = `invalid AppArmor profile name: ${JSON.stringify(profile)}`;
  pod.invalid(at, profile, rule);
}

/** Annotations that an update must not touch. */
export function checkKeptAnnotations(
  annotations: JsonRecord,
  before: JsonRecord,
  path: string,
  report: Report,
): void {
  const check = (key: string, verb: string): void => {
    const at = `${path}[${key}]`;
    if (key.startsWith(APP_ARMOR)) report.forbidden(at, `may not ${verb} AppArmor annotations`);
    if (key === MIRROR_ANNOTATION) report.forbidden(at, `may not ${verb} mirror pod annotation`);
  };
  for (const key of Object.keys(before)) {
    if (annotations[key] !== before[key]) check(key, 'remove or update');
  }
  for (const key of Object.keys(annotations)) {
    if (!Object.hasOwn(before, key)) check(key, 'add');
  }
}

interface ProfileKind {
  readonly word: string;
  readonly field: string;
  readonly runtimeDefault: readonly string[];
}

const SECCOMP: ProfileKind = {
  word: 'seccomp',
  field: 'seccompProfile',
  runtimeDefault: ['runtime/default', 'docker/default'],
};
const APP_ARMOR_KIND: ProfileKind = {
  word: 'apparmor',
  field: 'appArmorProfile',
  runtimeDefault: ['runtime/default'],
};

function checkMatch(
  annotation: unknown,
  profile: unknown,
  path: string,
  { word, field, runtimeDefault }: ProfileKind,
  report: Report,
): void {
  if (typeof annotation !== 'string' || !isRecord(profile)) return;
  const at = `${path}.securityContext.${field}`;
  const refuse = (member: string, what: string): void =>
    report.forbidden(`${at}.${member}`, `${word} ${what} in annotation and field must match`);
  const { type, localhostProfile } = profile;
  const isLocal = annotation.startsWith(LOCALHOST);
  if (type === 'Unconfined' && annotation !== 'unconfined') refuse('type', 'type');
  if (type === 'RuntimeDefault' && !runtimeDefault.includes(annotation)) refuse('type', 'type');
  if (type !== 'Localhost') return;
  if (!isLocal) refuse('type', 'type');
  else if (annotation.slice(LOCALHOST.length) !== localhostProfile) {
    refuse('localhostProfile', 'profile');
  }
}

/** Profiles that are given in annotations and in fields have to be the same. */
export function checkProfileAnnotations(annotations: unknown, pod: PodReport, path: string): void {
  if (!isRecord(annotations)) return;
  const whole = recordAt(pod.spec, 'securityContext');
  checkMatch(annotations[SECCOMP_POD], whole?.['seccompProfile'], path, SECCOMP, pod);
  pod.visitContainers((container, at) => {
    const profile = valueAt(container, 'securityContext', 'seccompProfile');
    const annotation = annotations[SECCOMP_CONTAINER + textAt(container, 'name')];
    checkMatch(annotation, profile, at, SECCOMP, pod);
  });
  if (pod.os === 'windows') return;
  pod.visitContainers((container, at) => {
    const own = valueAt(container, 'securityContext', 'appArmorProfile');
    const annotation = annotations[APP_ARMOR + textAt(container, 'name')];
    checkMatch(annotation, own ?? whole?.['appArmorProfile'], at, APP_ARMOR_KIND, pod);
  });
}
