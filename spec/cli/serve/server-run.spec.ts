import { expect } from 'chai';
import { ServeFixture } from '../support/serve-fixture.ts';

describe('a run of listwatch serve', () => {
  let fixture: ServeFixture;

  beforeEach(async () => {
    fixture = await ServeFixture.make();
  });

  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  it('ends with 0 when it is interrupted as soon as it is ready', async () => {
    const run = fixture.serve();
    const { stdout } = run.host;
    stdout.write = (text) => {
      stdout.text += text;
      run.interrupt();
    };
    expect(await run.ended()).to.equal(0);
    expect(run.host.stderr.text).to.include('stopped');
  });
});
