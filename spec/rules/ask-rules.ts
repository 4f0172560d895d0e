import { askEmbedded } from '../compare/ask-server.ts';
import { scenarioOf, type RuleCases } from './rule-cases.ts';

type Answers = Awaited<ReturnType<typeof askEmbedded>>;

/**
 * The answers of the embedded server to the cases of each kind. Kinds of webhooks have a server of their own: what a webhook says of
 * deployments is no rule of deployments.
 */
export async function askRules(kinds: readonly RuleCases[]): Promise<Answers> {
  const hooks = kinds.filter(({ title }) => title.includes('WebhookConfiguration'));
  const others = kinds.filter((kind) => !hooks.includes(kind));
  const answers = new Map<RuleCases, Answers[number]>();
  for (const group of [hooks, others]) {
    const all = await askEmbedded(group.map(scenarioOf));
    for (const [index, kind] of group.entries()) answers.set(kind, all[index] ?? []);
  }
  return kinds.map((kind) => answers.get(kind) ?? []);
}
