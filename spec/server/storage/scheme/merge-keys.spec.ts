import { expect } from 'chai';
import { parseYamlDocument } from '../../../../lib/server/storage/scheme/yaml-document.ts';

const read = (text: string): unknown => parseYamlDocument(Buffer.from(text));

function refusal(text: string): string {
  try {
    read(text);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it was read');
}

describe('merge keys of YAML', () => {
  it('stand for the fields of a map, or of several, of which the first counts', () => {
    expect(read('a: &a {b: 1}\nc: {<<: *a, d: 2}')).to.deep.equal({
      a: { b: 1 },
      c: { b: 1, d: 2 },
    });
    expect(read('{<<: {a: 1}}')).to.deep.equal({ a: 1 });
    expect(read('{<<: [{a: 1}, {a: 2, b: 3}]}')).to.deep.equal({ a: 1, b: 3 });
    expect(read('{<<: {<<: {a: 1}, b: 2}}')).to.deep.equal({ a: 1, b: 2 });
    expect(read('{!!merge <<: {a: 1}}')).to.deep.equal({ a: 1 });
  });

  it('lose to fields after them, and win over those before, as in Go', () => {
    expect(read('{<<: {a: 1}, a: 2}')).to.deep.equal({ a: 2 });
    expect(read('{a: 2, <<: {a: 1}}')).to.deep.equal({ a: 1 });
  });

  it('are names like any other in quotes', () => {
    expect(read('{"<<": 1}')).to.deep.equal({ '<<': 1 });
    expect(read("{'<<': {a: 1}}")).to.deep.equal({ '<<': { a: 1 } });
  });

  it('count as repeated fields where they repeat one', () => {
    const repeated: string[] = [];
    const onRepeated = (name: string): void => void repeated.push(name);
    parseYamlDocument(Buffer.from('{<<: {a: 1}, a: 2, b: 3}'), { onRepeated });
    expect(repeated).to.deep.equal(['a']);
  });

  it('need maps', () => {
    const words = 'map merge requires map or sequence of maps as the value';
    for (const value of ['x', '1', 'null', '[1]', '[{a: 1}, x]', '[[{a: 1}]]']) {
      expect(refusal(`{<<: ${value}}`), value).to.contain(words);
    }
    expect(refusal('a: &a [1]\nb: {<<: *a}')).to.contain(words);
    expect(refusal('a: &a {<<: *a}')).to.contain('merges itself');
  });

  it('are no bombs', () => {
    const wide = ['a: &a {a1: x, a2: x}'];
    for (const [name, before] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg']) {
      const sources = Array.from({ length: 9 }, () => `*${before}`).join(',');
      wide.push(`${name}: &${name} {<<: [${sources}]}`);
    }
    expect(refusal(wide.join('\n'))).to.contain('expand to more than 20000 values');
    const deep = `${'{<<: '.repeat(150)}{a: 1}${'}'.repeat(150)}`;
    expect(read(deep), 'each level only once').to.deep.equal({ a: 1 });
    const chain = ['x0: &x0 {a: 1}'];
    for (let level = 1; level < 300; level += 1) {
      chain.push(`x${level}: &x${level} {<<: *x${level - 1}}`);
    }
    expect(read(chain.join('\n')))
      .to.have.property('x299')
      .that.deep.equals({ a: 1 });
  });
});
