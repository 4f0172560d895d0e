import { ListwatchError } from '../../../kernel/failure/errors.ts';
import {
  numberOption,
  rejectUnknownOptions,
  requireOptions,
} from '../../../kernel/options/options.ts';
import type { AfterEvents, FaultEffects, FaultMatch, FaultRule } from './fault-rule.ts';

const OWNER = 'faults.add';

const MATCH: readonly (keyof FaultMatch)[] = [
  'verb',
  'resource',
  'group',
  'namespace',
  'name',
  'user',
  'path',
];
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

/**
 * Refuses a rule that could never do what it says.
 * @throws {ListwatchError} code INVALID_OPTION naming the field and the rule.
 */
export function checkFaultRule(rule: FaultRule): void {
  rejectUnknownOptions(OWNER, rule, ['match', 'times', 'skip', 'probability', 'seed', ...EFFECTS]);
  checkMatch(rule.match ?? {});
  const whole = { min: 0, integer: true };
  numberOption(OWNER, 'times', rule.times, 1, { ...whole, min: 1 });
  numberOption(OWNER, 'skip', rule.skip, 0, whole);
  numberOption(OWNER, 'probability', rule.probability, 1, { min: 0, max: 1 });
  numberOption(OWNER, 'holdEventsMs', rule.holdEventsMs, 0, { min: 0 });
  checkDelay(rule.delayMs);
  checkAnswer(rule.answer);
  checkReset(rule.reset);
  for (const name of ['expire', 'end', 'silence'] as const) checkPlace(name, rule[name]);
  const effects = EFFECTS.filter((name) => rule[name] !== undefined);
  if (effects.length === 0) {
    throw invalid(`a fault needs an effect: one of ${EFFECTS.join(', ')}`);
  }
  checkWatchOnly(rule, effects);
}

function checkMatch(match: FaultMatch): void {
  rejectUnknownOptions(`${OWNER}: match`, match, MATCH);
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

function checkDelay(delay: FaultRule['delayMs']): void {
  if (delay === undefined || typeof delay === 'number') {
    numberOption(OWNER, 'delayMs', delay, 0, { min: 0 });
    return;
  }
  const [least, most] = Array.isArray(delay) ? (delay as readonly unknown[]) : [];
  if (typeof least === 'number' && typeof most === 'number' && least >= 0 && most >= least) return;
  throw invalid('option "delayMs" must be milliseconds, or two bounds [least, most]');
}

function checkAnswer(answer: FaultRule['answer']): void {
  if (answer === undefined) return;
  const owner = `${OWNER}: answer`;
  rejectUnknownOptions(owner, answer, ['status', 'retryAfterSeconds', 'message']);
  const { status, retryAfterSeconds } = answer;
  requireOptions(owner, answer, ['status']);
  numberOption(owner, 'status', status, 0, { min: 400, max: 599, integer: true });
  numberOption(owner, 'retryAfterSeconds', retryAfterSeconds, 0, { min: 0, integer: true });
}

function checkReset(reset: FaultRule['reset']): void {
  if (reset === undefined || reset === true) return;
  const owner = `${OWNER}: reset`;
  rejectUnknownOptions(owner, reset, ['handled', 'afterEvents', 'afterBytes']);
  const [[name, value] = ['', undefined], ...more] = Object.entries(reset);
  if (more.length > 0 || name === '' || (name === 'handled' && value !== true)) {
    throw invalid(
      'option "reset" must be true, { handled: true }, { afterEvents: N } or { afterBytes: N }',
    );
  }
  if (name === 'handled') return;
  numberOption(owner, name, value as number, 0, { min: 0, integer: true });
}

function checkPlace(name: string, place: true | AfterEvents | undefined): void {
  if (place === undefined || place === true) return;
  const owner = `${OWNER}: ${name}`;
  rejectUnknownOptions(owner, place, ['afterEvents']);
  requireOptions(owner, place, ['afterEvents']);
  numberOption(owner, 'afterEvents', place.afterEvents, 0, { min: 0, integer: true });
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
  return new ListwatchError('INVALID_OPTION', `${OWNER}: ${message}`);
}
