import { expect } from 'chai';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { canonical } from '../compare/normalise.ts';
import { recordedAnswers } from './recorded-answers.ts';
import { ADMISSION_CASES, CaseRunner } from './run-cases.ts';

describe('admission in the embedded server answers as in a kube-apiserver', () => {
  const recorded = recordedAnswers();

  it('has a recorded answer for each case', () => {
    expect(ADMISSION_CASES.map(({ title }) => title)).to.have.members(Object.keys(recorded));
  });

  for (const one of ADMISSION_CASES) {
    it(one.title, async () => {
      await using server = new ApiServer();
      await server.listen();
      await using runner = await CaseRunner.start(server.clientConfig(), 'admission-spec');
      const answer = JSON.parse(canonical(await runner.answer(one))) as unknown;
      expect(answer).to.deep.equal(JSON.parse(canonical(recorded[one.title])));
    });
  }
});
