/**
 * Why a text is no name of a time zone, undefined when it is one. Names are those of the zone data of Node.js; case counts, as it does
 * for files of a zone data base.
 * @see pkg/apis/batch/validation/validation.go validateTimeZone @ v1.36.3
 */
export function timeZoneProblem(name: string): string | undefined {
  if (name === '' || name === 'UTC' || name === 'Local') return undefined;
  return isKnown(name) ? undefined : `unknown time zone ${name}`;
}

function isKnown(name: string): boolean {
  // Offsets are no names.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    if (timeZone.toLowerCase() === name.toLowerCase()) return timeZone === name;
    // Another name of the zone, whose case is not known.
    return name !== name.toLowerCase();
  } catch {
    return false;
  }
}

const PART = /^(?!\.{1,2}$|-)[A-Za-z.\-_0-9+]{1,14}$/;

/** The faults of the time zone of a schedule. */
export function scheduleZoneProblems(name: string): readonly string[] {
  if (name === '') return ['timeZone must be nil or non-empty string'];
  if (!name.split('/').every((part) => PART.test(part))) return [`unknown time zone ${name}`];
  const problem = timeZoneProblem(name);
  const problems = problem === undefined ? [] : [problem];
  if (name.toLowerCase() !== 'local') return problems;
  return [
    'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ...problems,
  ];
}
