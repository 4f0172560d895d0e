import { chmod, mkdir, symlink } from 'node:fs/promises';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { execCredentials } from '../../../../../lib/client/config/credentials/exec/exec-credential-source.ts';
import type { ExecPluginOptions } from '../../../../../lib/client/config/credentials/exec/exec-plugin-options.ts';
import type { ListwatchError } from '../../../../../lib/kernel/failure/errors.ts';
import { type LogFields, silentLogger } from '../../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../../lib/kernel/time/virtual-runtime.ts';
import { until } from '../../../../support/until.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { ScratchDirectory } from '../../../support/scratch-directory.ts';
import { isAlive, noTerminal, PluginScript, V1BETA1 } from './plugin-script.ts';

type Options = Partial<ExecPluginOptions>;

/** The error of a plug-in with this body. */
async function failureOfScript(body: string, options: Options = {}): Promise<ListwatchError> {
  await using scratch = await ScratchDirectory.make();
  const plugin = await PluginScript.make(scratch, body, options);
  return await failureOf(Promise.resolve(execCredentials(plugin.options).current()));
}

/** The token of a plug-in with this body. */
async function tokenOfScript(body: string, options: Options = {}): Promise<string> {
  await using scratch = await ScratchDirectory.make();
  const plugin = await PluginScript.make(scratch, body, options);
  const credential = await execCredentials(plugin.options).current();
  return credential.authorization!.replace('Bearer ', '');
}

/** The text that the script writes into its token, which takes no spaces. */
async function reportOfScript(expression: string, options: Options = {}): Promise<unknown> {
  const token = await tokenOfScript(
    `print({ token: Buffer.from(JSON.stringify(${expression})).toString('base64url') })`,
    options,
  );
  return JSON.parse(Buffer.from(token, 'base64url').toString());
}

const LABEL = `the exec plug-in ${process.execPath} of user dev in /home/me/.kube/config:12`;
const IN_TERMINAL = 'run it in a terminal with the arguments of the configuration to see why';

