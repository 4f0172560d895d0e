import type { Container } from '../../../types/built-in/core-v1-kinds.ts';
import type { ContainerBehaviour } from './container-behaviour.ts';

const SHELLS = /^(?:\/(?:usr\/)?bin\/)?(?:sh|bash|ash)$/;
/** Images whose arguments are a program, as in `kubectl run x --image=busybox -- sleep 5`. */
const WITHOUT_ENTRY_POINT = /(?:^|\/)(?:busybox|alpine|debian|ubuntu|fedora)(?:[:@]|$)/;
const SLEEP = /^(\d+(?:\.\d+)?)([smhd]?)$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
/** A program that does not handle SIGTERM. */
const TERMINATED = 143;

/** The outcome of a command. */
interface CommandEnd {
  readonly runsForMs: number;
  readonly exitCode: number;
  readonly output: readonly string[];
  /** Whether the shell ends with it. */
  readonly isExit?: boolean;
}

/**
 * The behaviour of a container whose command says it: `true`, `false`, `sleep N`, `echo TEXT`, `exit N`, alone or in `sh -c` with `;` and
 * `&&` between them. Undefined for every other command, and for a script that has anything else in it.
 */
export function knownCommand({
  image = '',
  command = [],
  args = [],
}: Pick<Container, 'image' | 'command' | 'args'>): ContainerBehaviour | undefined {
  // Without a command, the arguments of other images are those of a program that is not known.
  const isKnown = command.length > 0 || WITHOUT_ENTRY_POINT.test(image);
  const end = isKnown ? commandOutcome([...command, ...args]) : undefined;
  if (end === undefined) return undefined;
  const { runsForMs, exitCode, output } = end;
  return { runsForMs, exitCode, stopCode: TERMINATED, output };
}

/** The outcome of a program with its arguments, if those say it. */
export function commandOutcome(words: readonly string[]): CommandEnd | undefined {
  const [program, option, script, ...rest] = words;
  if (program === undefined || !SHELLS.test(program)) return commandEnd(words);
  if (option !== '-c' || script === undefined || rest.length > 0) return undefined;
  return scriptEnd(script);
}

function scriptEnd(script: string): CommandEnd | undefined {
  let runsForMs = 0;
  let exitCode = 0;
  const output: string[] = [];
  // The separator before a command belongs to it.
  for (const [, separator = '', text = ''] of `;${script}`.matchAll(/(;|&&|\n)([^;&\n]*)/g)) {
    const words = wordsOf(text);
    if (words === undefined) return undefined;
    if (words.length === 0 || (separator === '&&' && exitCode !== 0)) continue;
    const end = commandEnd(words);
    // A log has the times of its lines, which only those at the start have.
    if (end === undefined || (end.output.length > 0 && runsForMs > 0)) return undefined;
    runsForMs += end.runsForMs;
    ({ exitCode } = end);
    output.push(...end.output);
    if (end.isExit === true) break;
  }
  return /(?:^|[^&])&(?:[^&]|$)/.test(script) ? undefined : { runsForMs, exitCode, output };
}

/** The words of a command; undefined if a shell would replace something in them. */
function wordsOf(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const [word] = /^(?:"[^"$`\\]*"|'[^']*'|[^\s"'$`\\|<>(){}*?]+)(?=\s|$)/.exec(rest) ?? [];
    if (word === undefined) return undefined;
    words.push(/^["']/.test(word) ? word.slice(1, -1) : word);
    rest = rest.slice(word.length).trimStart();
  }
  return words;
}

function commandEnd([program = '', ...args]: readonly string[]): CommandEnd | undefined {
  const name = program.slice(program.lastIndexOf('/') + 1);
  const [first = ''] = args;
  const end = { runsForMs: 0, exitCode: 0, output: [] };
  if (name === 'true' || name === ':') return end;
  if (name === 'false') return { ...end, exitCode: 1 };
  if (name === 'echo' && !first.startsWith('-')) return { ...end, output: [args.join(' ')] };
  if (name === 'exit' && /^\d{0,3}$/.test(first)) {
    return { ...end, exitCode: Number(first) % 256, isExit: true };
  }
  if (name !== 'sleep' || args.length !== 1) return undefined;
  if (first === 'infinity' || first === 'inf') return { ...end, runsForMs: Infinity };
  const [, digits, unit = ''] = SLEEP.exec(first) ?? [];
  if (digits === undefined) return undefined;
  return { ...end, runsForMs: Number(digits) * (UNIT_MS[unit] ?? 1000) };
}
