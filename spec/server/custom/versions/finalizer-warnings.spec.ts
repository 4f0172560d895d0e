import { expect } from 'chai';
import { finalizerWarnings } from '../../../../lib/server/custom/versions/custom-resource-kind.ts';

const withFinalizers = (...finalizers: string[]): object => ({ metadata: { finalizers } });

describe('finalizerWarnings', () => {
  it('has nothing to say about finalizers of a domain and about those of Kubernetes', () => {
    const object = withFinalizers('example.io/a', 'orphan', 'foregroundDeletion', 'kubernetes');
    expect(finalizerWarnings(object)).to.deep.equal([]);
    expect(finalizerWarnings({})).to.deep.equal([]);
  });

  it('prefers a domain, and a path after what looks like a domain', () => {
    const start = 'prefer a domain-qualified finalizer name';
    const end = 'to avoid accidental conflicts with other finalizer writers';
    expect(finalizerWarnings(withFinalizers('mine', 'a.example.io'))).to.deep.equal([
      `metadata.finalizers: "a.example.io": ${start} including a path (/) ${end}`,
      `metadata.finalizers: "mine": ${start} ${end}`,
    ]);
  });

  it('warns of each new finalizer once, and of none that was there before', () => {
    const object = withFinalizers('old', 'new', 'new');
    const warnings = finalizerWarnings(object, withFinalizers('old'));
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.contain('"new"');
  });

  it('says what is wrong with the name, also where it has a domain', () => {
    const [warning, ...more] = finalizerWarnings(withFinalizers('example.io/a b'));
    expect(warning).to.contain('"example.io/a b"').and.contain('alphanumeric');
    expect(more).to.deep.equal([]);
  });
});
