import { expect } from 'chai';
import { readBody, readBodyStart } from '../../../../lib/client/transport/body/read-body.ts';
import { failureOf } from '../../support/failure-of.ts';

const TARGET = { server: 'http://a', method: 'GET', path: '/b' };

describe('readBody', () => {
  let left: boolean;
  async function* body(...pieces: string[]): AsyncGenerator<Uint8Array> {
    left = true;
    for (const piece of pieces) yield new Uint8Array(Buffer.from(piece));
    left = false;
  }

  it('joins the pieces, up to the limit and including it', async () => {
    expect(String(await readBody(body('ab', 'cd'), 4, TARGET))).to.equal('abcd');
    expect(String(await readBody(body(), 4, TARGET))).to.equal('');
  });

  it('joins the pieces of the network, and returns a body of one piece without a copy', async () => {
    async function* received(...pieces: Buffer[]): AsyncGenerator<Uint8Array> {
      yield* pieces;
    }
    const [one, two, three] = [Buffer.from('ab'), Buffer.from('cd'), Buffer.from('ef')];
    expect(String(await readBody(received(one, two, three), 6, TARGET))).to.equal('abcdef');
    expect(await readBody(received(one), 6, TARGET)).to.equal(one);
    expect(String(await readBodyStart(received(one, two, three), 5))).to.equal('abcde');
  });

  it('refuses a larger body as soon as it is, and leaves it', async () => {
    const error = await failureOf(readBody(body('ab', 'cde', 'never read'), 4, TARGET));
    expect(error.code).to.equal('RESPONSE_TOO_LARGE');
    expect(left).to.equal(true);
  });

  it('reads the beginning only, when only that is wanted', async () => {
    expect(String(await readBodyStart(body('ab', 'cde', 'never read'), 4))).to.equal('abcd');
    expect(left).to.equal(true);
    expect(String(await readBodyStart(body('ab'), 4))).to.equal('ab');
  });
});
