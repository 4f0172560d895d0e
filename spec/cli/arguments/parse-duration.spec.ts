import { expect } from 'chai';
import { parseDuration } from '../../../lib/cli/arguments/parse-duration.ts';
import { UsageError } from '../../../lib/cli/arguments/usage-error.ts';

describe('parseDuration', () => {
  it('reads milliseconds, seconds, minutes and hours; a number alone is in seconds', () => {
    const texts = ['500ms', '30s', '1.5m', '2h', '7'];
    const times = texts.map((text) => parseDuration('--timeout', text));
    expect(times).to.deep.equal([500, 30_000, 90_000, 7_200_000, 7000]);
  });

  it('refuses other texts, zero, and more than a day, naming the option and the text', () => {
    for (const text of ['', '-1s', '0s', '25h', '1d', '3 s', 'Infinity', '1e3s']) {
      expect(() => parseDuration('--timeout', text))
        .to.throw(UsageError)
        .with.property(
          'message',
          `--timeout must be a time from 1ms to 24h, such as 30s, not ${JSON.stringify(text)}`,
        );
    }
  });
});