describe('runPlugin', () => {
  it('passes arguments as they are: no shell reads them', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(
      scratch,
      `print({ token: Buffer.from(JSON.stringify(process.argv.slice(2))).toString('base64url') })`,
    );
    const args = ['$(touch x); `id`', '* "quoted"', '', '&& exit 1'];
    const source = execCredentials({
      ...plugin.options,
      args: [...plugin.options.args!, ...args],
    });
    const { authorization } = await source.current();
    const token = authorization!.replace('Bearer ', '');
    expect(JSON.parse(Buffer.from(token, 'base64url').toString())).to.deep.equal(args);
  });

  it('adds the variables of the configuration to those of the process', async () => {
    const seen = await reportOfScript(`[process.env.ONE, process.env.TWO, process.env.THREE]`, {
      environment: { env: { ...noTerminal().env, ONE: 'process', TWO: 'process' } },
      env: [
        { name: 'TWO', value: 'configuration' },
        { name: 'THREE', value: 'configuration' },
      ],
    });
    expect(seen).to.deep.equal(['process', 'configuration', 'configuration']);
  });

  it('gives KUBERNETES_EXEC_INFO last, so that an outer plug-in cannot pass its own on', async () => {
    const seen = await reportOfScript(`JSON.parse(process.env.KUBERNETES_EXEC_INFO)`, {
      environment: { env: { ...noTerminal().env, KUBERNETES_EXEC_INFO: 'of the process' } },
      env: [{ name: 'KUBERNETES_EXEC_INFO', value: 'of the configuration' }],
    });
    expect(seen).to.deep.equal({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      spec: { interactive: false },
    });
  });

  it('gives the cluster to a plug-in that asks for it, and to no other', async () => {
    const cluster = { server: 'https://api.test', config: { audience: 'a' } };
    const options = { apiVersion: V1BETA1, cluster };
    const read = `JSON.parse(process.env.KUBERNETES_EXEC_INFO).spec`;
    expect(await reportOfScript(read, { ...options, provideClusterInfo: true })).to.deep.equal({
      interactive: false,
      cluster,
    });
    expect(await reportOfScript(read, options)).to.deep.equal({ interactive: false });
  });

  it('gives no input to a plug-in that is not interactive', async () => {
    expect(await reportOfScript(`fs.readFileSync(0, 'utf8')`)).to.equal('');
  });

  it('declares a plug-in interactive only with a terminal, and not with Never', async () => {
    const read = `JSON.parse(process.env.KUBERNETES_EXEC_INFO).spec.interactive`;
    const seen: unknown[] = [];
    for (const interactiveMode of ['Never', 'IfAvailable', 'Always']) {
      for (const stdinIsTerminal of [false, true]) {
        if (interactiveMode === 'Always' && !stdinIsTerminal) continue;
        const environment = { ...noTerminal(), stdinIsTerminal };
        seen.push([
          interactiveMode,
          stdinIsTerminal,
          await reportOfScript(read, { interactiveMode, environment }),
        ]);
      }
    }
    expect(seen).to.deep.equal([
      ['Never', false, false],
      ['Never', true, false],
      ['IfAvailable', false, false],
      ['IfAvailable', true, true],
      ['Always', true, true],
    ]);
  });

  it('runs a plug-in in the group of the terminal, so that the interrupt key ends it, and without one in its own', async () => {
    const leadsGroup = `(() => { try { return process.kill(-process.pid, 0); } catch { return false; } })()`;
    const seen: unknown[] = [];
    for (const stdinIsTerminal of [true, false]) {
      const environment = { ...noTerminal(), stdinIsTerminal };
      seen.push(await reportOfScript(leadsGroup, { interactiveMode: 'Never', environment }));
    }
    expect(seen).to.deep.equal([false, true]);
  });

  it('refuses to run an Always interactive plug-in without a terminal', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(scratch, `print({ token: 'one' })`, {
      interactiveMode: 'Always',
    });
    const error = await failureOf(Promise.resolve(execCredentials(plugin.options).current()));
    expect(error.code).to.equal('CREDENTIAL_PLUGIN');
    expect(error.message).to.equal(
      `${LABEL} needs a terminal (interactiveMode Always), and standard input is none; ` +
        'start the program from a terminal, or set interactiveMode to IfAvailable',
    );
    expect(await plugin.runs()).to.deep.equal([]);
  });

  it('takes a relative path from the directory of the kubeconfig, and links as programs', async () => {
    await using scratch = await ScratchDirectory.make();
    await mkdir(`${scratch.path}/bin`);
    await symlink(process.execPath, `${scratch.path}/bin/node`);
    const plugin = await PluginScript.make(scratch, `print({ token: 'one' })`, {
      command: './bin/node',
      directory: scratch.path,
    });
    const credential = await execCredentials(plugin.options).current();
    expect(credential.authorization).to.equal('Bearer one');
  });

  it('looks a name up in the PATH of the process, not in that of the configuration', async () => {
    await using scratch = await ScratchDirectory.make();
    await symlink(process.execPath, `${scratch.path}/my-plugin`);
    const plugin = await PluginScript.make(scratch, `print({ token: 'one' })`, {
      command: 'my-plugin',
      env: [{ name: 'PATH', value: '/nowhere' }],
      environment: { env: { PATH: `relative::/nowhere:${scratch.path}` } },
    });
    const credential = await execCredentials(plugin.options).current();
    expect(credential.authorization).to.equal('Bearer one');
  });
});

