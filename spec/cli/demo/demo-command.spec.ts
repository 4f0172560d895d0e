import { expect } from 'chai';
import { demoCommand } from '../../../lib/cli/demo/demo-command.ts';
import { UsageError } from '../../../lib/cli/arguments/usage-error.ts';
import type { InspectorSnapshot } from '../../../lib/inspector/contract/inspector-snapshot.ts';
import { ask } from '../../inspector/support/inspector-world.ts';
import { until } from '../../support/until.ts';
import { capturedHost } from '../support/captured-host.ts';

describe('listwatch demo', () => {
  it('prints the address of a page with a program at work, until it is interrupted', async () => {
    const stop = new AbortController();
    const host = capturedHost({ signal: stop.signal });
    const code = demoCommand().run([], host);
    await until('the address', () => host.stdout.text !== '');
    const [, url = ''] = /^open (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(host.stdout.text) ?? [];
    await until('runs, and a key that fails', async () => {
      const state = JSON.parse((await ask(url, '/debug/snapshot')).text) as InspectorSnapshot;
      const [{ runs, queue }] = state.controllers as [InspectorSnapshot['controllers'][number]];
      const [failing] = queue.failing.keys;
      return runs.done > 0 && failing?.reason === 'the page page-7 has no title';
    });
    stop.abort(new Error('interrupted'));
    expect(await code).to.equal(0);
    expect(host.stderr.text).to.equal('');
  });

  it('names a wrong port and a further word', async () => {
    const refused = async (...parameters: string[]): Promise<string> =>
      await demoCommand()
        .run(parameters, capturedHost())
        .then(String, (error: unknown) => (error instanceof UsageError ? error.message : ''));
    expect(await refused('--port', '70000')).to.match(/--port must be a number from 0 to 65535/);
    expect(await refused('now')).to.equal('demo takes options only, not "now"');
  });
});
