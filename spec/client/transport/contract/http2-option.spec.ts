import { expect } from 'chai';
import {
  HTTP2,
  prefersHttp2,
  type Http2Option,
} from '../../../../lib/client/transport/contract/http2-option.ts';

const asks = (
  option: Http2Option,
  secure: boolean,
  stream: boolean,
  openStreams: number,
): boolean => prefersHttp2(option, { secure, stream, openStreams });

describe('the option http2', () => {
  it('auto: for a stream, while more than a hundred are open', () => {
    expect(asks('auto', true, true, 100)).to.equal(false);
    expect(asks('auto', true, true, 101)).to.equal(true);
    expect(asks('auto', true, false, 101)).to.equal(false);
  });

  it('true: for every request; false: for none', () => {
    for (const stream of [false, true]) {
      expect(asks(true, true, stream, 1)).to.equal(true);
      expect(asks(false, true, stream, 1000)).to.equal(false);
    }
  });

  it('is for servers with TLS: others are not asked, but with prior knowledge', () => {
    for (const option of ['auto', true, false] as const) {
      expect(asks(option, false, true, 1000), String(option)).to.equal(false);
    }
    for (const secure of [false, true]) {
      expect(asks('prior-knowledge', secure, false, 1)).to.equal(true);
    }
  });

  it('is one of four', () => {
    for (const option of ['auto', 'prior-knowledge', true, false]) {
      expect(HTTP2.read('AxiosTransport', 'http2', option)).to.equal(option);
    }
    for (const option of ['h2', 'true', 1, null]) {
      expect(() => HTTP2.read('AxiosTransport', 'http2', option))
        .to.throw('AxiosTransport: option "http2" must be')
        .with.property('code', 'INVALID_OPTION');
    }
  });
});