describe('runPlugin, when the program cannot be started', () => {
  it('names a program that is not on the PATH, and how to install it', async () => {
    const error = await failureOfScript('', {
      command: 'kube-login-of-mars',
      installHint: '\n\u001b[31mbrew install\u001b[0m\tkube-login\n',
    });
    expect(error.code).to.equal('CREDENTIAL_PLUGIN');
    expect(error.message).to.equal(
      'the exec plug-in kube-login-of-mars of user dev in /home/me/.kube/config:12 is not installed: ' +
        'no directory of PATH has it; install it: brew install kube-login',
    );
  });

  it('names a path that does not exist', async () => {
    const error = await failureOfScript('', { command: 'bin/x', directory: '/nowhere' });
    expect(error.message).to.contain(
      'is not installed: there is no file /nowhere/bin/x; install it',
    );
  });

  it('shows the install hint at most ten times an hour', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new VirtualRuntime();
    const plugin = await PluginScript.make(scratch, '', {
      command: 'kube-login-of-mars',
      installHint: 'brew install it',
      runtime,
    });
    const source = execCredentials(plugin.options);
    const shown = async (): Promise<boolean> => {
      await runtime.advance(1_000);
      const error = await failureOf(Promise.resolve(source.current()));
      return error.message.includes('brew install it');
    };
    const all: boolean[] = [];
    while (all.length < 12) all.push(await shown());
    expect(all).to.deep.equal([...Array<boolean>(10).fill(true), false, false]);
    await runtime.advance(3_600_000);
    expect(await shown()).to.equal(true);
  });

  it('distinguishes a file that is not executable from a missing one', async () => {
    await using scratch = await ScratchDirectory.make();
    const path = await scratch.write('login', '#!/bin/sh\n');
    const error = await failureOfScript('', { command: path, installHint: 'not shown' });
    expect(error.message).to.equal(
      `the exec plug-in ${path} of user dev in /home/me/.kube/config:12 cannot be run: ` +
        `${path} is not executable by this user; type chmod +x ${path}`,
    );
    const named = await failureOfScript('', {
      command: 'login',
      environment: { env: { PATH: scratch.path } },
    });
    expect(named.message).to.contain(`${path} is not executable by this user`);
  });

  it('names a directory', async () => {
    await using scratch = await ScratchDirectory.make();
    const error = await failureOfScript('', { command: scratch.path });
    expect(error.message).to.contain(`${scratch.path} is a directory; correct exec.command`);
  });

  it('names a script whose interpreter is missing', async () => {
    await using scratch = await ScratchDirectory.make();
    const path = await scratch.write('login', '#!/nowhere/python\n');
    await chmod(path, 0o755);
    const error = await failureOfScript('', { command: path });
    expect(error.message).to.contain(
      'cannot be started: its file is there, but not the interpreter of its first line; install that interpreter',
    );
  });

  it('names an environment that is too large for the system', async () => {
    const error = await failureOfScript('', {
      provideClusterInfo: true,
      cluster: { server: 'https://api.test', certificateAuthorityData: 'x'.repeat(1 << 22) },
    });
    expect(error.message).to.contain('its arguments and variables are too large; shorten');
  });
});

describe('runPlugin, when the program fails', () => {
  it('names the exit code and quotes what the program said', async () => {
    const error = await failureOfScript(
      `console.error('first'); console.error('\\u001b[1mprofile not found\\u001b[0m'); process.exitCode = 7`,
    );
    expect(error.code).to.equal('CREDENTIAL_PLUGIN');
    expect(error.message).to.equal(
      `${LABEL} failed with exit code 7, saying "first / profile not found"; ${IN_TERMINAL}`,
    );
  });

  it('quotes from the last line that says error, without frames of a stack', async () => {
    const error = await failureOfScript(
      `console.error('a\\nError: no session\\n    at run (/x/y.js:3:4) {\\n    at main (/x/z.js:5)\\n}\\nPlease type login\\n\\nBye'); process.exitCode = 1`,
    );
    expect(error.message).to.contain('saying "Error: no session / ');
    expect(error.message).to.contain(' / Please type login / Bye"');
    expect(error.message).to.not.contain('z.js');
    const thrown = await failureOfScript(`throw new TypeError('no session')`);
    expect(thrown.message).to.match(/saying "TypeError: no session \/ Node\.js v[^/]*"; /);
  });

  it('does not believe the output of a program that fails', async () => {
    const error = await failureOfScript(`print({ token: 'one' }); process.exitCode = 1`);
    expect(error.message).to.equal(`${LABEL} failed with exit code 1; ${IN_TERMINAL}`);
  });

  it('names the signal that killed the program', async () => {
    const error = await failureOfScript(
      `process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000)`,
    );
    expect(error.message).to.contain('was killed by the signal SIGKILL; look for a memory limit');
  });

  it('names a program that ends well and prints nothing', async () => {
    const error = await failureOfScript(`console.error('please log in')`);
    expect(error.message).to.equal(
      `${LABEL} ended without an error but printed nothing, saying "please log in"; ` +
        'log in with its tool, or run it in a terminal to see why',
    );
  });

  it('never quotes standard output, nor a line of standard error that repeats a part of it', async () => {
    const error = await failureOfScript(
      `console.log('the secret of the user is canary-1234'); console.error('got canary-1234'); console.error('sorry'); process.exitCode = 1`,
    );
    expect(error.message).to.contain('exit code 1, saying "sorry"');
    expect(inspect(error, { depth: 9 })).to.not.contain('canary');
  });

  it('bounds what it quotes, and replaces variables and values of flags by their names', async () => {
    await using scratch = await ScratchDirectory.make();
    const plugin = await PluginScript.make(
      scratch,
      `console.error(process.argv.slice(2).join(' ') + ' ' + process.env.AWS_PROFILE); process.exitCode = 1`,
      { env: [{ name: 'AWS_PROFILE', value: 'canary-profile' }] },
    );
    const args = [...plugin.options.args!, 'get-token', '--password', 'canary-2', '--key=canary-3'];
    const source = execCredentials({ ...plugin.options, args });
    const error = await failureOf(Promise.resolve(source.current()));
    expect(error.message).to.contain(
      'saying "get-token --password [argument 4] --key=[argument 5] [AWS_PROFILE]"',
    );
    const long = await failureOfScript(`console.error('x '.repeat(1e5)); process.exitCode = 1`);
    expect(long.message.length).to.be.lessThan(800);
  });

  it('is one line for any output of the program', async () => {
    const error = await failureOfScript(
      `console.error('a\\u2028b\\u0000c\\u202ed\\r\\ne'); process.exitCode = 1`,
    );
    expect(error.message).to.contain('saying "a b c d / e"');
  });
});

