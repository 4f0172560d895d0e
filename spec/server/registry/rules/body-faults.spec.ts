import { expect } from 'chai';
import {
  bodyFaultsOf,
  strictTexts,
  yamlError,
  yamlFaults,
  type BodyFaults,
} from '../../../../lib/server/registry/rules/body-faults.ts';

function faultsOf(text: string, prefix?: string): BodyFaults | undefined {
  return bodyFaultsOf(Buffer.from(text), JSON.parse(text), prefix);
}

function textsOf(text: string): readonly string[] | undefined {
  return faultsOf(text)?.faults.map((fault) => fault.text);
}

describe('bodyFaultsOf', () => {
  it('finds nothing in a text without repeated members', () => {
    for (const text of ['{}', '[]', '5', '"a:b"', '{"a":"\\":","b":[{"a":1},{"a":1}]}']) {
      expect(faultsOf(text), text).to.equal(undefined);
    }
  });

  it('names each repeated member once, by its path', () => {
    expect(textsOf('{"a":1,"a":2,"a":3}')).to.deep.equal(['duplicate field "a"']);
    expect(textsOf('{"a":{"b":[0,{"c":1,"c":2}]},"\\u0061":{}}')).to.deep.equal([
      'duplicate field "a.b[1].c"',
      'duplicate field "a"',
    ]);
    expect(textsOf('{"__proto__":1,"__proto__":2}')).to.deep.equal(['duplicate field "__proto__"']);
  });

  it('counts the members behind texts of any length and content', () => {
    for (const [text, name] of [
      ['{"a":"","a":1}', 'a'],
      ['{"ab":"","ab":1}', 'ab'],
      ['{"":"","":1}', ''],
      ['{"a":":","a":1}', 'a'],
      ['{"a":"\\\\","a":1}', 'a'],
      ['{"a":"\\"","a":1}', 'a'],
    ] as const) {
      expect(textsOf(text), text).to.deep.equal([`duplicate field "${name}"`]);
    }
  });

  it('reads over white space of every kind', () => {
    const text = ' {\n\t"a" :\r\n [ 1 , { "b"\t: 2.0 , "b" : 3 } ] , "a"\n:\n{ } }\n';
    expect(textsOf(text)).to.deep.equal(['duplicate field "a[1].b"', 'duplicate field "a"']);
    expect(faultsOf(text)?.literals).to.deep.equal(new Map([['a[1].b', '2.0']]));
    expect(faultsOf('{ "a" : { "b" : 1 } , "a" : { "c" : 2 } }')?.merged).to.deep.equal({
      a: { b: 1, c: 2 },
    });
  });

  it('keeps a number with a point or an exponent behind any digit', () => {
    for (let digit = 0; digit <= 9; digit += 1) {
      for (const number of [`1${digit}.0`, `1${digit}e0`, `1${digit}E0`]) {
        const { literals } = faultsOf(`{"a":${number}}`) ?? {};
        expect(Object.fromEntries(literals ?? []), number).to.deep.equal({ a: number });
      }
    }
  });

  it('puts the members of repeated objects together, and keeps the last of other values', () => {
    const { merged } =
      faultsOf('{"a":{"b":1,"c":{"d":1}},"a":{"c":{"e":2}},"f":[1],"f":[2]}') ?? {};
    expect(merged).to.deep.equal({ a: { b: 1, c: { d: 1, e: 2 } }, f: [2] });
  });

  it('keeps whole numbers that Go does not take for whole ones', () => {
    const { literals, faults } = faultsOf('{"a":3.0,"b":[1e3,2],"c":1.5,"d":true,"e":null}') ?? {};
    expect(Object.fromEntries(literals ?? [])).to.deep.equal({ a: '3.0', 'b[0]': '1e3' });
    expect(faults).to.deep.equal([]);
  });
});

describe('strictTexts', () => {
  it('names repeated and unknown members in the order of the body, and none below an unknown one', () => {
    const faults = faultsOf('{"x":{"y":1,"y":2},"a":1,"b":{"c":1,"c":2},"a":3,"z":1,"z":2}');
    expect(strictTexts(['x', 'z'], faults)).to.deep.equal([
      'unknown field "x"',
      'duplicate field "b.c"',
      'duplicate field "a"',
      'unknown field "z"',
    ]);
  });

  it('names unknown members alone', () => {
    expect(strictTexts(['b', 'a'], undefined)).to.deep.equal([
      'unknown field "b"',
      'unknown field "a"',
    ]);
  });
});

describe('yamlFaults', () => {
  const text = Buffer.from('a:\n  b: 1\n  b: 2\na: 3\n');
  const faults = yamlFaults(text, [
    ['a', 17],
    ['b', 12],
  ]) as BodyFaults;

  it('names the lines of repeated keys in their order', () => {
    expect(strictTexts(['x'], faults)).to.deep.equal([
      'line 3: key "b" already set in map',
      'line 4: key "a" already set in map',
      'unknown field "x"',
    ]);
  });

  it('is one error with all lines', () => {
    const error =
      'yaml: unmarshal errors:\n  line 3: key "b" already set in map\n  line 4: key "a" already set in map';
    expect(yamlError(faults)).to.equal(error);
    expect(strictTexts([], faults, true)).to.deep.equal([error]);
  });

  it('is nothing without repeated keys', () => {
    expect(yamlFaults(text, [])).to.equal(undefined);
  });
});
