import { expect } from 'chai';
import { TextMask } from '../../../lib/meta/masking/masked-text.ts';

const masked = (text: string, sent?: unknown): string => new TextMask(['web'], sent).apply(text);

describe('TextMask', () => {
  it('hides quoted texts and values, and leaves names', () => {
    expect(
      masked('secrets "web" is invalid: data[a]: Invalid value: "hunter2": too weak'),
    ).to.equal('secrets "web" is invalid: data[a]: Invalid value: [hidden]: too weak');
    expect(masked('the value hunter2 is weak', { stringData: { a: 'hunter2' } })).to.equal(
      'the value [hidden] is weak',
    );
  });

  it('hides a quoted text that was cut, wherever that was', () => {
    for (const end of ['', '\\', '\\"', '\\"\\', '\\\\', '\\\\\\']) {
      expect(masked(`the password is "hunter2${end}`), end).to.equal('the password is [hidden]');
    }
  });

  it('takes a time that grows with the length of the text', () => {
    const text = `"${'\\"'.repeat(500_000)}\\`;
    expect(masked(text) === '[hidden]').to.equal(true);
  });
});
