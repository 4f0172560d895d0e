import { expect } from 'chai';
import { minorOf, type KubernetesVersion } from '../../lib/meta/releases/kubernetes-releases.ts';
import { askEmbedded } from '../compare/ask-server.ts';
import { allRuleCases } from './all-rule-cases.ts';
import { askRules } from './ask-rules.ts';
import { recordedRules, ruleAnswersOf, sameRuleAnswer } from './rule-answers.ts';
import { ruleCasesOf } from './rule-cases.ts';
import { withChange } from './change.ts';

const kinds = await allRuleCases();

describe('the rules of a kind', () => {
  /** In the order of `kinds`; as of a real server, all of one. */
  let all: Awaited<ReturnType<typeof askRules>>;

  before(async () => {
    all = await askRules(kinds);
  });

  for (const [index, kind] of kinds.entries()) {
    it(`are those of kube-apiserver: ${kind.title}`, () => {
      const recorded = recordedRules(kind);
      expect(recorded, 'npm run check -- rules --kubeconfig FILE --record').not.to.equal(undefined);
      const ours = ruleAnswersOf(kind, all[index] ?? []);
      const titles = ruleCasesOf(kind).map(({ title }) => title);
      expect(Object.keys(recorded?.answers ?? {})).to.deep.equal([...new Set(titles)]);
      const different = titles.filter(
        (title) => !sameRuleAnswer(recorded?.answers[title], ours[title]),
      );
      expect(different, `npm run check -- rules --kind '${kind.title}'`).to.deep.equal(
        Object.keys(kind.differs ?? {}),
      );
    });
  }
});

/** Of the cases, those whose answers differ from the record of an older version; a figure may only fall. */
const DIFFERENT: readonly (readonly [version: KubernetesVersion, most: number])[] = [
  ['1.36', 18],
  ['1.35', 110],
];

describe('the rules of an older version', () => {
  for (const [version, most] of DIFFERENT) {
    it(`are those of kube-apiserver ${version}, but for at most ${most} answers`, async () => {
      const answers = await askRules(kinds, (all) => askEmbedded(all, undefined, { version }));
      const different = kinds.flatMap((kind, index) => {
        const recorded = recordedRules(kind, minorOf(version))?.answers ?? {};
        const ours = ruleAnswersOf(kind, answers[index] ?? []);
        return Object.keys(recorded).filter(
          (title) => !sameRuleAnswer(recorded[title], ours[title]),
        );
      });
      const how = `npm run check -- rules --version ${version}`;
      expect(different.length, how).to.be.at.most(most);
    });
  }
});

describe('the change of a case', () => {
  it('is made at its path', () => {
    const object = { spec: { ports: [{ port: 1 }], gone: true } };
    const change = {
      'spec.ports[0].port': 2,
      'spec.ports[-]': { port: 3 },
      'metadata.labels["a.b/c"]': 'd',
      'spec.gone': undefined,
    };
    expect(withChange(object, change)).to.deep.equal({
      metadata: { labels: { 'a.b/c': 'd' } },
      spec: { ports: [{ port: 2 }, { port: 3 }] },
    });
  });
});
