import { expect } from 'chai';
import {
  conditionOf,
  isConditionTrue,
  setConditions,
} from '../../../lib/controller/helpers/conditions.ts';
import type { Deployment } from '../../../lib/types/index.ts';

const AT = Date.parse('2030-01-02T03:04:05.678Z');
const TIME = '2030-01-02T03:04:05Z';

describe('setConditions', () => {
  it('adds a condition with time, generation and an empty message', () => {
    const object = { metadata: { name: 'a', generation: 4 } };
    const set = setConditions(object, [{ type: 'Ready', status: 'True', reason: 'Runs' }], AT);
    expect(set).to.deep.equal([
      {
        type: 'Ready',
        status: 'True',
        reason: 'Runs',
        message: '',
        observedGeneration: 4,
        lastTransitionTime: TIME,
      },
    ]);
  });

  it('keeps the time while the status stays, and the order and all other conditions', () => {
    const earlier = '2001-01-01T00:00:00Z';
    const deployment: Pick<Deployment, 'metadata' | 'status'> = {
      status: {
        conditions: [
          { type: 'Progressing', status: 'True', lastTransitionTime: earlier },
          { type: 'Available', status: 'True', lastTransitionTime: earlier, reason: 'Old' },
        ],
      },
    };
    const change = { type: 'Progressing', reason: 'New' } as const;
    const same = setConditions(deployment, [{ ...change, status: 'True' }], AT);
    expect(
      same.map(({ type, reason, lastTransitionTime }) => [type, reason, lastTransitionTime]),
    ).to.deep.equal([
      ['Progressing', 'New', earlier],
      ['Available', 'Old', earlier],
    ]);
    const other = setConditions(deployment, [{ ...change, status: 'False' }], AT);
    expect(other[0]?.lastTransitionTime).to.equal(TIME);
    expect(deployment.status?.conditions?.[0]?.reason).to.equal(undefined);
  });

  it('finds a condition, of nothing too', () => {
    const object: Pick<Deployment, 'metadata' | 'status'> = {
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'x' }] },
    };
    expect(conditionOf(object, 'Ready')?.reason).to.equal('x');
    expect(isConditionTrue(object, 'Ready')).to.equal(true);
    expect(isConditionTrue(object, 'Other')).to.equal(false);
    expect(isConditionTrue(undefined, 'Ready')).to.equal(false);
    expect(isConditionTrue({ status: null } as object, 'Ready')).to.equal(false);
  });
});
