import type { KubernetesVersion } from '../../lib/meta/releases/kubernetes-releases.ts';
import { ApiServer } from '../../lib/cluster/server/index.ts';
import { inTurn } from './in-turn.ts';
import type { Answer, Scenario } from './scenario.ts';
import { runScenario } from './target/run-scenario.ts';
import { Target } from './target/target.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';

/** Scenarios at a time. Each has a namespace of its own, so that they do not meet. */
const AT_A_TIME = 8;
const LONGEST_WAIT_MS = 10_000;
/** Most of their time, scenarios wait for watches to end. */
const EMBEDDED_AT_A_TIME = 24;
/** The embedded server does at once what a cluster does in the background. */
const EMBEDDED_WAIT_MS = 1000;
/** Longer than the wait for a version that is too large, 3 s, which a server ends by itself. */
const EMBEDDED_REQUEST_MS = 6000;

export interface AskOptions {
  /** Begins the names of namespaces: of small letters. */
  readonly prefix: string;
  /** Scenarios at a time. @defaultValue 8 */
  readonly atATime?: number | undefined;
  /** See `RunOptions`. @defaultValue 10 000 */
  readonly longestWaitMs?: number | undefined;
  /** After each scenario. */
  readonly onDone?: (() => void) | undefined;
  /** No scenario is begun after its abort; those that were begun end, and clean up. */
  readonly signal?: AbortSignal | undefined;
}

/** The answers of a server to each step of each scenario. */
export async function askServer(
  target: Target,
  scenarios: readonly Scenario[],
  options: AskOptions,
): Promise<readonly (readonly Answer[])[]> {
  const { prefix, onDone, signal, atATime = AT_A_TIME, longestWaitMs = LONGEST_WAIT_MS } = options;
  const numbered = scenarios.map((scenario, index) => ({ scenario, index }));
  const ask = async ({ scenario, index }: (typeof numbered)[number]): Promise<Done> => {
    signal?.throwIfAborted();
    // All names have the same length, because table columns and limits depend on it.
    const namespace = `${prefix}-${String(index).padStart(5, '0')}`;
    try {
      return { index, answers: await runScenario(target, scenario, { namespace, longestWaitMs }) };
    } catch (error) {
      throw new Error(`scenario ${scenario.id} failed`, { cause: error });
    } finally {
      onDone?.();
    }
  };
  // Discovery shows the definitions of other scenarios, so that it is asked for before there are any.
  const alone = numbered.filter(({ scenario }) => !scenario.namespace);
  const rest = numbered.filter(({ scenario }) => scenario.namespace);
  const done = [...(await inTurn(alone, atATime, ask)), ...(await inTurn(rest, atATime, ask))];
  return done.toSorted((one, other) => one.index - other.index).map(({ answers }) => answers);
}

interface Done {
  readonly index: number;
  readonly answers: readonly Answer[];
}

export interface EmbeddedOptions {
  /** @defaultValue the newest one */
  readonly version?: KubernetesVersion | undefined;
  /** Scenarios at a time. @defaultValue 24 */
  readonly atATime?: number | undefined;
  /** An answer that has not ended within this time is cut. @defaultValue 6000 */
  readonly longestRequestMs?: number | undefined;
}

/** The same of an embedded server that lives as long as the call. */
export async function askEmbedded(
  scenarios: readonly Scenario[],
  onDone?: () => void,
  options: EmbeddedOptions = {},
): Promise<readonly (readonly Answer[])[]> {
  const { atATime = EMBEDDED_AT_A_TIME, longestRequestMs = EMBEDDED_REQUEST_MS } = options;
  await using server = new ApiServer({ logger: silentLogger, version: options.version });
  await server.listen();
  const { url, token } = server;
  const target = new Target({ server: url, token, longestRequestMs });
  try {
    return await askServer(target, scenarios, {
      prefix: 'cmp-embed',
      atATime,
      longestWaitMs: EMBEDDED_WAIT_MS,
      onDone,
    });
  } finally {
    target.close();
  }
}
