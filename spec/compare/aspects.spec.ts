import { expect } from 'chai';
import { differences, sameAspects } from './aspects.ts';
import type { Answer } from './scenario.ts';

function refusal(changes: object = {}, answer: Partial<Answer> = {}): Answer {
  const details = { causes: [{ reason: 'FieldValueRequired', field: 'spec', message: 'm' }] };
  const body = { kind: 'Status', reason: 'Invalid', message: 'no', details, ...changes };
  return { status: 422, type: 'application/json', body, ...answer };
}

const same = (one: Answer, other: Answer): string => [...sameAspects(one, other)].join(' ');

describe('two answers', () => {
  it('are the same in every aspect, in any order of members', () => {
    const { kind, ...rest } = refusal().body as Record<string, unknown>;
    const turned = { ...refusal(), body: { ...rest, kind } };
    expect(same(refusal(), turned)).to.equal('status reason causes headers body all');
  });

  it('have nothing in common when the status differs', () => {
    expect(same(refusal(), refusal({}, { status: 400 }))).to.equal('');
  });

  it('differ in the reason, in the causes, in the message or in the warnings alone', () => {
    expect(same(refusal(), refusal({ reason: 'BadRequest' }))).to.equal('status causes headers');
    const causes = { causes: [{ reason: 'FieldValueRequired', field: 'spec.a', message: 'm' }] };
    expect(same(refusal(), refusal({ details: causes }))).to.equal('status reason headers');
    expect(same(refusal(), refusal({ message: 'never' }))).to.equal('status reason causes headers');
    expect(same(refusal(), refusal({}, { warnings: ['w'] }))).to.equal(
      'status reason causes body all',
    );
  });

  it('may differ in managed fields alone', () => {
    const object = (managedFields: unknown): Answer => ({
      status: 200,
      type: 'application/json',
      body: { kind: 'Pod', metadata: { name: 'a', managedFields } },
    });
    expect(same(object([1]), object([2]))).to.equal('status reason causes headers body');
  });
});

describe('differences', () => {
  it('names each place, and counts those that are left out', () => {
    const one = { a: 1, b: { c: [1, 2] }, d: 1 };
    const other = { a: 1, b: { c: [1, 3] }, e: 1 };
    expect(differences(one, other, 2)).to.deep.equal(['.b.c[1]: 2 | 3', '.d: 1 | –', 'and 1 more']);
  });
});
