import { expect } from 'chai';
import { PageSize } from '../../../lib/server/etcd/range-reads.ts';

const MEMBER_TIMEOUT_MS = 3000;
const MB = 1024 * 1024;

/** A page of all the keys that were asked for. */
function answer(size: PageSize, bytesPerKey: number, tookMs: number): number {
  const asked = size.keys;
  const bytes = asked * bytesPerKey;
  size.answered({ asked, keys: asked, bytes, keysAfter: 7000, tookMs });
  return size.keys;
}

describe('the page of a collection in etcd', () => {
  it('doubles while answers are quick and small, up to 10 000 keys', () => {
    const size = new PageSize(MEMBER_TIMEOUT_MS);
    const sizes = [size.keys, ...Array.from({ length: 6 }, () => answer(size, 100, 20))];
    expect(sizes).to.deep.equal([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  it('stays as it is when an answer has less than was asked for, or is neither quick nor slow', () => {
    const size = new PageSize(MEMBER_TIMEOUT_MS);
    size.answered({ asked: 500, keys: 499, bytes: 1000, keysAfter: 0, tookMs: 1 });
    size.answered({ asked: 100, keys: 100, bytes: 1000, keysAfter: 0, tookMs: 1 });
    expect(size.keys).to.equal(500);
    expect(answer(size, 20_000, 600)).to.equal(500);
  });

  it('is halved by an answer of more than 32 MB, until one has half of that', () => {
    const size = new PageSize(MEMBER_TIMEOUT_MS);
    const sizes = Array.from({ length: 6 }, () => answer(size, MB, 200));
    expect(sizes).to.deep.equal([250, 125, 62, 31, 31, 31]);
  });

  it('is halved by a slow answer, unless that is so small that it is slow for another reason', () => {
    const size = new PageSize(MEMBER_TIMEOUT_MS);
    expect(answer(size, 10_000, 1100)).to.equal(250);
    expect(answer(size, 1000, 2900)).to.equal(250);
  });

  it('is halved by a failure, down to one key, and grows again', () => {
    const size = new PageSize(MEMBER_TIMEOUT_MS);
    const sizes: number[] = [];
    while (size.failed(size.keys)) sizes.push(size.keys);
    expect(sizes).to.deep.equal([250, 125, 62, 31, 15, 7, 3, 1]);
    expect(size.keys).to.equal(1);
    expect([answer(size, MB, 10), answer(size, MB, 10)]).to.deep.equal([2, 4]);
  });

  it('is half of what was asked for, not of what would have been', () => {
    const size = new PageSize(MEMBER_TIMEOUT_MS);
    size.failed(40);
    expect(size.keys).to.equal(20);
    // Two reads of one collection at the same time.
    size.failed(40);
    expect(size.keys).to.equal(20);
  });

  it('explains a failure with what was asked for, what was answered, and what to do', () => {
    const size = new PageSize(MEMBER_TIMEOUT_MS);
    size.failed(500);
    expect(size.explain()).to.equal(
      'the last page was of 500 keys, and none was answered before; the next read asks for 250 keys, or find out why the member or the network is slow',
    );
    answer(size, 40, 1);
    while (size.failed(size.keys));
    expect(size.explain()).to.equal(
      'the last page was of 1 key, and the one answered last had 250 keys and 10000 bytes, with 7000 keys after it; raise memberTimeoutMs and requestTimeoutMs, or find out why the member or the network is slow',
    );
  });
});
