import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { canonical } from '../../compare/normalise.ts';
import { recordedAnswers } from './recorded-answers.ts';
import { CaseRunner, VERB_CASES } from './run-cases.ts';

describe('the client on the embedded server answers as on a kube-apiserver', () => {
  const recorded = recordedAnswers();

  it('has a recorded answer for each case', () => {
    expect(VERB_CASES.map(({ title }) => title)).to.have.members(Object.keys(recorded));
  });

  for (const one of VERB_CASES) {
    it(one.title, async () => {
      await using server = new ApiServer();
      await server.listen();
      await using runner = await CaseRunner.start(server.clientConfig(), 'verbs-spec');
      const answer = JSON.parse(canonical(await runner.answer(one))) as unknown;
      expect(answer).to.deep.equal(JSON.parse(canonical(recorded[one.title])));
    });
  }
});