describe('runPlugin, when the program does not end', () => {
  const HANGS = `console.error('waiting for the browser'); setInterval(() => {}, 1000);`;

  it('stops it after the timeout', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new VirtualRuntime();
    const lines: unknown[] = [];
    const logger = {
      ...silentLogger,
      warn: (_: string, fields?: LogFields) => lines.push(fields?.['line']),
    };
    const plugin = await PluginScript.make(scratch, HANGS, { runtime, logger });
    const failure = failureOf(Promise.resolve(execCredentials(plugin.options).current()));
    await until('the plug-in hangs', () => lines.length === 1);
    await runtime.advance(59_999);
    expect(isAlive((await plugin.runs())[0]!)).to.equal(true);
    await runtime.advance(1);
    const error = await failure;
    expect(error.code).to.equal('CREDENTIAL_PLUGIN');
    expect(error.message).to.equal(
      `${LABEL} did not end within 60 s and was stopped, saying "waiting for the browser"; ` +
        'log in with its tool first: it cannot ask questions here; or check its network',
    );
    const [pid] = await plugin.runs();
    await until('the plug-in is gone', () => !isAlive(pid!));
  });

  it('gives a person in a terminal five minutes', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new VirtualRuntime();
    const plugin = await PluginScript.make(
      scratch,
      `fs.writeFileSync(__dirname + '/ready', ''); setInterval(() => {}, 1000)`,
      {
        runtime,
        interactiveMode: 'IfAvailable',
        environment: { ...noTerminal(), stdinIsTerminal: true },
      },
    );
    const failure = failureOf(Promise.resolve(execCredentials(plugin.options).current()));
    await until('the plug-in hangs', async () => await scratch.has('ready'));
    await runtime.advance(299_999);
    expect(isAlive((await plugin.runs())[0]!)).to.equal(true);
    await runtime.advance(1);
    expect((await failure).message).to.equal(
      `${LABEL} did not end within 300 s and was stopped; answer its questions in time, or raise timeoutMs`,
    );
    const [pid] = await plugin.runs();
    await until('the plug-in is gone', () => !isAlive(pid!));
  });

  it('kills it two seconds later if it ignores SIGTERM', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new VirtualRuntime();
    const plugin = await PluginScript.make(
      scratch,
      `process.on('SIGTERM', () => fs.writeFileSync(__dirname + '/ignored', '')); fs.writeFileSync(__dirname + '/ready', ''); setInterval(() => {}, 1000)`,
      { runtime, timeoutMs: 1_000 },
    );
    const failure = failureOf(Promise.resolve(execCredentials(plugin.options).current()));
    await until('the plug-in hangs', async () => await scratch.has('ready'));
    await runtime.advance(1_000);
    expect((await failure).message).to.contain('did not end within 1 s');
    const [pid] = await plugin.runs();
    await until('it ignored the signal', async () => await scratch.has('ignored'));
    await runtime.advance(1_999);
    expect(isAlive(pid!)).to.equal(true);
    await runtime.advance(1);
    await until('the plug-in is gone', () => !isAlive(pid!));
    await until('no timer is left', () => runtime.pending === 0);
  });

  it('stops the programs that it has started too, even if they ignore SIGTERM', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new VirtualRuntime();
    const child = `const fs = require('node:fs');
process.on('SIGTERM', () => {});
fs.writeFileSync('${scratch.path}/next', String(process.pid));
fs.renameSync('${scratch.path}/next', '${scratch.path}/child');
setInterval(() => {}, 1000)`;
    const plugin = await PluginScript.make(
      scratch,
      `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' })`,
      { runtime, timeoutMs: 1_000 },
    );
    const failure = failureOf(Promise.resolve(execCredentials(plugin.options).current()));
    await until('both run', async () => await scratch.has('child'));
    await runtime.advance(1_000);
    await failure;
    const pid = Number(await scratch.read('child'));
    await until('the program that it has started is gone', () => !isAlive(pid));
  });

  for (const stream of ['output', 'error'] as const) {
    it(`stops it when it writes more than 1 MiB to standard ${stream}`, async () => {
      await using scratch = await ScratchDirectory.make();
      const target = stream === 'output' ? 'stdout' : 'stderr';
      const plugin = await PluginScript.make(
        scratch,
        `const flood = () => process.${target}.write('canary '.repeat(10000), flood); flood()`,
      );
      const error = await failureOf(Promise.resolve(execCredentials(plugin.options).current()));
      expect(error.message).to.equal(
        `${LABEL} wrote more than 1048576 bytes to standard ${stream} and was stopped; ` +
          'check exec.command and exec.args: it must print one ExecCredential and end',
      );
      const [pid] = await plugin.runs();
      await until('the plug-in is gone', () => !isAlive(pid!));
    });
  }

  it('takes the credential of a program that leaves another one behind with its pipes', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new VirtualRuntime();
    const plugin = await PluginScript.make(
      scratch,
      `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached: true });
fs.writeFileSync(__dirname + '/child', String(child.pid)); child.unref(); print({ token: 'one' });`,
      { runtime },
    );
    const current = Promise.resolve(execCredentials(plugin.options).current());
    await until('the plug-in ends', async () => {
      const [pid] = await plugin.runs();
      return pid !== undefined && !isAlive(pid);
    });
    const credential = await runtime.run(current);
    process.kill(Number(await scratch.read('child')), 'SIGKILL');
    expect(credential.authorization).to.equal('Bearer one');
    expect(runtime.monotonicMs()).to.equal(1_000);
  });
});

