import { expect } from 'chai';
import { deflateRawSync } from 'node:zlib';
import { learnDictionary } from '../../../lib/cache/memory/dictionary.ts';
import { podOf } from './kept-views.ts';

describe('learnDictionary', () => {
  const bytesOf = (object: object): Buffer => Buffer.from(JSON.stringify(object));
  const lengthWith = (dictionary: Buffer, json: Buffer): number =>
    deflateRawSync(json, { dictionary }).length;

  it('takes what many samples have in common, though most of them are noise', () => {
    const noise = (seed: number): Buffer =>
      bytesOf(
        Array.from({ length: 300 }, (_, index) => Math.imul(seed * 1000 + index, 0x9e3779b1)),
      );
    const pods = Array.from({ length: 10 }, (_, index) => bytesOf(podOf(index)));
    const samples = [...Array.from({ length: 90 }, (_, index) => noise(index)), ...pods];
    const pod = bytesOf(podOf(77));
    expect(lengthWith(learnDictionary(samples), pod)).to.be.below(lengthWith(noise(1), pod) / 2);
  });

  it('has some of every kind of sample', () => {
    const kinds = Array.from({ length: 5 }, (_, kind) =>
      Array.from({ length: 20 }, (_each, index) =>
        bytesOf({
          kind,
          index,
          fields: Array.from({ length: 50 }, (_field, place) => `${kind * 7919}-${place * kind}`),
        }),
      ),
    );
    const dictionary = learnDictionary(kinds.flat());
    for (const samples of kinds) {
      const [first] = samples as [Buffer];
      expect(lengthWith(dictionary, first)).to.be.below(first.length / 10);
    }
  });

  it('is no longer than pays, and copes with few, empty and huge samples', () => {
    expect(learnDictionary([])).to.have.length(0);
    expect(learnDictionary([Buffer.alloc(0)])).to.have.length(0);
    expect(learnDictionary([Buffer.from('{"a":1}')]).toString()).to.equal('{"a":1}');
    const small = Array.from({ length: 3000 }, (_, index) => bytesOf(podOf(index, 1, 10)));
    expect(learnDictionary(small).length).to.be.within(7000, 8192);
    expect(learnDictionary([Buffer.alloc(5_000_000, 'x')])).to.have.length(8192);
    const large = Array.from({ length: 300 }, (_, index) => bytesOf(podOf(index, 1, 6000)));
    expect(learnDictionary(large)).to.have.length(24 * 1024);
  });
});
