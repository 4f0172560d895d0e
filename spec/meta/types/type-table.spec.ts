import { expect } from 'chai';
import { TypeTable } from '../../../lib/meta/types/type-table.ts';

const TEXT = `
= one one/v1 example.io/api/one/v1
A*+: a=1 b=2!*:bool c=3?:int64 d=4!?:B e=5:B[] f=6:bytes{atomic} ...=7:B
B(atomic): x=1:Quantity[map:key,other]@merge,retainKeys:key y=2:B(granular) z=3[set]@replace~["a"]
C+|: q=1?:two.Q
= two two/v1 example.io/api/two/v1
A: mine=1
Q: $ref=1 x-kubernetes-list-type=2~"a\\u0020b"
Shared*: a=1
`;

function table(text: string = TEXT): TypeTable {
  return new TypeTable([text], 'two');
}

describe('TypeTable', () => {
  it('reads numbers, types, presence and shapes', () => {
    const { fields } = table().get('one.A');
    expect(
      fields.map(({ name, number, type, presence, required, shape }) => [
        name,
        number,
        type,
        presence,
        required,
        shape,
      ]),
    ).to.deep.equal([
      ['a', 1, 'string', 'nonzero', false, 'one'],
      ['b', 2, 'bool', 'always', true, 'one'],
      ['c', 3, 'int64', 'sent', false, 'one'],
      ['d', 4, 'one.B', 'nullable', false, 'one'],
      ['e', 5, 'one.B', 'nonzero', false, 'list'],
      ['f', 6, 'bytes', 'nonzero', false, 'map'],
      ['', 7, 'one.B', 'nonzero', false, 'inline'],
    ]);
  });

  it('reads how fields are merged, and their defaults', () => {
    const { byName, mergeType } = table().get('one.B');
    expect(mergeType).to.equal('atomic');
    expect(byName.get('x')).to.deep.include({
      mergeType: 'map',
      listKeys: ['key', 'other'],
      patchStrategies: ['merge', 'retainKeys'],
      patchMergeKey: 'key',
      declaredDefault: undefined,
    });
    expect(byName.get('y')).to.deep.include({ mergeType: 'granular', patchStrategies: [] });
    expect(byName.get('z')).to.deep.include({
      mergeType: 'set',
      patchStrategies: ['replace'],
      patchMergeKey: undefined,
      declaredDefault: ['a'],
    });
    expect(table().get('two.Q').byName.get('x-kubernetes-list-type')?.declaredDefault).to.equal(
      'a b',
    );
  });

  it('follows a field to its message, also to one of another section', () => {
    const types = table();
    expect(types.get('one.A').byName.get('e')?.message).to.equal(types.get('one.B'));
    expect(types.get('one.C').byName.get('q')?.message).to.equal(types.get('two.Q'));
    expect(types.get('one.A').byName.get('f')?.message).to.equal(undefined);
  });

  it('names the fields of inline messages among those of the message', () => {
    expect([...table().get('one.A').byName.keys()].join(' ')).to.equal('a b c d e f x y z');
  });

  it('finds kinds by API version, and shared ones in all of them', () => {
    const types = table();
    expect(types.kind('one/v1', 'A')).to.include({
      name: 'one.A',
      apiVersion: 'one/v1',
      openApiName: 'io.example.api.one.v1.A',
      isKind: true,
      hasTypeMeta: true,
      isUnion: false,
    });
    expect(types.get('one.C')).to.include({ isKind: false, isUnion: true });
    expect(types.kind('one/v1', 'Shared')?.name).to.equal('two.Shared');
    expect(types.kind('one/v1', 'B')).to.equal(undefined);
    expect(types.kind('three/v1', 'A')).to.equal(undefined);
  });

  it('names all its messages', () => {
    expect([...table().names()].join(' ')).to.equal('one.A one.B one.C two.A two.Q two.Shared');
  });

  it('refuses text that does not follow the notation', () => {
    for (const text of ['A: b=1', '= one one/v1', '= one one/v1 x\n: b=1']) {
      expect(() => table(text), text).to.throw(TypeError);
    }
    for (const line of ['A b=1', 'A: b', 'A: b=x', 'A: b=1:', 'A: b=1 c=1', 'A: b=1:int32[']) {
      expect(() => table(`= one one/v1 x\n${line}`).get('one.A'), line).to.throw(TypeError);
    }
    expect(() => table().get('one.Z')).to.throw('there is no message one.Z');
  });
});
