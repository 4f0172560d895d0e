import { expect } from 'chai';
import { ambientEnvironment } from '../../../../../lib/client/config/ambient-environment.ts';
import type { ExecEnvironment } from '../../../../../lib/client/config/credentials/exec/exec-plugin-options.ts';
import { execCredentials } from '../../../../../lib/client/config/credentials/exec/exec-credential-source.ts';
import {
  Credential,
  type CredentialSource,
} from '../../../../../lib/client/transport/contract/credential.ts';
import { VirtualRuntime } from '../../../../../lib/kernel/time/virtual-runtime.ts';
import { silentLogger } from '../../../../../lib/kernel/report/logger.ts';
import { until } from '../../../../support/until.ts';
import { CLIENT_CERTIFICATE, CLIENT_KEY } from '../../../support/certificates.ts';
import { failureOf, rejectionOf } from '../../../support/failure-of.ts';
import { ScratchDirectory } from '../../../support/scratch-directory.ts';
import { isAlive, PluginScript } from './plugin-script.ts';
import { SharedWork } from '../../../../../lib/client/config/credentials/exec/exec-credential-source.ts';
import { deferred } from '../../../../../lib/kernel/time/latch.ts';

const START_MS = Date.UTC(2030, 0, 1);

/** A time as a plug-in prints it. */
function at(ms: number): string {
  return new Date(ms).toISOString();
}

/** A virtual runtime whose wall clock can be set. */
class SettableClock extends VirtualRuntime {
  aheadMs = 0;

  constructor() {
    super({ startWallMs: START_MS });
  }

  override wallMs(): number {
    return super.wallMs() + this.aheadMs;
  }
}

async function headerOf(source: CredentialSource): Promise<string | undefined> {
  return (await source.current()).authorization;
}

/** Prints another token at each run. */
const NEXT_TOKEN = `print({ token: 'token-' + run })`;

/** Prints a token of each run that lives so long by the clock of the spec, which stands at its start. */
function livesFor(ms: number): string {
  return `print({ token: 'token-' + run, expirationTimestamp: ${JSON.stringify(at(START_MS + ms))} })`;
}

