import { expect } from 'chai';
import { builtInTypes } from '../../../../lib/meta/types/built-in-types.ts';
import { conversionProblem } from '../../../../lib/server/registry/typed/conversion-problem.ts';

const deployment = builtInTypes().kind('apps/v1', 'Deployment');
const secret = builtInTypes().kind('v1', 'Secret');

/** As kube-apiserver 1.36.3 words them. */
const CASES: readonly (readonly [unknown, string | undefined])[] = [
  [{ spec: { replicas: 3 } }, undefined],
  [{ spec: { replicas: 3.5 } }, 'cannot convert float64 to int32'],
  [{ spec: { replicas: 'x' } }, 'unrecognized type: int32'],
  [{ metadata: { labels: 'x' } }, 'cannot restore map from string'],
  [{ metadata: { labels: { app: 5 } } }, 'cannot convert int64 to string'],
  [{ metadata: { labels: { app: true } } }, 'unrecognized type: string'],
  [{ metadata: { finalizers: {} } }, 'cannot restore slice from map'],
  [{ spec: { template: [] } }, 'cannot restore struct from: slice'],
  [{ spec: { paused: 1 } }, 'unrecognized type: bool'],
  [{ kind: 5 }, 'cannot convert int64 to string'],
  [{ spec: null, metadata: { labels: { app: null } } }, undefined],
];

describe('conversionProblem', () => {
  for (const [value, problem] of CASES) {
    it(`${JSON.stringify(value)}: ${problem ?? 'none'}`, () => {
      expect(conversionProblem(deployment, value)).to.equal(problem);
    });
  }

  it('takes bytes as texts', () => {
    expect(conversionProblem(secret, { data: { a: 'YQ==' } })).to.equal(undefined);
    expect(conversionProblem(secret, { data: { a: 1 } })).to.equal(
      'cannot restore slice from int64',
    );
  });
});
