import { expect } from 'chai';
import {
  INSTANCE_ANNOTATION,
  microTime,
  recordOf,
} from '../../../lib/controller/election/lease-record.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { Lease } from '../../../lib/types/index.ts';
import { storedLease } from './stored-lease.ts';

const record = (spec?: object): ReturnType<typeof recordOf> =>
  recordOf({ metadata: { name: 'a', uid: 'u' }, spec } as unknown as Stored<Lease>, 15_000);

describe('recordOf', () => {
  it('reads holder, duration and epoch', () => {
    const spec = { holderIdentity: 'a', leaseDurationSeconds: 40, leaseTransitions: 7 };
    expect(record(spec)).to.include({ uid: 'u', holder: 'a', durationMs: 40_000, epoch: 7 });
  });

  it('reads durations and epochs down to 1, and the whole part of an epoch', () => {
    expect(record({ leaseDurationSeconds: 1, leaseTransitions: 1 })).to.include({
      durationMs: 1000,
      epoch: 1,
    });
    expect(record({ leaseDurationSeconds: 0.5, leaseTransitions: 2.9 })).to.include({
      durationMs: 500,
      epoch: 2,
    });
  });

  it('reads which run of its holder has written it', () => {
    expect(record().instance).to.equal(undefined);
    const annotations = { [INSTANCE_ANNOTATION]: 'i1' };
    expect(recordOf(storedLease({}, { annotations }), 15_000).instance).to.equal('i1');
  });

  it('takes the own duration where a Lease has none that can be used', () => {
    for (const leaseDurationSeconds of [undefined, null, 0, -5, '40']) {
      expect(record({ leaseDurationSeconds }), String(leaseDurationSeconds)).to.include({
        durationMs: 15_000,
      });
    }
  });

  it('takes an epoch that cannot be used for the first one, and no text for no holder', () => {
    for (const leaseTransitions of [undefined, null, -1, '7', Number.NaN]) {
      expect(record({ leaseTransitions, holderIdentity: 5 })).to.include({ epoch: 0, holder: '' });
    }
    expect(record()).to.include({ epoch: 0, holder: '', durationMs: 15_000 });
  });

  it('changes its text with each field', () => {
    const spec = { holderIdentity: 'a', renewTime: '2030-01-01T00:00:00.000000Z' };
    expect(record(spec).text).to.equal(record({ ...spec }).text);
    expect(record({ ...spec, renewTime: microTime(1000) }).text).not.to.equal(record(spec).text);
  });
});

describe('microTime', () => {
  it('has six digits of a second', () => {
    expect(microTime(1234)).to.equal('1970-01-01T00:00:01.234000Z');
  });
});
