import { expect } from 'chai';
import { Answers, podOf, PODS } from '../../server/registry/support/answers.ts';

describe('a pod without a service account', () => {
  const sources = [{ configMap: { name: 'm' } }, { serviceAccountToken: { path: 'a' } }];
  const volumes = [
    { name: 'plain', emptyDir: {} },
    { name: 'v', projected: { sources } },
  ];

  // As kube-apiserver 1.36.3 answers it.
  it('has no tokens of one in its volumes', async () => {
    await using api = new Answers();
    const refused = await api.post(PODS, podOf('a', { volumes }));
    expect([refused.status, refused.body['message']]).to.deep.equal([
      422,
      'Pod "a" is invalid: spec.volumes[1].projected.sources[1].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
    ]);
    const named = await api.post(PODS, podOf('a', { volumes, serviceAccountName: 'x' }));
    expect(named.status, named.text).to.equal(201);
  });
});
