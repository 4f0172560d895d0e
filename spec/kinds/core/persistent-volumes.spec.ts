import { expect } from 'chai';
import { persistentVolumes } from '../../../lib/kinds/core/persistent-volumes.ts';
import { recordAt } from '../../../lib/meta/json-value.ts';
import type { MutableObject } from '../../../lib/server/registry/rules/mutable-object.ts';

const BEFORE = '2026-11-26T22:40:38Z';
const OTHER = '2020-01-01T00:00:00Z';
const NOW = '1970-01-01T00:00:01Z';

function volume(status: object): MutableObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'a' },
    spec: { capacity: { storage: '1Gi' } },
    status: { ...status },
  };
}

describe('the time of the last change of the phase of a volume', () => {
  // Each as kube-apiserver 1.36.3 answers it.
  for (const [title, status, expected] of [
    ['is the present one after a change', { phase: 'Available' }, NOW],
    [
      'is that of the client after a change',
      { phase: 'Available', lastPhaseTransitionTime: OTHER },
      OTHER,
    ],
    [
      'is the present one after a change when the client sends the stored one',
      { phase: 'Available', lastPhaseTransitionTime: BEFORE },
      NOW,
    ],
    [
      'is that of the client without a change, too',
      { phase: 'Pending', lastPhaseTransitionTime: OTHER },
      OTHER,
    ],
    ['stays when a client that does not know it changes nothing', { phase: 'Pending' }, BEFORE],
  ] as const) {
    it(title, () => {
      const changed = volume(status);
      const stored = volume({ phase: 'Pending', lastPhaseTransitionTime: BEFORE });
      persistentVolumes.statusStrategy?.prepareForUpdate(changed, stored, { nowMs: 1000 });
      expect(recordAt(changed, 'status')).to.deep.equal({
        phase: status.phase,
        lastPhaseTransitionTime: expected,
      });
    });
  }

  it('is the present one after the first change of a volume that has none', () => {
    const changed = volume({ phase: 'Bound' });
    persistentVolumes.statusStrategy?.prepareForUpdate(changed, volume({ phase: 'Available' }), {
      nowMs: 1000,
    });
    expect(recordAt(changed, 'status')).to.include({ lastPhaseTransitionTime: NOW });
    const same = volume({ phase: 'Available' });
    persistentVolumes.statusStrategy?.prepareForUpdate(same, volume({ phase: 'Available' }), {
      nowMs: 1000,
    });
    expect(recordAt(same, 'status')).to.deep.equal({ phase: 'Available' });
  });
});
