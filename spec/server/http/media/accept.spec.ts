import { expect } from 'chai';
import { parseAccept } from '../../../../lib/server/http/media/accept.ts';

function types(header: string): string[] {
  return parseAccept(header).map(({ type }) => type);
}

describe('an Accept header', () => {
  it('is tried in the order of the header, the better quality and the more specific type first', () => {
    expect(types('a/a,b/b')).to.deep.equal(['a/a', 'b/b']);
    expect(types('a/a;q=0.5,b/b')).to.deep.equal(['b/b', 'a/a']);
    expect(types('*/*,a/a;q=0.1')).to.deep.equal(['a/a', '*/*']);
    expect(types('a/*,a/a')).to.deep.equal(['a/a', 'a/*']);
  });

  it('keeps alternatives of quality 0 for the end', () => {
    expect(types('a/a;q=0,b/b;q=0.1')).to.deep.equal(['b/b', 'a/a']);
    expect(types('a/a;q=nonsense,b/b;q=0.1')).to.deep.equal(['b/b', 'a/a']);
  });

  it('has no alternatives where there is no type and subtype, except for the wildcard', () => {
    expect(types('nonsense, a/b/c, *, a/')).to.deep.equal(['*/*']);
  });

  it('has the parameters with a value, and not the quality', () => {
    const [range] = parseAccept('a/a; as=Table ;v = v1;q=0.5;empty=;odd=a=b');
    expect([...(range?.parameters ?? [])]).to.deep.equal([
      ['as', 'Table'],
      ['v', 'v1'],
    ]);
  });

  it('has no more alternatives than a client has reason to send', () => {
    const header = Array.from({ length: 100_000 }, () => 'a/b').join(',');
    expect(parseAccept(header)).to.have.length(64);
  });
});
