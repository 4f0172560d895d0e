import type { Finding, FindingClass } from './finding.ts';

/** Classes whose subject is an object, `RESOURCE OBJECT`. */
const ABOUT_OBJECTS: ReadonlySet<FindingClass> = new Set([
  'end-state',
  'summary',
  'orphan',
  'finalizer',
  'observed-generation',
]);

/** The common part of findings of one cause: the oracle, the kind of the object, and the difference. A text for people. */
export function causeOf({ class: kind, subject, difference }: Finding): string {
  const [resource = ''] = subject.split(' ');
  const about = ABOUT_OBJECTS.has(kind) ? resource : subject;
  return [kind, about, ...(difference === undefined ? [] : [difference])].join(': ');
}
