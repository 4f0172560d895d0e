/**
 * Why a text is no name of a time zone, undefined when it is one. Names are those of the zone data of Node.js; case counts, as it does
 * for files of a zone data base.
 * @see pkg/apis/batch/validation/validation.go validateTimeZone @ v1.36.3
 */
export function timeZoneProblem(name: string): string | undefined {
  if (name === '' || name === 'UTC' || name === 'Local') return undefined;
  return isKnown(name) ? undefined : `unknown time zone ${name}`;
}

/** The words of names of zones that do not begin with their only capital letter. */
const ODD_WORDS: ReadonlyMap<string, string> = new Map(
  (
    'ACT BajaNorte BajaSur CET CHAT CST6CDT ComodRivadavia DeNoronha DumontDUrville EET EST EST5EDT EasterIsland GB GMT GMT0 HST ' +
    'IN LHI MET MST MST7MDT McMurdo NSW NZ PRC PST8PDT ROC ROK SU UCT US UTC WET au es of'
  )
    .split(' ')
    .map((word) => [word.toLowerCase(), word]),
);

function isKnown(name: string): boolean {
  // Of the data base only: the zone of a machine that was not set up.
  if (name === 'Factory') return true;
  // Offsets are no names.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    void new Intl.DateTimeFormat('en', { timeZone: name });
    return name === withCapitals(name);
  } catch {
    return false;
  }
}

/** The name of a zone in the case of the data base: Node.js takes any case, and returns that of the first of several names only. */
function withCapitals(name: string): string {
  return name.toLowerCase().replaceAll(/[a-z][a-z0-9]*/g, (word) => {
    return ODD_WORDS.get(word) ?? word.slice(0, 1).toUpperCase() + word.slice(1);
  });
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
