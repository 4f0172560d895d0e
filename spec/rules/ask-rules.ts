import { askEmbedded } from '../compare/ask-server.ts';
import { scenarioOf, type RuleCases } from './rule-cases.ts';

type Answers = Awaited<ReturnType<typeof askEmbedded>>;
type Ask = (scenarios: ReturnType<typeof scenarioOf>[]) => Promise<Answers>;

/**
 * The answers of a server to the cases of each kind. Kinds of webhooks are asked for alone: what a webhook says of deployments is no
 * rule of deployments.
 */
export async function askRules(
  kinds: readonly RuleCases[],
  ask: Ask = (scenarios) => askEmbedded(scenarios),
): Promise<Answers> {
  const hooks = kinds.filter(({ title }) => title.includes('WebhookConfiguration'));
  const others = kinds.filter((kind) => !hooks.includes(kind));
  const answers = new Map<RuleCases, Answers[number]>();
  for (const group of [hooks, others]) {
    const all = group.length === 0 ? [] : await ask(group.map(scenarioOf));
    for (const [index, kind] of group.entries()) answers.set(kind, all[index] ?? []);
  }
  return kinds.map((kind) => answers.get(kind) ?? []);
}
