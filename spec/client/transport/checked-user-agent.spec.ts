import { expect } from 'chai';
import { AxiosTransport } from '../../../lib/client/transport/axios-transport.ts';
import { USER_AGENT } from '../../../lib/client/transport/checked-user-agent.ts';
import { thrownBy } from '../support/failure-of.ts';

describe('USER_AGENT', () => {
  for (const text of ['a', 'shop/1.0 (linux/x64)', '~'.repeat(1_024)]) {
    it(`accepts ${JSON.stringify(text.slice(0, 40))}`, () => {
      expect(USER_AGENT.read('connect', 'userAgent', text)).to.equal(text);
    });
  }

  const refused = ['', 'a\r\nx: y', 'a\u0000', 'é', '\u007f', 'a'.repeat(1_025), 7, null];
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)?.slice(0, 40)}`, () => {
      const error = thrownBy(() => USER_AGENT.read('connect', 'userAgent', text as string));
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message).to.include(
        'connect: option "userAgent" must be 1 to 1024 printable ASCII characters, without line breaks',
      );
    });
  }

  it('is asked by the transport before the first request', () => {
    const options = { server: 'https://a', userAgent: 'a\nb' };
    expect(thrownBy(() => new AxiosTransport(options)).code).to.equal('INVALID_OPTION');
  });
});
