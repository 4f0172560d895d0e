import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { shareOf } from '../support/share.ts';
import { KUBERNETES_VERSIONS, minorOf } from '../../lib/meta/releases/kubernetes-releases.ts';
import { askEmbedded } from '../compare/ask-server.ts';
import { allRuleCases, servedBy } from './all-rule-cases.ts';
import { askRules } from './ask-rules.ts';
import { recordedRules, ruleAnswersOf, sameRuleAnswer } from './rule-answers.ts';
import { ruleCasesOf } from './rule-cases.ts';
import { withChange } from './change.ts';

const kinds = await allRuleCases();
/** Of the kinds, an older version is asked for one in so many: see `shareOf`. */
const KINDS_BETWEEN = 4;

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

/** The cases whose answers are not those of an older version, by its name; `LISTWATCH_UPDATE_DOCS=1 LISTWATCH_WHOLE=1` writes them anew. */
const DIFFERENCES = join(import.meta.dirname, 'older-differences.json');
const known = JSON.parse(readFileSync(DIFFERENCES, 'utf8')) as Record<string, string[]>;

describe('the rules of an older version', () => {
  for (const version of KUBERNETES_VERSIONS.slice(0, -1)) {
    const some = shareOf(servedBy(kinds, version), KINDS_BETWEEN);
    it(`are those of kube-apiserver ${version}, but for answers that are named`, async () => {
      const answers = await askRules(some, (all) => askEmbedded(all, undefined, { version }));
      const different = some.flatMap((kind, index) => {
        const recorded = recordedRules(kind, minorOf(version))?.answers ?? {};
        const ours = ruleAnswersOf(kind, answers[index] ?? []);
        return Object.keys(recorded)
          .filter((title) => !sameRuleAnswer(recorded[title], ours[title]))
          .map((title) => `${kind.title}: ${title}`);
      });
      if (process.env['LISTWATCH_UPDATE_DOCS'] !== undefined) {
        known[version] = different;
        writeFileSync(DIFFERENCES, `${JSON.stringify(known, undefined, 2)}\n`);
      }
      const unknown = different.filter((one) => known[version]?.includes(one) !== true);
      expect(unknown, `npm run check -- rules --version ${version}`).to.deep.equal([]);
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
