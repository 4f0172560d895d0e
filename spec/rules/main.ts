/** `npm run check -- rules`: asks a real server, or its record, and the embedded server what they accept of each kind, and prints what differs. */
import { minorOf, type KubernetesVersion } from '../../lib/meta/releases/kubernetes-releases.ts';
import { parseArgs } from 'node:util';
import { askEmbedded, askServer } from '../compare/ask-server.ts';
import { versionNamed } from '../compare/version-named.ts';
import { askRules } from './ask-rules.ts';
import { Target, targetOfKubeconfig } from '../compare/target/target.ts';
import { allRuleCases, servedBy } from './all-rule-cases.ts';
import { recordedRules, recordRules, ruleAnswersOf, sameRuleAnswer } from './rule-answers.ts';
import type { RuleAnswer } from './rule-answers.ts';
import type { RuleCases } from './rule-cases.ts';

const USAGE = `npm run check -- rules [options]

  --kind TEXT        only the cases with this text in their titles; may be given several times
  --kubeconfig FILE  asks this real server; the recorded answers are used unless given
  --record           with --kubeconfig: writes its answers to spec/rules/answers
  --version VERSION  of Kubernetes, such as 1.36: of the record and of the embedded server; the newest unless given
  --most N           differences to print of each; 20 unless given
  --help             shows this

Cases are written in spec/rules/cases. "real" is printed above "ours".`;

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      kind: { type: 'string', multiple: true },
      kubeconfig: { type: 'string' },
      record: { type: 'boolean', default: false },
      version: { type: 'string' },
      most: { type: 'string', default: '20' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const wanted = values.kind ?? [''];
  const version = versionNamed(values.version);
  const kinds = servedBy(await allRuleCases(), version).filter(({ title }) =>
    wanted.some((text) => title.toLowerCase().includes(text.toLowerCase())),
  );
  if (kinds.length === 0) throw new Error(`no cases are called ${wanted.join(' or ')}`);
  const real = await realAnswers(kinds, { ...values, version });
  const embedded = await askRules(kinds, (all) => askEmbedded(all, undefined, { version }));
  let same = 0;
  let all = 0;
  for (const [index, kind] of kinds.entries()) {
    const ours = ruleAnswersOf(kind, embedded[index] ?? []);
    const theirs = real[index] ?? {};
    const titles = Object.keys(theirs);
    const different = titles.filter((title) => !sameRuleAnswer(theirs[title], ours[title]));
    same += titles.length - different.length;
    all += titles.length;
    console.log(`${kind.title}: ${titles.length - different.length} of ${titles.length} the same`);
    for (const title of different.slice(0, Number(values.most))) {
      console.log(`  ${title}\n    real ${textOf(theirs[title])}\n    ours ${textOf(ours[title])}`);
    }
  }
  console.log(`${same} of ${all} answers are the same`);
  if (same < all) process.exitCode = 1;
}

async function realAnswers(
  kinds: readonly RuleCases[],
  {
    kubeconfig,
    record,
    version: named,
  }: {
    readonly kubeconfig?: string | undefined;
    readonly record: boolean;
    readonly version: KubernetesVersion | undefined;
  },
): Promise<readonly Readonly<Record<string, RuleAnswer>>[]> {
  if (kubeconfig === undefined) {
    return kinds.map((kind) => recordedRules(kind, minorOf(named))?.answers ?? {});
  }
  const target = new Target(await targetOfKubeconfig(kubeconfig));
  try {
    const prefix = `rul-${Date.now().toString(36).slice(-5)}`;
    const answers = await askRules(kinds, (scenarios) => askServer(target, scenarios, { prefix }));
    const named = kinds.map((kind, index) => ruleAnswersOf(kind, answers[index] ?? []));
    if (record) {
      const version = await versionOf(target);
      for (const [index, kind] of kinds.entries()) {
        recordRules(kind, { version, answers: named[index] ?? {} });
      }
    }
    return named;
  } finally {
    target.close();
  }
}

async function versionOf(target: Target): Promise<string> {
  const request = { method: 'GET', path: '/version', headers: {}, body: undefined };
  const { bytes } = await target.send({ ...request, anonymous: false });
  return (JSON.parse(bytes.toString()) as { readonly gitVersion: string }).gitVersion;
}

function textOf(answer: RuleAnswer | undefined): string {
  return JSON.stringify(answer)?.slice(0, 1500) ?? 'not recorded';
}
