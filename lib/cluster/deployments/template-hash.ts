import { sameContent } from '../../meta/content/same-content.ts';
import type { PodTemplateSpec } from '../../types/built-in/core-v1-kinds.ts';

/** The label by which the ReplicaSets of one Deployment select only their own pods. */
export const HASH_LABEL = 'pod-template-hash';

/** Without vowels and digits that look like them, so that no word comes of it. */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * A short text for a template, safe in names and labels. Other contents may have the same one: the number of such collisions so far
 * changes it. It is not that of kube-controller-manager, which hashes the memory of a program in Go; nothing compares the two.
 * @see kubernetes pkg/controller/controller_utils.go ComputeHash @ v1.37.2
 */
export function templateHash(template: PodTemplateSpec, collisions: number | undefined): string {
  const text = `${canonical(template)}${collisions ?? ''}`;
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, FNV_PRIME) >>> 0;
  const digits = Array.from(String(hash));
  return digits.map((digit) => SAFE[digit.charCodeAt(0) % SAFE.length]).join('');
}

/** JSON with the members of each object in the order of their names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const entries = Object.entries(member);
    return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}

/** Whether pods of both templates are the same, apart from the label that the controller adds. */
export function isSameTemplate(
  one: PodTemplateSpec | undefined,
  other: PodTemplateSpec | undefined,
): boolean {
  return sameContent(withoutHash(one), withoutHash(other));
}

function withoutHash({ metadata, spec }: PodTemplateSpec = {}): PodTemplateSpec {
  const { [HASH_LABEL]: _, ...labels } = metadata?.labels ?? {};
  return { metadata: { ...metadata, labels }, spec };
}
