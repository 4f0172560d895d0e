import type { KubernetesMinor } from '../../../lib/meta/releases/kubernetes-releases.ts';
import { askServer } from '../../compare/ask-server.ts';
import type { Target } from '../../compare/target/target.ts';
import { allRuleCases } from '../../rules/all-rule-cases.ts';
import { askRules } from '../../rules/ask-rules.ts';
import {
  recordedRules,
  ruleAnswersOf,
  sameRuleAnswer,
  type RuleAnswer,
} from '../../rules/rule-answers.ts';
import type { ReportPart } from './main.ts';

/** Which answers to the cases of `spec/rules` have changed, each change of a cause once with the kinds that have it. */
export async function ruleChanges(target: Target, from: KubernetesMinor): Promise<ReportPart> {
  const kinds = await allRuleCases();
  const prefix = `rel-${Date.now().toString(36).slice(-5)}`;
  const answers = await askRules(kinds, (all) => askServer(target, all, { prefix }));
  const found = new Map<string, Set<string>>();
  for (const [index, kind] of kinds.entries()) {
    const recorded = recordedRules(kind, from)?.answers ?? {};
    const now = ruleAnswersOf(kind, answers[index] ?? []);
    for (const [title, before] of Object.entries(recorded)) {
      const after = now[title];
      if (after === undefined || sameRuleAnswer(before, after)) continue;
      const change = changeOf(before, after);
      const where = found.get(change) ?? new Set();
      where.add(kind.title);
      found.set(change, where);
    }
  }
  return {
    title: 'rules',
    remedy:
      'Words of causes go to lib/kinds/versions/kind-cause-changes.ts, other rules to their kinds with a feature; `npm run check -- rules --record` keeps the answers.',
    lines: [...found].map(([change, where]) => `${[...where].join(', ')}: ${change}`),
  };
}

function changeOf(before: RuleAnswer, after: RuleAnswer): string {
  const [old, now] = [new Set(before.causes), new Set(after.causes)];
  const gone = [...old].filter((cause) => !now.has(cause)).map(general);
  const come = [...now].filter((cause) => !old.has(cause)).map(general);
  if (before.status === after.status && gone.length + come.length > 0) {
    return `${gone.join('; ') || 'nothing'} -> ${come.join('; ') || 'nothing'}`;
  }
  if (before.status !== after.status) return `status ${before.status} -> ${after.status}`;
  return old.size === 0 ? 'another object' : 'other order of the causes, or a repeated one';
}

/** Without indexes and values, so that one change is one line. */
function general(cause: string): string {
  return cause
    .replaceAll(/\[\d+\]/g, '[*]')
    .replace(
      /(Invalid|Unsupported|Duplicate) value: (?:"(?:[^"\\]|\\.)*"|\{.*\}|\[.*\])/s,
      '$1 value: ...',
    )
    .slice(0, 300);
}
