import { expect } from 'chai';
import { firstAnswerMs, summary } from './server-ready.bench.ts';

describe('the benches', () => {
  it('run: each body once, so that they cannot rot', async () => {
    expect(summary([await firstAnswerMs()])).to.match(/median +[0-9.]+/);
  });
});
