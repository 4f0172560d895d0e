import { expect } from 'chai';
import { failureLine } from '../../../../lib/cache/reflector/failure/failure-line.ts';
import { TransportError } from '../../../../lib/client/transport/contract/transport-error.ts';
import { ApiError, failure } from '../../../../lib/meta/failure/api-error.ts';

const target = { server: 'https://10.0.0.1:6443', method: 'GET', path: '/api/v1/pods?limit=5' };

describe('failureLine', () => {
  it('has server, cause and remedy of an error of the client, without its request', () => {
    const { status } = failure('Forbidden', 'pods is forbidden');
    const context = { request: target, problem: 'not allowed', remedy: 'ask for access' };
    expect(failureLine(new ApiError(status, undefined, context))).to.deep.equal({
      server: ' (https://10.0.0.1:6443)',
      text: 'not allowed; ask for access',
    });
  });

  it('adds no remedy to an error of a connection, which has its own', () => {
    const problem = 'nothing listens there; check that the API server runs';
    const error = new TransportError('CONNECTION_REFUSED', target, problem);
    expect(failureLine(error)).to.deep.equal({ server: ' (https://10.0.0.1:6443)', text: problem });
  });

  it('adds the remedy to an error of another source', () => {
    const { server, text } = failureLine(failure('Unauthorized', 'Unauthorized'));
    expect(server).to.equal('');
    expect(text).to.match(/^Unauthorized; check token/);
  });

  it('says a remedy once when the cause has it already', () => {
    const remedy = 'give a namespace';
    const problem = `configmaps is namespaced: ${remedy}`;
    const { status } = failure('NotFound', 'x');
    const error = new ApiError(status, undefined, { request: target, problem, remedy });
    expect(failureLine(error).text).to.equal(problem);
    expect(error.message.split(remedy)).to.have.length(2);
  });

  it('is one line of bounded length for any error', () => {
    for (const error of [new Error(`a\nb${'x'.repeat(10_000)}`), 'text', undefined, null, 7, {}]) {
      const { text } = failureLine(error);
      expect(text).to.not.match(/\p{Cc}/u);
      expect(text.length).to.be.within(1, 400);
    }
  });
});