describe('runPlugin and standard error', () => {
  async function linesOf(body: string, options: Options = {}): Promise<unknown[]> {
    const lines: unknown[] = [];
    const logger = {
      ...silentLogger,
      warn: (_: string, fields?: LogFields) => lines.push(fields?.['line']),
    };
    await tokenOfScript(`${body}; print({ token: 'canary-of-the-output' })`, {
      ...options,
      logger,
    });
    return lines;
  }

  it('logs it line by line, without control characters', async () => {
    const lines = await linesOf(
      `process.stderr.write('one\\ntwo\\r\\n\\n\\u001b[32mth'); process.stderr.write('ree')`,
    );
    expect(lines).to.deep.equal(['one', 'two', 'three']);
  });

  it('logs at most 200 lines of at most 1,000 characters', async () => {
    const lines = await linesOf(
      `for (let line = 0; line < 300; line += 1) fs.writeSync(2, line + ' ' + '. '.repeat(1000) + '\\n')`,
    );
    expect(lines).to.have.length(201);
    expect(lines.at(-1)).to.equal('further lines are not shown');
    expect(Math.max(...lines.map((line) => String(line).length))).to.equal(1_000);
  });

  it('hides what looks like a token', async () => {
    const lines = await linesOf(
      `console.error('got eyJhbGciOiJub25lIn0.eyJzdWIiOiJjYW5hcnkifQ.c2ln now');
console.error('Authorization: Bearer canary-123');
console.error('key abcdefghijklmnopQRSTUVWXYZ0123456789abcd');
console.error('https://user:canary@proxy.test/path and /usr/lib/google-cloud-sdk/lib/googlecloudsdk/core')`,
    );
    expect(lines).to.deep.equal([
      'got [hidden] now',
      'Authorization: [hidden]',
      'key [hidden]',
      'https://[hidden]@proxy.test/path and /usr/lib/google-cloud-sdk/lib/googlecloudsdk/core',
    ]);
  });

  it('hides secrets of the process', async () => {
    const lines = await linesOf(`console.error('used ' + process.env.MY_ACCESS_KEY)`, {
      environment: { env: { ...noTerminal().env, MY_ACCESS_KEY: 'canary' } },
    });
    expect(lines).to.deep.equal(['used [MY_ACCESS_KEY]']);
  });

  it('fails no request when the logger throws', async () => {
    const logger = {
      ...silentLogger,
      warn: (): never => {
        throw new Error('the disk is full');
      },
    };
    const token = await tokenOfScript(`console.error('a line'); print({ token: 'one' })`, {
      logger,
    });
    expect(token).to.equal('one');
  });
});
