import { expect } from 'chai';
import { isRequestUri } from '../../../../lib/server/custom/schema/uri-format.ts';

describe('isRequestUri', () => {
  for (const text of ['*', '/', '/a?b', 'a:', 'a:b', 'http://h:1/a', 'http://[::1]:80', '//a']) {
    it(`reads ${text}`, () => {
      expect(isRequestUri(text)).to.equal(true);
    });
  }

  for (const text of [
    '',
    'a',
    ':a',
    '/a\u0001',
    '/%zz',
    'http://h:x',
    'http://a b',
    'http://[::1]x',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(isRequestUri(text)).to.equal(false);
    });
  }
});
