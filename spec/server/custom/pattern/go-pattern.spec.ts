import { expect } from 'chai';
import { Draw } from '../../../compare/draw.ts';
import { GoPattern } from '../../../../lib/server/custom/pattern/go-pattern.ts';
import { PatternSyntaxError } from '../../../../lib/server/custom/pattern/pattern-node.ts';

const PLENTY = 1_000_000;

function matches(pattern: string, text: string): boolean | undefined {
  return new GoPattern(pattern).test(text, { steps: PLENTY });
}

describe('GoPattern', () => {
  for (const [pattern, good, bad] of [
    ['^a{2,3}$', ['aa', 'aaa'], ['a', 'aaaa']],
    ['(?i)straße', ['STRAßE', 'ſtraẞe'], ['STRASSE']],
    ['(?i)[^k]', ['x'], ['k', 'K', '\u212a']],
    ['^(?s:.)\\z', ['\n', '\u{1f600}'], ['ab']],
    ['^.$', ['a'], ['\n']],
    ['a$', ['ba'], ['a\n']],
    ['(?m)a$', ['a\nb'], ['ab']],
    ['\\Ba', ['ba'], ['a', ' a']],
    ['[[:^alpha:]]', ['1'], ['a']],
    ['\\p{Lu}\\P{Lu}', ['Aa'], ['AA']],
    ['\\Qa.b\\E+', ['a.bb'], ['axb']],
    ['^(|a)*$', ['', 'aa'], ['b']],
    ['[]a]', [']', 'a'], ['b']],
    ['^[[:a]$', ['[', ':', 'a'], ['b', 'l']],
    ['^[a:]]$', ['a]', ':]'], ['a', ']']],
    ['\\x{1F600}\\x41\\101', ['\u{1f600}AA'], ['A']],
    ['x*', ['', 'y'], []],
  ] as const) {
    it(`matches ${pattern} as Go does`, () => {
      for (const text of good) expect(matches(pattern, text), JSON.stringify(text)).to.equal(true);
      for (const text of bad) expect(matches(pattern, text), JSON.stringify(text)).to.equal(false);
    });
  }

  it('needs steps in proportion to the text, where a search with way back needs ever more', () => {
    const pattern = new GoPattern('^(a+)+$');
    for (const length of [100, 10_000]) {
      const budget = { steps: 20 * length };
      expect(pattern.test(`${'a'.repeat(length)}b`, budget)).to.equal(false);
      expect(budget.steps).to.be.greaterThan(0);
    }
  });

  it('ends a test whose budget is used up', () => {
    const pattern = new GoPattern('(a?){1000}b');
    expect(pattern.test('a'.repeat(1000), { steps: 1000 })).to.equal(undefined);
  });

  it('refuses a pattern of too many steps', () => {
    const long = '[ab]{1000}'.repeat(60);
    expect(() => new GoPattern(long)).to.throw(PatternSyntaxError, 'expression too large');
    expect(() => new GoPattern('('.repeat(5000))).to.throw(PatternSyntaxError, 'missing closing )');
  });

  // Each as kube-apiserver 1.36.3 answers it for the pattern of a schema.
  for (const [open, inner, close, deepest] of [
    ['(', 'a', ')', 999],
    ['(?P<n>', 'a', ')', 999],
    ['(?:', 'a', ')*', 999],
    ['(a', '', ')', 500],
    ['(?:a|b', '', ')', 500],
    ['((?:[ab])c', '', ')', 499],
  ] as const) {
    it(`nests ${open}${inner}${close} ${deepest} times at most`, () => {
      const nested = (times: number): string => open.repeat(times) + inner + close.repeat(times);
      expect(() => new GoPattern(nested(deepest))).not.to.throw();
      expect(() => new GoPattern(nested(deepest + 1))).to.throw('expression nests too deeply');
    });
  }

  it('nests groups without effect as deeply as one likes', () => {
    const pattern = `${'(?:'.repeat(2000)}a${')'.repeat(2000)}`;
    expect(matches(pattern, 'a')).to.equal(true);
    expect(matches(pattern, 'b')).to.equal(false);
  });

  it('reads or refuses any text, and tests it in its budget', () => {
    const draw = new Draw('patterns');
    const parts =
      '( ) [ ] { } * + ? | ^ $ . \\ a b - , 1 2 : [:alpha:] (?i) (?P<n> \\p{L} \\d \\b \\x41 {2,3} [^ é \u{1f600}'.split(
        ' ',
      );
    for (let count = 0; count < 3000; count += 1) {
      const pattern = Array.from({ length: 1 + draw.below(12) }, () => draw.pick(parts)).join('');
      let compiled: GoPattern;
      try {
        compiled = new GoPattern(pattern);
      } catch (error) {
        expect(error, pattern).to.be.instanceOf(PatternSyntaxError);
        continue;
      }
      const text = Array.from({ length: draw.below(12) }, () => draw.pick(parts)).join('');
      expect(compiled.test(text, { steps: PLENTY }), pattern).to.be.a('boolean');
    }
  });
});
