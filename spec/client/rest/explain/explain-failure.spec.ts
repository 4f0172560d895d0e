import { expect } from 'chai';
import { ApiError } from '../../../../lib/meta/failure/api-error.ts';
import { rejectionOf } from '../../support/failure-of.ts';
import { ANSWERS } from './recorded-answers.ts';
import { RecordedServer } from './recorded-server.ts';
import { REFUSED_CALLS } from './refused-calls.ts';
import { REFUSED_CUSTOM_OBJECTS } from './refused-custom-objects.ts';

describe('the error of a call that an API server refused', () => {
  const calls = [...REFUSED_CALLS, ...REFUSED_CUSTOM_OBJECTS];
  for (const { title, answer, call, credential, code, message } of calls) {
    it(`names the call, the cause and the remedy: ${title}`, async () => {
      const recorded = ANSWERS[answer]!;
      const server = new RecordedServer({ ...recorded, credential });
      const error = await rejectionOf(call(server.client));
      expect(error).to.be.instanceOf(ApiError).and.to.include({ code, message });
      const { problem, remedy = '', request, status } = error as ApiError;
      expect(message).to.include(problem).and.to.include(remedy);
      expect(remedy).to.not.equal('');
      expect(message.length).to.be.at.most(400);
      expect(request).to.include({ server: 'https://10.0.0.1:6443' });
      if (typeof recorded.body === 'object') expect(status).to.deep.equal(recorded.body);
      expect(server.lookUps.length).to.be.at.most(3);
    });
  }
});
