import { expect } from 'chai';
import { textFormat } from '../../../../lib/server/custom/schema/text-formats.ts';

// Each as kube-apiserver 1.36.3 answers it for a field of the format.
const GOOD: Readonly<Record<string, readonly string[]>> = {
  date: [
    '2020-01-01',
    '2020-12-31',
    '2020-02-29',
    '2000-02-29',
    '2020-04-30',
    '0000-01-01',
    '9999-12-31',
  ],
  'date-time': ['2020-01-01T00:00:00Z', '2020-01-01t00:00:00z', '2020-01-01T23:59:59Z'],
};
const BAD: Readonly<Record<string, readonly string[]>> = {
  date: [
    '2020-00-01',
    '2020-13-01',
    '2020-20-10',
    '2020-99-10',
    '2020-12-32',
    '2020-01-00',
    '2020-04-31',
    '2021-02-29',
    '1900-02-29',
    '2020-1-01',
    '20200-01-01',
    '2020-01-01T00:00:00Z',
  ],
  'date-time': [
    '2020-13-01T00:00:00Z',
    '2020-01-01T24:00:00Z',
    '2020-01-01T23:60:00Z',
    '2020-01-01T23:59:60Z',
    '2020-01-01',
  ],
};

describe('the format of a text', () => {
  for (const [format, texts] of Object.entries(GOOD)) {
    it(`${format} has ${texts.join(', ')}`, () => {
      for (const text of texts) expect(textFormat(format)?.(text), text).to.equal(true);
    });
  }
  for (const [format, texts] of Object.entries(BAD)) {
    it(`${format} has not ${texts.join(', ')}`, () => {
      for (const text of texts) expect(textFormat(format)?.(text), text).to.equal(false);
    });
  }
});
