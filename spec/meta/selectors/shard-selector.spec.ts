import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { parseShardSelector, shardSelector } from '../../../lib/meta/selectors/shard-selector.ts';

const range = (start: string, end: string, by = 'uid'): string =>
  `shardRange(object.metadata.${by}, '${start}', '${end}')`;

function failure(work: () => unknown): ListwatchError {
  try {
    work();
  } catch (error) {
    if (error instanceof ListwatchError) return error;
  }
  throw new Error('it did not fail as expected');
}

/** As servers make them: without an order. */
const uidOf = (number: number): string =>
  createHash('sha256')
    .update(String(number))
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');

describe('ShardSelector', () => {
  // The published values of FNV-1a with 64 bits.
  for (const [text, hash] of [
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
  ] as const) {
    it(`has the hash ${hash} for ${JSON.stringify(text)}`, () => {
      const at = BigInt(`0x${hash}`);
      const only = range(`0x${hash}`, `0x${(at + 1n).toString(16)}`);
      expect(parseShardSelector(only).matches({ uid: text })).to.equal(true);
      const before = range('0x0000000000000000', `0x${hash}`);
      const after = range(`0x${(at + 1n).toString(16)}`, '0x10000000000000000');
      expect(parseShardSelector(`${before} || ${after}`).matches({ uid: text })).to.equal(false);
    });
  }

  it('reads uid or namespace, and takes an object without one as the empty text', () => {
    const empty = range('0xcbf29ce484222325', '0xcbf29ce484222326', 'namespace');
    expect(parseShardSelector(empty).matches({ uid: 'a' })).to.equal(true);
    expect(parseShardSelector(empty).matches(undefined)).to.equal(true);
    expect(parseShardSelector(empty).matches({ namespace: 'a' })).to.equal(false);
  });

  it('divides all objects into parts of about the same size, each in exactly one', () => {
    for (const of of [1, 2, 3, 7]) {
      const shards = Array.from({ length: of }, (_, index) =>
        parseShardSelector(shardSelector({ index, of })),
      );
      const sizes = shards.map(() => 0);
      for (let number = 0; number < 3000; number += 1) {
        const object = { uid: uidOf(number) };
        const found = shards.flatMap((shard, index) => (shard.matches(object) ? [index] : []));
        expect(found).to.have.length(1);
        sizes[found[0]!]! += 1;
      }
      for (const size of sizes) expect(size).to.be.within((3000 / of) * 0.7, (3000 / of) * 1.3);
    }
  });

  it('is written as kube-apiserver takes it', () => {
    expect(shardSelector({ index: 1, of: 2, by: 'namespace' })).to.equal(
      "shardRange(object.metadata.namespace, '0x8000000000000000', '0x10000000000000000')",
    );
    expect(shardSelector({ index: 0, of: 2 })).to.equal(
      range('0x0000000000000000', '0x8000000000000000'),
    );
  });

  for (const [name, text] of [
    ['another function', "range(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"],
    ['another field', range('0x0000000000000000', '0x8000000000000000', 'name')],
    ['no prefix', range('0000000000000000', '0x8000000000000000')],
    ['no quotes', 'shardRange(object.metadata.uid, 0x0, 0x8)'],
    [
      'quotes that differ',
      `shardRange(object.metadata.uid, '0x0000000000000000", '0x8000000000000000')`,
    ],
    ['too many digits', range('0x0000000000000000', '0x000000000000000008')],
    ['an end beyond all hashes', range('0x0000000000000000', '0x10000000000000001')],
    [
      'another operator',
      `${range('0x0000000000000000', '0x8000000000000000')} && ${range('0x0000000000000000', '0x8000000000000000')}`,
    ],
    ['nothing', ''],
  ] as const) {
    it(`refuses ${name}, and says the form`, () => {
      const { code, message } = failure(() => parseShardSelector(text));
      expect(code).to.equal('INVALID_SELECTOR');
      expect(message).to.include('write ranges such as shardRange(object.metadata.uid,');
    });
  }

  it('refuses an empty range', () => {
    expect(
      failure(() => parseShardSelector(range('0x8000000000000000', '0x8000000000000000'))).message,
    ).to.include('must be less than end');
  });

  it('refuses options that are no shard', () => {
    for (const options of [
      { index: 2, of: 2 },
      { index: -1, of: 2 },
      { index: 0, of: 0 },
      { index: 0.5, of: 2 },
      { index: 0, of: 2, by: 'name' as 'uid' },
    ]) {
      expect(failure(() => shardSelector(options)).code).to.equal('INVALID_OPTION');
    }
  });
});
