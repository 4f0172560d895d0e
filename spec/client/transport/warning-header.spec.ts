import { expect } from 'chai';
import { parseWarningHeader } from '../../../lib/client/transport/warning-header.ts';

describe('parseWarningHeader', () => {
  it('reads several warnings with quotes, commas and dates', () => {
    const header =
      '299 - "v1beta1 is deprecated, use \\"v1\\"", 299 api "second \\\\ one" "Thu, 01 Jan 2026 12:00:05 GMT"';
    expect(parseWarningHeader(header)).to.deep.equal([
      { code: 299, agent: '-', text: 'v1beta1 is deprecated, use "v1"' },
      { code: 299, agent: 'api', text: 'second \\ one' },
    ]);
  });

  it('leaves out values that are not warnings', () => {
    for (const header of ['', 'nonsense', '299 - unquoted', '299 - "open', '29 - "short code"']) {
      expect(parseWarningHeader(header), header).to.deep.equal([]);
    }
  });

  // A cost that grows with the square of the size would be a hang.
  it('reads a hostile header of a million characters', () => {
    expect(parseWarningHeader(`299 - "${'\\'.repeat(1e6)}`)).to.deep.equal([]);
    expect(parseWarningHeader('299 - "'.repeat(150_000))).to.have.length(75_000);
  });
});
