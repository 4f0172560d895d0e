import { expect } from 'chai';
import { parseQuery } from '../../../lib/server/http/parse-query.ts';

function pairs(text: string): readonly (readonly [string, string])[] {
  return [...parseQuery(text)];
}

describe('the parameters of a query', () => {
  it('are its pairs, in their order, with what was escaped', () => {
    expect(pairs('')).to.deep.equal([]);
    expect(pairs('watch=1&limit=5&watch=')).to.deep.equal([
      ['watch', '1'],
      ['limit', '5'],
      ['watch', ''],
    ]);
    expect(pairs('label%53elector=a%3db%2Cc+d&pretty')).to.deep.equal([
      ['labelSelector', 'a=b,c d'],
      ['pretty', ''],
    ]);
  });

  it('are without a pair that has an escape which is none, in the name or in the value', () => {
    for (const pair of ['limit=%', 'limit=%4', 'limit=%4g', 'limit=%%34', '%zz=5', 'limit=5%']) {
      expect(pairs(`watch=1&${pair}&pretty=%41`), pair).to.deep.equal([
        ['watch', '1'],
        ['pretty', 'A'],
      ]);
    }
  });

  it('are without a pair that has a semicolon, which is no separator', () => {
    expect(pairs('watch=1;limit=5&pretty=1')).to.deep.equal([['pretty', '1']]);
    expect(pairs('watch=1%3Blimit')).to.deep.equal([['watch', '1;limit']]);
    expect(pairs(';')).to.deep.equal([]);
  });
});
