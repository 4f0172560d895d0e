import { expect } from 'chai';
import { canonicalQuantity, canonicalResource } from '../../lib/meta/quantity.ts';

describe('quantities', () => {
  // Each as kube-apiserver 1.36.3 answers it for the capacity of a volume.
  for (const [given, canonical] of [
    ['1', '1'],
    ['0', '0'],
    ['0Gi', '0'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['2.5', '2500m'],
    ['2.0', '2'],
    ['.5', '500m'],
    ['5.', '5'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['1024Mi', '1Gi'],
    ['1536Mi', '1536Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['0.1Ki', '102400m'],
    // Below 1024 a binary quantity is written as a decimal one.
    ['0.9765625Ki', '1k'],
    ['-0.9765625Ki', '-1k'],
    ['1023Ki', '1023Ki'],
    ['1000Ki', '1000Ki'],
    ['-1Ki', '-1Ki'],
    ['100M', '100M'],
    ['1e3', '1e3'],
    ['1E', '1E'],
    ['12e2', '1200'],
    ['-1024Ki', '-1Mi'],
    ['+5', '5'],
    ['0.0000000001', '1n'],
    ['010', '10'],
  ] as const) {
    it(`${given} are written as ${canonical}`, () => {
      expect(canonicalQuantity(given)).to.equal(canonical);
      expect(canonicalQuantity(canonical)).to.equal(canonical);
    });
  }

  it('of containers are rounded up to thousandths', () => {
    expect(canonicalResource('100u')).to.equal('1m');
    expect(canonicalResource('1.0001')).to.equal('1001m');
    expect(canonicalResource('128Mi')).to.equal('128Mi');
  });

  it('say what is wrong in the words of Kubernetes', () => {
    for (const text of ['much', '', '5KiB', '[]', '1..2', '0x10']) {
      expect(() => canonicalQuantity(text), text).to.throw(/^quantities must match/);
    }
    for (const text of ['5kk', '1mm', '1e9999']) {
      expect(() => canonicalQuantity(text), text).to.throw('unable to parse quantity');
    }
  });
});
