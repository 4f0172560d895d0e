import type { FieldCause } from '../../../meta/failure/failures.ts';
import { NEWEST_MINOR, type KubernetesMinor } from '../../../meta/releases/kubernetes-releases.ts';
import { anyItem, type DeclaredRules } from './declared-rules.ts';
import { isSince } from '../../../meta/releases/kubernetes-features.ts';

/** A cause that a minor version words in another way than those before it. The rule that finds it is the same. */
export interface CauseChange {
  /** The first minor version with the new words. Without it, `until` is the last one with the old words, and the rule has the new ones. */
  readonly since?: KubernetesMinor;
  readonly until?: KubernetesMinor;
  /** The paths of the field, with `[*]` for each index and key. */
  readonly fields: readonly string[];
  /** The message that is replaced. @defaultValue any */
  readonly from?: RegExp;
  /** The message in its place; `$1` as in `String.replace`. @defaultValue the same */
  readonly to?: string;
  readonly reason?: FieldCause['reason'];
  /** The part of the path of the field that is replaced, and its replacement. */
  readonly field?: readonly [RegExp, string];
  /** A declared rule runs after those that are written in Go, so that its causes come last. @defaultValue true */
  readonly isDeclared?: boolean;
}

const OWNER = 'metadata.ownerReferences';
const OF_OWNER = [/\[\d+\]/, ''] as const;

/** Those of the metadata of all kinds. */
const COMMON: readonly CauseChange[] = [
  {
    until: 36,
    fields: [`${OWNER}[*].apiVersion`],
    from: /^Required value: must not be empty$/,
    to: 'Invalid value: "": version must not be empty',
    reason: 'FieldValueInvalid',
    field: OF_OWNER,
    isDeclared: false,
  },
  {
    until: 36,
    fields: [`${OWNER}[*].apiVersion`],
    from: /: must be <group>.*$/,
    to: ': version must not be empty',
    reason: 'FieldValueInvalid',
    field: OF_OWNER,
    isDeclared: false,
  },
  {
    until: 36,
    fields: [`${OWNER}[*].kind`, `${OWNER}[*].name`, `${OWNER}[*].uid`],
    from: /^Required value: /,
    to: 'Invalid value: "": ',
    reason: 'FieldValueInvalid',
    field: OF_OWNER,
    isDeclared: false,
  },
  { until: 36, fields: [`${OWNER}[*]`], field: OF_OWNER, isDeclared: false },
];

/** Groups whose kinds have no declared rules: only the others drop causes that are found twice. */
const WITHOUT_DECLARED: ReadonlySet<string> = new Set([
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
]);

/** The causes of a refusal, as the version of the kind words them and in its order. */
export function causesOfVersion(
  {
    minor = NEWEST_MINOR,
    causeChanges = [],
    describe,
    declared: custom,
    declaredRules,
  }: {
    readonly minor?: KubernetesMinor | undefined;
    readonly causeChanges?: readonly CauseChange[] | undefined;
    readonly describe?: { readonly group: string } | undefined;
    /** Of a custom resource. */
    readonly declared?: object | undefined;
    readonly declaredRules?: (() => DeclaredRules | undefined) | undefined;
  },
  causes: readonly FieldCause[],
): readonly FieldCause[] {
  const rules = declaredRules?.();
  const all = causes.map((cause): WordedCause => {
    const change = changeOf(cause, minor, [...causeChanges, ...COMMON]);
    const shown = change === undefined ? cause : changed(cause, change);
    const isMoved = change !== undefined && change.isDeclared !== false;
    return { cause: shown, isMoved, isDeclared: isMoved || rules?.has(shown) === true };
  });
  const fixed = all.flatMap(({ cause, isDeclared }) =>
    isDeclared && isOfChange(cause) ? [cause.field] : [],
  );
  const written: FieldCause[] = [];
  const declared: FieldCause[] = [];
  for (const one of all) {
    if (one.isDeclared && !isHidden(one, fixed)) addDeclared(declared, one.cause);
    else written.push(one.cause);
  }
  if (rules !== undefined) declared.sort((one, other) => rules.compare(one, other));
  const inOrder = [...written, ...declared];
  const isPlain = custom !== undefined || WITHOUT_DECLARED.has(describe?.group ?? '');
  return !isPlain && isSince(minor, 'distinctCauses') ? distinct(inOrder) : inOrder;
}

interface WordedCause {
  readonly cause: FieldCause;
  /** A change says that it is declared. */
  readonly isMoved: boolean;
  readonly isDeclared: boolean;
}

function isOfChange({ message }: FieldCause): boolean {
  return message.endsWith('field is immutable');
}

/** No other declared rule looks at a field that may not change, or below it. */
function isHidden({ cause, isMoved }: WordedCause, fixed: readonly string[]): boolean {
  const { field } = cause;
  return fixed.some((above) => {
    if (field === above) return !isMoved && !isOfChange(cause);
    return field.startsWith(`${above}.`) || field.startsWith(`${above}[`);
  });
}

/** That a field may not change is found before what else is wrong with it. */
function addDeclared(declared: FieldCause[], cause: FieldCause): void {
  const at = isOfChange(cause) ? declared.findIndex(({ field }) => field === cause.field) : -1;
  declared.splice(at < 0 ? declared.length : at, 0, cause);
}

function changeOf(
  { field, message }: FieldCause,
  minor: KubernetesMinor,
  changes: readonly CauseChange[],
): CauseChange | undefined {
  const path = anyItem(field);
  return changes.find(
    ({ since = 0, until = Number.POSITIVE_INFINITY, fields, from }) =>
      since <= minor && minor <= until && fields.includes(path) && (from?.test(message) ?? true),
  );
}

function changed(cause: FieldCause, { from, to, reason, field }: CauseChange): FieldCause {
  return {
    ...cause,
    ...(reason !== undefined && { reason }),
    ...(from !== undefined && to !== undefined && { message: cause.message.replace(from, to) }),
    ...(field !== undefined && { field: cause.field.replace(...field) }),
  };
}

function distinct(causes: readonly FieldCause[]): FieldCause[] {
  const seen = new Set<string>();
  return causes.filter(({ field, message }) => {
    const text = `${field}: ${message}`;
    return !seen.has(text) && seen.add(text);
  });
}
