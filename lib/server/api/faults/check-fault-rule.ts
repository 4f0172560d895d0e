import type { ListwatchError } from '../../../kernel/failure/errors.ts';
import {
  invalidOption,
  is,
  optionsOf,
  type OptionRule,
} from '../../../kernel/options/options-schema.ts';
import type {
  AfterEvents,
  FaultAnswer,
  FaultEffects,
  FaultMatch,
  FaultRule,
} from './fault-rule.ts';

const OWNER = 'faults.add';

const EFFECTS: readonly (keyof FaultEffects)[] = [
  'delayMs',
  'compact',
  'answer',
  'reset',
  'holdEventsMs',
  'expire',
  'end',
  'silence',
];
const WATCH_ONLY: readonly (keyof FaultEffects)[] = ['holdEventsMs', 'expire', 'end', 'silence'];
const VERBS: readonly string[] = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
];

const count = is.integer({ min: 0 });
const MATCH = optionsOf<FaultMatch>()(OWNER, {
  verb: is.anything(),
  resource: is.anything(),
  group: is.anything(),
  namespace: is.anything(),
  name: is.anything(),
  user: is.anything(),
  path: is.anything(),
});
const ANSWER = optionsOf<FaultAnswer>()(OWNER, {
  status: is.integer({ min: 400, max: 599 }).required,
  retryAfterSeconds: count,
  message: is.text(),
});
const place: OptionRule<true | AfterEvents, undefined> = optionsOf<AfterEvents>()(OWNER, {
  afterEvents: count.required,
}).nestedOr('true or { afterEvents }', true);
const RULE = optionsOf<FaultRule>()(OWNER, {
  match: MATCH.nested,
  times: is.integer({ min: 1 }),
  skip: count,
  probability: is.number({ min: 0, max: 1 }),
  seed: is.anything(),
  delayMs: is.rule<number | readonly [number, number]>(
    'milliseconds, or two bounds [least, most]',
    isDelay,
  ),
  compact: is.anything(),
  answer: ANSWER.nested,
  reset: is.anything(),
  holdEventsMs: is.number({ min: 0 }),
  expire: place,
  end: place,
  silence: place,
});

/**
 * Refuses a rule that could never do what it says.
 * @throws {ListwatchError} code INVALID_OPTION naming the field and the rule.
 */
export function checkFaultRule(rule: FaultRule): void {
  RULE.read(rule);
  checkMatch(rule.match ?? {});
  checkReset(rule.reset);
  const effects = EFFECTS.filter((name) => rule[name] !== undefined);
  if (effects.length === 0) {
    throw invalid(`a fault needs an effect: one of ${EFFECTS.join(', ')}`);
  }
  checkWatchOnly(rule, effects);
}

function checkMatch(match: FaultMatch): void {
  for (const verb of [match.verb ?? []].flat()) {
    if (VERBS.includes(verb)) continue;
    throw invalid(`match.verb ${JSON.stringify(verb)} is no verb; known are ${VERBS.join(', ')}`);
  }
  for (const name of [match.resource ?? []].flat()) {
    if (/^[a-z0-9]+(\/[a-z]+)?$/.test(name)) continue;
    const remedy =
      'give the plural in lower case, e.g. "pods" or "pods/status", and the group in match.group';
    throw invalid(`match.resource ${JSON.stringify(name)} is no resource; ${remedy}`);
  }
}

function isDelay(delay: unknown): boolean {
  const [least, most] = Array.isArray(delay) ? (delay as readonly unknown[]) : [delay, delay];
  return typeof least === 'number' && typeof most === 'number' && least >= 0 && most >= least;
}

const RESET = optionsOf<{ handled?: true; afterEvents?: number; afterBytes?: number }>()(OWNER, {
  handled: is.anything(),
  afterEvents: count,
  afterBytes: count,
});

function checkReset(reset: FaultRule['reset']): void {
  if (reset === undefined || reset === true) return;
  RESET.read(reset, OWNER, 'reset.');
  const [[name, value] = ['', undefined], ...more] = Object.entries(reset);
  if (more.length === 0 && name !== '' && (name !== 'handled' || value === true)) return;
  throw invalid(
    'option "reset" must be true, { handled: true }, { afterEvents: N } or { afterBytes: N }',
  );
}

/** A rule for another verb, whose effect only a watch can have, would never fire. */
function checkWatchOnly(rule: FaultRule, effects: readonly string[]): void {
  const { verb } = rule.match ?? {};
  if (verb === undefined || [verb].flat().includes('watch')) return;
  const counts = typeof rule.reset === 'object' && 'afterEvents' in rule.reset;
  const name = counts ? 'reset.afterEvents' : WATCH_ONLY.find((one) => effects.includes(one));
  if (name === undefined) return;
  throw invalid(`"${name}" is for watches; leave match.verb out or add "watch" to it`);
}

function invalid(message: string): ListwatchError {
  return invalidOption(OWNER, message);
}