describe('ExecCredentialSource', () => {
  it('runs the plug-in when the first credential is needed, not before', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, NEXT_TOKEN);
    const source = execCredentials(plugin.options);
    expect(await plugin.runs()).to.deep.equal([]);
    expect(await headerOf(source)).to.equal('Bearer token-1');
    expect(await plugin.runs()).to.have.length(1);
  });

  it('makes one run for 100 simultaneous requests', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, NEXT_TOKEN);
    const source = execCredentials(plugin.options);
    const headers = await Promise.all(Array.from({ length: 100 }, () => headerOf(source)));
    expect(new Set(headers)).to.deep.equal(new Set(['Bearer token-1']));
    expect(await plugin.runs()).to.have.length(1);
  });

  it('answers at once, without a promise, while the credential is fresh', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, NEXT_TOKEN);
    const source = execCredentials(plugin.options);
    const first = await source.current();
    expect(source.current()).to.equal(first);
  });

  it('keeps a credential without an expiry', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new SettableClock();
    const plugin = await PluginScript.make(scratch, NEXT_TOKEN, { runtime });
    const source = execCredentials(plugin.options);
    await source.current();
    await runtime.advance(1e10);
    expect(await headerOf(source)).to.equal('Bearer token-1');
  });

  it('runs the plug-in again ten seconds before the credential expires', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new SettableClock();
    const plugin = await PluginScript.make(scratch, livesFor(600_000), { runtime });
    const source = execCredentials(plugin.options);
    await source.current();
    await runtime.advance(589_999);
    expect(await headerOf(source)).to.equal('Bearer token-1');
    await runtime.advance(1);
    expect(await headerOf(source)).to.equal('Bearer token-2');
  });

  it('uses nine tenths of the life of a short-lived credential', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new SettableClock();
    const plugin = await PluginScript.make(scratch, livesFor(20_000), { runtime });
    const source = execCredentials(plugin.options);
    await source.current();
    await runtime.advance(17_999);
    expect(await headerOf(source)).to.equal('Bearer token-1');
    await runtime.advance(1);
    expect(await headerOf(source)).to.equal('Bearer token-2');
  });

  it('does not run for each request when credentials live for milliseconds', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new SettableClock();
    const plugin = await PluginScript.make(scratch, livesFor(5), { runtime });
    const source = execCredentials(plugin.options);
    await source.current();
    await runtime.advance(999);
    expect(await headerOf(source)).to.equal('Bearer token-1');
    await runtime.advance(1);
    expect(await headerOf(source)).to.equal('Bearer token-2');
  });

  it('presents a credential that had expired on arrival, says so, and asks again after five seconds', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new SettableClock();
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => warnings.push(message) };
    const plugin = await PluginScript.make(scratch, livesFor(-60_000), { runtime, logger });
    const source = execCredentials(plugin.options);
    const credential = await source.current();
    expect(credential.authorization).to.equal('Bearer token-1');
    expect(credential.source).to.equal(
      `the credential of ${source.source}, which had expired at 2029-12-31T23:59:00.000Z when it was printed,`,
    );
    expect(warnings).to.deep.equal([
      'an exec plug-in printed a credential that has expired; check the clock of this machine, or log in again',
    ]);
    await runtime.advance(4_999);
    expect(await headerOf(source)).to.equal('Bearer token-1');
    await runtime.advance(1);
    expect(await headerOf(source)).to.equal('Bearer token-2');
  });

  it('notices the expiry when the clock on the wall is set forward', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new SettableClock();
    const plugin = await PluginScript.make(scratch, livesFor(600_000), { runtime });
    const source = execCredentials(plugin.options);
    await source.current();
    await runtime.advance(5_000);
    runtime.aheadMs = 600_000;
    expect(await headerOf(source)).to.equal('Bearer token-2');
  });

  it('does not use a credential for longer when the clock on the wall is set back', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new SettableClock();
    const plugin = await PluginScript.make(scratch, livesFor(600_000), { runtime });
    const source = execCredentials(plugin.options);
    await source.current();
    runtime.aheadMs = -86_400_000;
    await runtime.advance(589_999);
    expect(await headerOf(source)).to.equal('Bearer token-1');
    await runtime.advance(1);
    expect(await headerOf(source)).to.equal('Bearer token-2');
  });

  it('has the end of a client certificate for an expiry', async () => {
    await using scratch = await ScratchDirectory.make();
    // The certificate of the specs ends on 2126-10-28.
    const runtime = new VirtualRuntime({ startWallMs: Date.UTC(2126, 9, 27) });
    const plugin = await PluginScript.make(
      scratch,
      `print({ token: 'token-' + run, clientCertificateData: ${JSON.stringify(CLIENT_CERTIFICATE)}, clientKeyData: ${JSON.stringify(CLIENT_KEY)} })`,
      { runtime },
    );
    const source = execCredentials(plugin.options);
    const credential = await source.current();
    expect(credential.cert).to.equal(CLIENT_CERTIFICATE);
    expect(credential.key).to.equal(CLIENT_KEY);
    expect(credential.authorization).to.equal('Bearer token-1');
    await runtime.advance(2 * 86_400_000);
    expect(await headerOf(source)).to.equal('Bearer token-2');
  });

  it('gives the same object again when the plug-in prints the same credential', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new SettableClock();
    const plugin = await PluginScript.make(
      scratch,
      `print({ token: 'same', expirationTimestamp: ${JSON.stringify(at(START_MS + 600_000))} })`,
      { runtime },
    );
    const source = execCredentials(plugin.options);
    const first = await source.current();
    await runtime.advance(595_000);
    expect(await source.current()).to.equal(first);
    expect(await plugin.runs()).to.have.length(2);
  });

  it('has no timer and no process between two runs', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new SettableClock();
    const plugin = await PluginScript.make(scratch, livesFor(600_000), { runtime });
    await execCredentials(plugin.options).current();
    expect(runtime.pending).to.equal(0);
    const [pid] = await plugin.runs();
    expect(isAlive(pid!)).to.equal(false);
  });

  it('runs the plug-in of two sources of one configuration twice', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, NEXT_TOKEN);
    const sources = [execCredentials(plugin.options), execCredentials(plugin.options)];
    await Promise.all(sources.map(headerOf));
    expect(await plugin.runs()).to.have.length(2);
  });
});

