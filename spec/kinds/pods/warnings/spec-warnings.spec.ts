import { expect } from 'chai';
import { volumeWarnings } from '../../../../lib/kinds/pods/warnings/spec-warnings.ts';

const map = { configMap: { name: 'm', items: [{ key: 'k', path: 'a' }] } };
const secret = { secret: { name: 's', items: [{ key: 'k', path: 'a/b' }] } };
const pod = { downwardAPI: { items: [{ path: 'a' }] } };
const token = { serviceAccountToken: { path: 'a' } };
const inner = { serviceAccountToken: { path: 'a/z' } };
const other = { serviceAccountToken: { path: 'ab' } };
const whole = { configMap: { name: 'm' } };

const warningsOf = (volume: object): string[] =>
  volumeWarnings({ volumes: [{ name: 'v', ...volume }] }, 'spec');

// Each as kube-apiserver 1.36.3 answers it.
describe('a volume whose files hide each other', () => {
  for (const [sources, pair] of [
    [[map, secret], '"a/b" (Secret "s") with "a" (ConfigMap "m")'],
    [[map, token], '"a" (ServiceAccountToken) with "a" (ConfigMap "m")'],
    [[pod, inner], '"a/z" (ServiceAccountToken) with "a" (DownwardAPI)'],
    [[pod, token], '"a" (ServiceAccountToken) with "a" (DownwardAPI)'],
    [[token, inner], '"a/z" (ServiceAccountToken) with "a" (ServiceAccountToken)'],
    [[secret, token], '"a" (ServiceAccountToken) with "a/b" (Secret "s")'],
    [[whole, token], undefined],
    [[map, other], undefined],
  ] as const) {
    it(`${pair === undefined ? 'does not warn' : 'warns'} of ${JSON.stringify(sources)}`, () => {
      const warnings = [`volume "v" (Projected): overlapping paths: ${pair}`];
      expect(warningsOf({ projected: { sources } })).to.deep.equal(
        pair === undefined ? [] : warnings,
      );
    });
  }

  it('is one of a single source, too', () => {
    const of = (...paths: readonly string[]): object => ({
      items: paths.map((path) => ({ path })),
    });
    expect(warningsOf({ configMap: { name: 'm', ...of('a', 'a/b') } })).to.deep.equal([
      'volume "v" (ConfigMap "m"): overlapping paths: "a/b" with "a"',
    ]);
    expect(warningsOf({ secret: { secretName: 'm', ...of('a', 'a') } })).to.deep.equal([
      'volume "v" (Secret "m"): overlapping paths: "a" with "a"',
    ]);
    expect(warningsOf({ downwardAPI: of('a/b', 'a') })).to.deep.equal([
      'volume "v" (DownwardAPI): overlapping paths: "a" with "a/b"',
    ]);
    expect(warningsOf({ configMap: { name: 'm', ...of('a', 'ab') } })).to.deep.equal([]);
  });

  it('is distinguished from one with a source that is empty', () => {
    expect(warningsOf({ projected: { sources: [{}, map] } })).to.deep.equal([
      'volume "v" (Projected) has no sources provided',
    ]);
  });
});
