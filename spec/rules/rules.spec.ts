import { expect } from 'chai';
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
