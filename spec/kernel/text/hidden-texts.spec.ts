import { inspect } from 'node:util';
import { expect } from 'chai';
import { HiddenTexts } from '../../../lib/kernel/text/hidden-texts.ts';

const SECRET = 'pass"word/+=?é';

function hidden(...texts: readonly string[]): HiddenTexts {
  const made = new HiddenTexts();
  for (const text of texts) made.add(text);
  return made;
}

describe('HiddenTexts', () => {
  const texts = hidden(SECRET);

  it('hides a text as it is, percent-encoded and escaped as in JSON', () => {
    for (const form of [SECRET, encodeURIComponent(SECRET), JSON.stringify(SECRET)]) {
      expect(texts.hide(`got ${form} here`)).to.match(/^got "?\[hidden\]"? here$/);
    }
  });

  it('hides a text in base64, alone and inside a longer text', () => {
    for (const before of ['', 'a', 'ab', 'abc', 'Bearer ']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const whole = Buffer.from(`${before}${SECRET} after`).toString(encoding);
        const shown = texts.hide(whole);
        expect(shown, before).to.include('[hidden]');
        expect(shown.length, before).to.be.below(whole.length - SECRET.length + 8);
      }
    }
  });

  it('leaves other texts, and hides no text so short that words have it', () => {
    expect(hidden(SECRET, 'the', '').hide('the words')).to.equal('the words');
    expect(new HiddenTexts().hide('the words')).to.equal('the words');
  });

  it('hides the longer of two texts that begin alike', () => {
    expect(hidden('token', 'token-of-mine').hide('token-of-mine, token')).to.equal(
      '[hidden], [hidden]',
    );
  });

  it('keeps the last texts, and shows none when it is printed', () => {
    const many = hidden(...Array.from({ length: 40 }, (_, index) => `secret-number-${index}`));
    expect(many.hide('secret-number-39')).to.equal('[hidden]');
    expect(inspect(many, { depth: 9, showHidden: true })).to.not.include('secret-number');
    expect(JSON.stringify(many)).to.not.include('secret-number');
  });
});