describe('ExecCredentialSource after a 401', () => {
  it('runs the plug-in again, and gives the new credential', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, NEXT_TOKEN);
    const source = execCredentials(plugin.options);
    const next = await source.refresh!(await source.current());
    expect(next?.authorization).to.equal('Bearer token-2');
    expect(source.current()).to.equal(next);
  });

  it('makes one run for 100 requests that were rejected', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, NEXT_TOKEN);
    const source = execCredentials(plugin.options);
    const rejected = await source.current();
    const next = await Promise.all(Array.from({ length: 100 }, () => source.refresh!(rejected)));
    expect(new Set(next.map((one) => one?.authorization))).to.deep.equal(
      new Set(['Bearer token-2']),
    );
    expect(await plugin.runs()).to.have.length(2);
  });

  it('gives the current credential without a run when an older one was rejected', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, NEXT_TOKEN);
    const source = execCredentials(plugin.options);
    const first = await source.current();
    const second = await source.refresh!(first);
    expect(await source.refresh!(first)).to.equal(second);
    expect(await plugin.runs()).to.have.length(2);
  });

  it('has no other credential when the plug-in prints the same again', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, `print({ token: 'same' })`);
    const source = execCredentials(plugin.options);
    const all = Array.from({ length: 10 }, async () => source.refresh!(await source.current()));
    expect(new Set(await Promise.all(all))).to.deep.equal(new Set([undefined]));
    expect(await plugin.runs()).to.have.length(2);
  });

  it('runs the plug-in at most every five seconds for a server that rejects everything', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new SettableClock();
    const plugin = await PluginScript.make(scratch, NEXT_TOKEN, { runtime });
    const source = execCredentials(plugin.options);
    await source.refresh!(await source.current());
    await runtime.advance(4_999);
    expect(await source.refresh!(await source.current())).to.equal(undefined);
    await runtime.advance(1);
    const third = await source.refresh!(await source.current());
    expect(third?.authorization).to.equal('Bearer token-3');
  });

  it('gives the error of the plug-in, and keeps the credential for other requests', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(
      scratch,
      `if (run === 2) process.exit(3); print({ token: 'token-' + run })`,
    );
    const source = execCredentials(plugin.options);
    const first = await source.current();
    const error = await failureOf(source.refresh!(first));
    expect(error.code).to.equal('CREDENTIAL_PLUGIN');
    expect(error.message).to.contain('exit code 3');
    expect(source.current()).to.equal(first);
  });

  it('runs the plug-in for a credential of another source', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, NEXT_TOKEN);
    const source = execCredentials(plugin.options);
    const other = Credential.bearer('of-a-file', 'a file');
    expect((await source.refresh!(other))?.authorization).to.equal('Bearer token-1');
    const same = execCredentials(plugin.options);
    expect(await same.refresh!(Credential.bearer('token-2', 'a file'))).to.equal(undefined);
  });
});

describe('ExecCredentialSource of a plug-in that fails', () => {
  const FAILS_ONCE = `if (run === 1) process.exit(1); print({ token: 'token-' + run })`;

  it('gives every request the same error, and runs at most once a second', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new SettableClock();
    const plugin = await PluginScript.make(scratch, `process.exit(1)`, { runtime });
    const source = execCredentials(plugin.options);
    const current = async (): Promise<unknown> => await source.current();
    const [one, two] = await Promise.all([failureOf(current()), failureOf(current())]);
    expect(one).to.equal(two);
    await runtime.advance(999);
    expect(await failureOf(current())).to.equal(one);
    expect(await plugin.runs()).to.have.length(1);
    await runtime.advance(1);
    expect(await failureOf(current())).to.not.equal(one);
    expect(await plugin.runs()).to.have.length(2);
  });

  it('recovers with the next run', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new SettableClock();
    const plugin = await PluginScript.make(scratch, FAILS_ONCE, { runtime });
    const source = execCredentials(plugin.options);
    await failureOf(headerOf(source));
    await runtime.advance(1_000);
    expect(await headerOf(source)).to.equal('Bearer token-2');
  });

  it('has no timer between two runs', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new SettableClock();
    const plugin = await PluginScript.make(scratch, FAILS_ONCE, { runtime });
    await failureOf(headerOf(execCredentials(plugin.options)));
    expect(runtime.pending).to.equal(0);
  });
});

