import { expect } from 'chai';
import { recordsAt, textAt } from '../../../lib/meta/json-value.ts';
import { Answers } from '../../server/registry/support/answers.ts';

const NODES = '/api/v1/nodes';

describe('nodes', () => {
  it('are selected by whether something may be scheduled on them', async () => {
    await using api = new Answers();
    await api.post(NODES, { metadata: { name: 'open' } });
    await api.post(NODES, { metadata: { name: 'closed' }, spec: { unschedulable: true } });
    const named = async (value: string): Promise<string[]> => {
      const { body } = await api.get(`${NODES}?fieldSelector=spec.unschedulable%3D${value}`);
      return recordsAt(body, 'items').map((one) => textAt(one, 'metadata', 'name'));
    };
    expect(await named('true')).to.deep.equal(['closed']);
    expect(await named('false')).to.deep.equal(['open']);
  });
});
