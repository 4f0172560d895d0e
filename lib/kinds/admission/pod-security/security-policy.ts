import type { FieldCause } from '../../../meta/failure/failures.ts';
import type { Labels } from '../../../meta/selectors/label-selector.ts';
import { fieldInvalid } from '../../../server/registry/rules/field-causes.ts';

/** From the least strict to the strictest. */
const LEVELS = ['privileged', 'baseline', 'restricted'] as const;

export type SecurityLevel = (typeof LEVELS)[number];

/** Which standards a pod is compared with. */
export interface LevelVersion {
  readonly level: SecurityLevel;
  /** As written: `latest` or `v1.N`. */
  readonly version: string;
  /** Infinity for `latest`. */
  readonly minor: number;
}

type Mode = 'enforce' | 'audit' | 'warn';

/** The levels of a namespace. */
export interface SecurityPolicy extends Readonly<Record<Mode, LevelVersion>> {
  /** Labels that cannot be read. */
  readonly faults: readonly FieldCause[];
}

export const SECURITY_PREFIX = 'pod-security.kubernetes.io/';

const LATEST = { version: 'latest', minor: Infinity };
const PRIVILEGED: LevelVersion = { level: 'privileged', ...LATEST };

/** The policy of namespaces without labels: the default of kube-apiserver. */
export const PRIVILEGED_POLICY: SecurityPolicy = {
  enforce: PRIVILEGED,
  audit: PRIVILEGED,
  warn: PRIVILEGED,
  faults: [],
};

/**
 * The policy that the labels of a namespace ask for; undefined when none of them is about pod security. A wrong level is the strictest one
 * where pods are refused, and none where they are only reported.
 * @see pod-security-admission api/helpers.go PolicyToEvaluate @ v0.37.2
 */
export function policyOf(labels: Labels): SecurityPolicy | undefined {
  if (labels === undefined) return undefined;
  if (!Object.keys(labels).some((name) => name.startsWith(SECURITY_PREFIX))) return undefined;
  const enforce = readMode(labels, 'enforce');
  const audit = readMode(labels, 'audit');
  const warn = readMode(labels, 'warn');
  return {
    enforce: enforce.at,
    audit: audit.at,
    warn: isRaised(labels, enforce, warn) ? raised(labels, enforce.at, warn.at) : warn.at,
    faults: [enforce, audit, warn].flatMap((one) => one.faults),
  };
}

/** Who is refused is warned as well, unless the labels say when to warn. */
function isRaised(labels: NonNullable<Labels>, enforce: ReadMode, warn: ReadMode): boolean {
  if (labels[`${SECURITY_PREFIX}warn`] !== undefined || enforce.isWrongLevel) return false;
  return strictness(enforce.at) > strictness(warn.at);
}

function raised(
  labels: NonNullable<Labels>,
  enforce: LevelVersion,
  warn: LevelVersion,
): LevelVersion {
  const isVersioned = labels[`${SECURITY_PREFIX}warn-version`] !== undefined;
  return { ...(isVersioned ? warn : enforce), level: enforce.level };
}

/** The place of a level among all of them. */
export function strictness({ level }: LevelVersion): number {
  return LEVELS.indexOf(level);
}

export function isSameLevel(left: LevelVersion, right: LevelVersion): boolean {
  return left.level === right.level && left.version === right.version;
}

/** `restricted:latest`. */
export function levelText({ level, version }: LevelVersion): string {
  return `${level}:${version}`;
}

interface ReadMode {
  readonly at: LevelVersion;
  readonly faults: readonly FieldCause[];
  readonly isWrongLevel: boolean;
}

function readMode(labels: NonNullable<Labels>, mode: Mode): ReadMode {
  const faults: FieldCause[] = [];
  const levelLabel = `${SECURITY_PREFIX}${mode}`;
  const versionLabel = `${levelLabel}-version`;
  const { [levelLabel]: level = 'privileged', [versionLabel]: asked = 'latest' } = labels;
  const known = LEVELS.find((one) => one === level);
  if (known === undefined) {
    faults.push(labelFault(levelLabel, level, `must be one of ${LEVELS.join(', ')}`));
  }
  const version = readVersion(asked);
  if (version === undefined) {
    faults.push(labelFault(versionLabel, asked, 'must be "latest" or "v1.x"'));
  }
  const inDoubt = mode === 'enforce' ? 'restricted' : 'privileged';
  const at = { level: known ?? inDoubt, ...(version ?? LATEST) };
  return { at, faults, isWrongLevel: known === undefined };
}

const VERSION = /^v1\.(0|[1-9]\d*)$/;
const LARGEST_INT64 = 2n ** 63n - 1n;

function readVersion(text: string): Pick<LevelVersion, 'version' | 'minor'> | undefined {
  if (text === 'latest') return LATEST;
  const minor = VERSION.exec(text)?.[1];
  if (minor === undefined || BigInt(minor) > LARGEST_INT64) return undefined;
  return { version: text, minor: Number(minor) };
}

function labelFault(label: string, value: string, rule: string): FieldCause {
  return fieldInvalid(`metadata.labels[${label}]`, value, rule);
}
