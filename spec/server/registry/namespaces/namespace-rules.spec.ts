import { expect } from 'chai';
import { Answers } from '../support/answers.ts';

const SPACE = '/api/v1/namespaces/shop';
const space = (finalizers: readonly string[], rest: object = {}): object => ({
  metadata: { name: 'shop' },
  spec: { finalizers },
  ...rest,
});

describe('the finalizers of a namespace', () => {
  it('keep those of its creation, and are replaced by PUT only', async () => {
    await using api = new Answers();
    const created = await api.post('/api/v1/namespaces', space(['example.com/q']));
    expect(created.body['spec']).to.deep.equal({ finalizers: ['example.com/q', 'kubernetes'] });
    const put = await api.ask(
      'PUT',
      `${SPACE}/finalize`,
      space(['kubernetes'], { status: { phase: 'Terminating' } }),
    );
    expect(put.body).to.deep.include({
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    const refused = await api.ask('PUT', `${SPACE}/finalize`, space(['bad']));
    expect([refused.status, refused.body['message']]).to.deep.equal([
      422,
      'Namespace "shop" is invalid: spec.finalizers[0]: Invalid value: "bad": name is neither a standard finalizer name nor is it fully qualified',
    ]);
    for (const method of ['GET', 'PATCH', 'POST', 'DELETE']) {
      const answer = await api.ask(method, `${SPACE}/finalize`, {}, 'application/merge-patch+json');
      expect(answer.status, method).to.equal(405);
    }
  });

  it('are not those of a namespace that is not there', async () => {
    await using api = new Answers();
    const put = await api.ask('PUT', `${SPACE}/finalize`, space([]));
    expect([put.status, put.body['message']]).to.deep.equal([404, 'namespaces "shop" not found']);
    expect((await api.get(SPACE)).status).to.equal(404);
  });

  it('let the namespace go when the last one is removed', async () => {
    await using api = new Answers();
    await api.post('/api/v1/namespaces', space(['example.com/q']));
    await api.ask('DELETE', SPACE);
    const put = await api.ask('PUT', `${SPACE}/finalize`, space([]));
    expect(put.body).to.deep.include({ spec: {} });
    expect((await api.get(SPACE)).status).to.equal(404);
  });

  it('have a phase beside them that follows from the deletion', async () => {
    await using api = new Answers();
    await api.post('/api/v1/namespaces', space([]));
    const refused = await api.merge(`${SPACE}/status`, { status: { phase: 'Terminating' } });
    expect(refused.body).to.nested.include({
      code: 422,
      'details.causes[0].field': 'status.Phase',
    });
    const conditions = [{ type: 'X', status: 'True' }];
    expect((await api.merge(`${SPACE}/status`, { status: { conditions } })).status).to.equal(200);
  });
});
