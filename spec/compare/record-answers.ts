import { askServer, type AskOptions } from './ask-server.ts';
import { canonical } from './normalise.ts';
import type { Answer, Scenario } from './scenario.ts';
import type { Target } from './target/target.ts';

export interface Recorded {
  readonly scenarios: readonly Scenario[];
  readonly answers: readonly (readonly Answer[])[];
  /** Why scenarios were left out, a line each. */
  readonly leftOut: readonly string[];
}

/** The answers of the real server that it gives twice, and that end: an answer that changes from run to run is no fact to compare with. */
export async function recordAnswers(
  target: Target,
  scenarios: readonly Scenario[],
  { prefix, ...options }: AskOptions,
): Promise<Recorded> {
  const first = await askServer(target, scenarios, { prefix: `${prefix}a`, ...options });
  const second = await askServer(target, scenarios, { prefix: `${prefix}b`, ...options });
  const leftOut: string[] = [];
  const kept = scenarios.flatMap((scenario, at) => {
    const unstable = scenario.steps.findIndex(
      ({ setup }, number) =>
        first[at]?.[number]?.status === 0 ||
        (setup !== true && canonical(first[at]?.[number]) !== canonical(second[at]?.[number])),
    );
    if (unstable < 0) return [at];
    const { method, path } = scenario.steps[unstable]!;
    leftOut.push(`${scenario.id}#${unstable} ${method} ${path}`);
    return [];
  });
  return {
    scenarios: kept.map((at) => scenarios[at]!),
    answers: kept.map((at) => first[at]!),
    leftOut,
  };
}