describe('ExecCredentialSource when requests are aborted', () => {
  /** Waits until the spec has written the file `go`. */
  const WAITS = `const wait = () => fs.existsSync(__dirname + '/go') ? print({ token: 'token-' + run }) : setTimeout(wait, 5); wait();`;

  it('goes on with the run when one of several requests is aborted', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, WAITS);
    const source = execCredentials(plugin.options);
    const abort = new AbortController();
    const aborted = rejectionOf(Promise.resolve(source.current(abort.signal)));
    const waiting = headerOf(source);
    await until('the plug-in runs', async () => (await plugin.runs()).length === 1);
    const reason = new Error('the caller left');
    abort.abort(reason);
    expect(await aborted).to.equal(reason);
    await scratch.write('go', '');
    expect(await waiting).to.equal('Bearer token-1');
    expect(await plugin.runs()).to.have.length(1);
  });

  it('stops the run when all requests are aborted', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, WAITS);
    const source = execCredentials(plugin.options);
    const aborts = Array.from({ length: 10 }, () => new AbortController());
    const reasons = aborts.map(({ signal }) =>
      rejectionOf(Promise.resolve(source.current(signal))),
    );
    await until('the plug-in runs', async () => (await plugin.runs()).length === 1);
    const [pid] = await plugin.runs();
    for (const abort of aborts) abort.abort(new Error('the caller left'));
    expect(await Promise.all(reasons)).to.have.length(10);
    await until('the plug-in is gone', () => !isAlive(pid!));
  });

  it('starts a new run for a request that comes after them, and remembers no failure', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, WAITS);
    const source = execCredentials(plugin.options);
    const abort = new AbortController();
    const aborted = rejectionOf(Promise.resolve(source.current(abort.signal)));
    await until('the plug-in runs', async () => (await plugin.runs()).length === 1);
    abort.abort();
    await aborted;
    await scratch.write('go', '');
    expect(await headerOf(source)).to.equal('Bearer token-2');
  });

  it('starts no second run before the first one has ended, even if that ignores SIGTERM', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new VirtualRuntime();
    const events: string[] = [];
    const ambient = ambientEnvironment();
    const environment: ExecEnvironment = {
      // A run reads it when it begins.
      get env() {
        events.push('run');
        return ambient.env;
      },
      signalGroup: (pid, signal) => {
        events.push(signal);
        return ambient.signalGroup(pid, signal);
      },
    };
    const plugin = await PluginScript.make(
      scratch,
      `if (run > 1) return print({ token: 'token-' + run });
process.on('SIGTERM', () => {});
fs.writeFileSync(__dirname + '/ready', '');
setInterval(() => {}, 1000);`,
      { runtime, environment },
    );
    const source = execCredentials(plugin.options);
    const abort = new AbortController();
    const aborted = rejectionOf(Promise.resolve(source.current(abort.signal)));
    await until('the plug-in runs', async () => await scratch.has('ready'));
    abort.abort();
    await aborted;
    const second = headerOf(source);
    await runtime.advance(2_000);
    expect(await second).to.equal('Bearer token-2');
    expect(events).to.deep.equal(['run', 'SIGTERM', 'SIGKILL', 'SIGKILL', 'run']);
  });

  it('does not run for a request that was aborted before', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, NEXT_TOKEN);
    const source = execCredentials(plugin.options);
    const reason = new Error('too late');
    const request = Promise.resolve(source.current(AbortSignal.abort(reason)));
    expect(await rejectionOf(request)).to.equal(reason);
    expect(await plugin.runs()).to.deep.equal([]);
  });

  it('does not count a run after a 401 that was stopped', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(
      scratch,
      `if (run === 2) setInterval(() => {}, 1000); else print({ token: 'token-' + run })`,
    );
    const source = execCredentials(plugin.options);
    const rejected = await source.current();
    const abort = new AbortController();
    const aborted = rejectionOf(source.refresh!(rejected, abort.signal));
    await until('the plug-in runs', async () => (await plugin.runs()).length === 2);
    abort.abort();
    await aborted;
    expect((await source.refresh!(rejected))?.authorization).to.equal('Bearer token-3');
  });

  it('gives an aborted request its reason, not the error of an earlier run', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, `process.exit(1)`, {
      runtime: new VirtualRuntime(),
    });
    const source = execCredentials(plugin.options);
    await failureOf(headerOf(source));
    const reason = new Error('too late');
    const request = Promise.resolve(source.current(AbortSignal.abort(reason)));
    expect(await rejectionOf(request)).to.equal(reason);
  });

  it('gives a fresh credential even then, as no wait is needed', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, NEXT_TOKEN);
    const source = execCredentials(plugin.options);
    const first = await source.current();
    expect(await source.current(AbortSignal.abort())).to.equal(first);
  });
});

describe('SharedWork', () => {
  it('is deserted once, by the last caller that leaves', async () => {
    let deserted = 0;
    const work = new SharedWork(new Promise<never>(() => {}), () => (deserted += 1));
    const aborts = [new AbortController(), new AbortController()];
    const waits = aborts.map(({ signal }) => rejectionOf(work.wait(signal)));
    aborts[0]!.abort('one');
    expect(await waits[0]).to.equal('one');
    expect(deserted).to.equal(0);
    aborts[1]!.abort('two');
    expect(await waits[1]).to.equal('two');
    expect(deserted).to.equal(1);
  });

  it('is not deserted when it settles, whether well or not', async () => {
    let deserted = 0;
    const count = (): void => {
      deserted += 1;
    };
    expect(await new SharedWork(Promise.resolve(7), count).wait(undefined)).to.equal(7);
    const failed = new SharedWork(Promise.reject(new Error('no')), count);
    expect(await rejectionOf(failed.wait(undefined))).to.be.an('error');
    expect(deserted).to.equal(0);
  });

  it('stays with a caller that comes in the same step in which the other one leaves', async () => {
    let deserted = 0;
    const result = deferred<number>();
    const work = new SharedWork(result.promise, () => (deserted += 1));
    const abort = new AbortController();
    const left = rejectionOf(work.wait(abort.signal));
    abort.abort('left');
    const stayed = work.wait(undefined);
    expect(await left).to.equal('left');
    result.resolve(7);
    expect(await stayed).to.equal(7);
    expect(deserted).to.equal(0);
  });
});
