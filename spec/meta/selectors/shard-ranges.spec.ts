import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parseShardRanges, ShardProblem } from '../../../lib/meta/selectors/shard-ranges.ts';
import { parseShardSelector } from '../../../lib/meta/selectors/shard-selector.ts';

/**
 * Selectors with what kube-apiserver 1.37.2 with ShardedListAndWatch says of them: as it writes those that it accepts in `shardInfo`, or its
 * message. Recorded on 2026-11-30.
 */
const recorded = JSON.parse(
  readFileSync(new URL('recorded-shard-selectors.json', import.meta.url), 'utf8'),
) as readonly (readonly [selector: string, said: string, accepted?: 'accepted'])[];

const SYNTAX = 'CEL parse error: ';

function problemOf(selector: string): string {
  try {
    parseShardRanges(selector);
  } catch (error) {
    if (error instanceof ShardProblem) return error.message;
    throw error;
  }
  return 'none';
}

describe('the ranges of a shard selector', () => {
  for (const [selector, said, accepted] of recorded) {
    it(`are read as kube-apiserver reads them: ${selector}`, () => {
      if (accepted === 'accepted') {
        expect(parseShardSelector(selector).toString()).to.equal(said);
      } else if (said.startsWith(SYNTAX)) {
        // The words of the parser are its own.
        expect(problemOf(selector)).to.match(/^CEL parse error: Syntax error: /);
      } else {
        expect(problemOf(selector)).to.equal(said);
      }
    });
  }

  it('are refused when they are nested too deeply, and read when there are many', () => {
    const range = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
    expect(problemOf(`${'('.repeat(50_000)}${range}`)).to.include('recursion limit exceeded');
    expect(problemOf(`${'!'.repeat(50_000)}a`)).to.include('recursion limit exceeded');
    expect(parseShardRanges(Array(2000).fill(range).join('||')).length).to.equal(2000);
  });
});
