import { errorMessage } from '../../../kernel/failure/errors.ts';
import { invalidOption, is, optionsOf } from '../../../kernel/options/options-schema.ts';
import type { Container, Pod } from '../../../types/built-in/core-v1-kinds.ts';
import type { ContainerBehaviour } from './container-behaviour.ts';
import { isUsage, type ContainerUsage } from './container-usage.ts';
import { isDelay, type Delay } from './delays.ts';
import { helmHook } from './helm-hooks.ts';
import { knownCommand } from './known-commands.ts';
import { knownServer } from './known-servers.ts';
import { missingImage } from './missing-images.ts';

/** Which containers a rule is for. What is left out matches every one. */
export interface ContainerMatch {
  /** The image of the spec; a text is the image with any tag, or with its own one. */
  readonly image?: string | RegExp | undefined;
  /** The command and its arguments, with blanks between them; a text is its beginning. */
  readonly command?: string | RegExp | undefined;
  /** The name of the container. */
  readonly container?: string | undefined;
  /** Labels of the pod, all of them. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly namespace?: string | undefined;
}

export interface ContainerRule extends ContainerBehaviour {
  readonly match?: ContainerMatch | undefined;
}

export interface ContainerFacts {
  readonly pod: Pod;
  readonly container: Container;
}

/** The first rule that matches is taken; of a function, its result. */
export type ContainerRules =
  | readonly ContainerRule[]
  | ((facts: {
      readonly pod: Pod;
      readonly container: Container;
    }) => ContainerBehaviour | undefined);

const DELAY = is.rule<Delay>('a number of milliseconds, { min, max } or a function', isDelay);
const PATTERN = is.rule<string | RegExp>(
  'a string or a RegExp',
  (given) => typeof given === 'string' || given instanceof RegExp,
);
const MATCH = optionsOf<ContainerMatch>()('containers.match', {
  image: PATTERN,
  command: PATTERN,
  container: is.text(),
  labels: is.object(),
  namespace: is.text(),
});
const RULE = optionsOf<ContainerRule>()('containers', {
  match: MATCH.nested,
  startsAfterMs: DELAY,
  pullsAfterMs: DELAY,
  pullError: is.text(),
  startedAfterMs: DELAY,
  readyAfterMs: DELAY,
  runsForMs: DELAY,
  exitCode: is.integer({ min: 0, max: 255 }),
  stopCode: is.integer({ min: 0, max: 255 }),
  stopsAfterMs: DELAY,
  output: is.texts(),
  run: is.callback(),
  exec: is.callback(),
  attach: is.callback(),
  portForward: is.callback(),
  usage: is.rule<ContainerUsage>('quantities cpu and memory, or a function', isUsage),
  http: is.callback(),
  httpPorts: is.rule<readonly number[]>('a list of ports', Array.isArray),
});

/** Finds what a container does. A function that throws makes a container that cannot run. */
export class ContainerBehaviours {
  readonly #rules: ContainerRules;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(rules: ContainerRules = []) {
    if (typeof rules !== 'function') {
      if (!Array.isArray(rules)) {
        throw invalidOption('containers', 'give a list of rules, or a function');
      }
      for (const rule of rules) RULE.read(rule);
    }
    this.#rules = rules;
  }

  of(facts: ContainerFacts): ContainerBehaviour {
    const { pod, container } = facts;
    const known = knownCommand(container) ?? helmHook(pod) ?? knownServer(pod, container);
    return { ...missingImage(container.image), ...known, ...this.#ruled(facts) };
  }

  #ruled(facts: ContainerFacts): ContainerBehaviour | undefined {
    const rules = this.#rules;
    if (typeof rules !== 'function') return rules.find(({ match }) => matches(match, facts));
    try {
      const given: unknown = rules(facts) ?? {};
      if (!(given instanceof Promise)) return RULE.read(given as ContainerRule);
      given.catch(() => {});
      throw new Error('the function returned a promise: return the behaviour itself');
    } catch (error) {
      return { run: () => Promise.reject(new Error(`option containers: ${errorMessage(error)}`)) };
    }
  }
}

function matches(match: ContainerMatch = {}, { pod, container }: ContainerFacts): boolean {
  const { image, command, labels = {}, namespace } = match;
  if (match.container !== undefined && match.container !== container.name) return false;
  if (namespace !== undefined && namespace !== pod.metadata?.namespace) return false;
  const present = pod.metadata?.labels ?? {};
  if (Object.entries(labels).some(([name, value]) => present[name] !== value)) return false;
  if (image !== undefined && !isImage(image, container.image ?? '')) return false;
  if (command === undefined) return true;
  const line = [...(container.command ?? []), ...(container.args ?? [])].join(' ');
  return typeof command === 'string' ? line.startsWith(command) : isFound(command, line);
}

/** Unlike `test`, it does not go on from the last match of a pattern with the flag g. */
function isFound(pattern: RegExp, text: string): boolean {
  return text.search(pattern) >= 0;
}

function isImage(wanted: string | RegExp, image: string): boolean {
  if (typeof wanted !== 'string') return isFound(wanted, image);
  const rest = image.startsWith(wanted) ? image.slice(wanted.length) : undefined;
  return rest === '' || rest?.startsWith(':') === true || rest?.startsWith('@') === true;
}
