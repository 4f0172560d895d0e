import { expect } from 'chai';
import { goText } from '../../../../lib/server/custom/schema/go-values.ts';

describe('goText', () => {
  it('prints lists, maps in the order of their names, and nothing', () => {
    expect(goText(['a', 1e21, null])).to.equal('[a 1e+21 <nil>]');
    expect(goText({ b: true, a: [{}] })).to.equal('map[a:[map[]] b:true]');
    expect(goText(undefined)).to.equal('<nil>');
  });
});
