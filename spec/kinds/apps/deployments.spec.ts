import { expect } from 'chai';
import { Answers } from '../../server/registry/support/answers.ts';

const labels = { app: 'x' };

async function answerTo(strategy: object): Promise<string> {
  await using api = new Answers();
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'busybox' }] } },
    strategy,
  };
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const { status, body } = await api.post(path, { metadata: { name: 'one' }, spec });
  return status === 201 ? 'created' : String(body['message']);
}

describe('the strategy of a deployment', () => {
  it('lets some pods be missing, or be too many', async () => {
    const rolling = (maxUnavailable: unknown, maxSurge: unknown): object => ({
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable, maxSurge },
    });
    expect(await answerTo(rolling(0, 1))).to.equal('created');
    expect(await answerTo(rolling('10%', 0))).to.equal('created');
    expect(await answerTo(rolling(0, '0%'))).to.equal(
      'Deployment.apps "one" is invalid: spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    );
  });

  it('has no rolling update where pods are recreated', async () => {
    expect(await answerTo({ type: 'Recreate' })).to.equal('created');
    expect(await answerTo({ type: 'Recreate', rollingUpdate: { maxSurge: 1 } })).to.equal(
      'Deployment.apps "one" is invalid: spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is \'Recreate\'',
    );
  });
});
