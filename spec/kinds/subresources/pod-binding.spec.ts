import { expect } from 'chai';
import { Answers, podOf, PODS } from '../../server/registry/support/answers.ts';

const bindingTo = (name: string, node: string, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name, ...metadata },
  target: { kind: 'Node', name: node },
});

describe('the binding of a pod', () => {
  it('sets node and condition, and takes labels and annotations over', async () => {
    await using api = new Answers();
    await api.post(PODS, podOf('one'));
    const metadata = { labels: { l: 'm' }, annotations: { a: 'b' } };
    const bound = await api.post(`${PODS}/one/binding`, bindingTo('one', 'n1', metadata));
    expect(bound).to.deep.include({
      status: 201,
      body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
    });
    const { body } = await api.get(`${PODS}/one`);
    expect(body).to.nested.include({
      'spec.nodeName': 'n1',
      'metadata.labels.app': 'x',
      'metadata.labels.l': 'm',
      'metadata.annotations.a': 'b',
      'status.conditions[0].type': 'PodScheduled',
      'status.conditions[0].status': 'True',
      'status.phase': 'Pending',
    });
  });

  it('is refused for a pod that has a node, by both paths', async () => {
    await using api = new Answers();
    await api.post(PODS, podOf('one'));
    expect(
      (await api.post('/api/v1/namespaces/default/bindings', bindingTo('one', 'n1'))).status,
    ).to.equal(201);
    for (const path of [`${PODS}/one/binding`, '/api/v1/namespaces/default/bindings']) {
      const again = await api.post(path, bindingTo('one', 'n2'));
      expect(again.status, path).to.equal(409);
      expect(again.body['message']).to.equal(
        'Operation cannot be fulfilled on pods/binding "one": pod one is already assigned to node "n1"',
      );
    }
  });

  it('writes nothing in a dry run', async () => {
    await using api = new Answers();
    await api.post(PODS, podOf('one'));
    expect(
      (await api.post(`${PODS}/one/binding?dryRun=All`, bindingTo('one', 'n1'))).status,
    ).to.equal(201);
    expect((await api.get(`${PODS}/one`)).body).not.to.have.nested.property('spec.nodeName');
  });

  it('is refused without a target, with another name, and for another version of the pod', async () => {
    await using api = new Answers();
    await api.post(PODS, podOf('one'));
    const path = `${PODS}/one/binding`;
    const refusals = [
      [bindingTo('one', ''), 500, 'target.name: Required value'],
      [bindingTo('two', 'n1'), 400, 'name in URL does not match name in Binding object'],
      [bindingTo('one', 'n1', { uid: 'other' }), 409, /UID in precondition: other/],
    ] as const;
    for (const [body, status, message] of refusals) {
      const answer = await api.post(path, body);
      expect(answer.status, answer.text).to.equal(status);
      expect(answer.body['message']).to.match(
        message instanceof RegExp ? message : new RegExp(`^${message}$`),
      );
    }
    expect((await api.post(`${PODS}/none/binding`, bindingTo('none', 'n1'))).status).to.equal(404);
    expect((await api.get(path)).status).to.equal(405);
  });
});
