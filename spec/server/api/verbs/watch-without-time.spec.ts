import { expect } from 'chai';
import { Answers } from '../../registry/support/answers.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('a watch with a negative timeoutSeconds', () => {
  it('has no time to ask for the newest version, and says so in the stream', async () => {
    await using api = new Answers();
    for (const query of [
      'timeoutSeconds=-1',
      'timeoutSeconds=-1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    ]) {
      const { status, body } = await api.get(`${MAPS}?watch=1&${query}`);
      expect(status, query).to.equal(200);
      expect(body, query).to.deep.equal({
        type: 'ERROR',
        object: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'context deadline exceeded',
          reason: 'InternalError',
          code: 500,
        },
      });
    }
  });

  it('from a version ends at once', async () => {
    await using api = new Answers();
    const { body } = await api.get(MAPS);
    const { resourceVersion } = body['metadata'] as { resourceVersion: string };
    const query = `watch=1&timeoutSeconds=-1&resourceVersion=${resourceVersion}`;
    const { status, text } = await api.get(`${MAPS}?${query}`);
    expect([status, text]).to.deep.equal([200, '']);
  });
});
