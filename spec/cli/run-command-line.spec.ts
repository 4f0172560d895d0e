import { expect } from 'chai';
import { UsageError } from '../../lib/cli/arguments/usage-error.ts';
import type { CommandHost, CommandRow } from '../../lib/cli/contract/command.ts';
import { runCommandLine } from '../../lib/cli/run-command-line.ts';
import { capturedHost } from './support/captured-host.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(...parameters: string[]): Promise<Ran> {
  const host = capturedHost();
  const code = await runCommandLine(parameters, host);
  return { code, out: host.stdout.text, err: host.stderr.text };
}

describe('listwatch', () => {
  it('without a command prints the help, with the commands and examples, and ends with 0', async () => {
    const { code, out, err } = await run();
    expect([code, err]).to.deep.equal([0, '']);
    expect(out)
      .to.include('Usage: listwatch COMMAND')
      .and.match(/\n {2}doctor {2,}checks/);
    expect(out).to.include('Examples:\n  npx listwatch doctor\n');
    for (const one of ['--help', '-h', 'help']) expect((await run(one)).out).to.equal(out);
  });

  it('prints the help of a command in three ways', async () => {
    const { code, out } = await run('help', 'doctor');
    expect(code).to.equal(0);
    expect(out).to.include('Usage: listwatch doctor [options]').and.include('--resource NAME');
    expect(out).to.include('Examples:').and.include('Exit code: 0');
    expect((await run('doctor', '--help')).out).to.equal(out);
    expect((await run('doctor', '--json', '-h')).out).to.equal(out);
  });

  it('leaves --help after -- to the program that it is for', async () => {
    const { code, out } = await run('rbac', '--name', 'A', '--', 'node', '--help');
    expect({ code, out }).to.deep.equal({ code: 2, out: '' });
  });

  it('prints the version of the package', async () => {
    expect(await run('--version')).to.deep.equal({ code: 0, out: '1.2.3\n', err: '' });
  });

  it('names the closest command for an unknown one, in one line, and ends with 2', async () => {
    const err = 'listwatch: unknown command "docter"; did you mean doctor?\n';
    expect(await run('docter')).to.deep.equal({ code: 2, out: '', err });
    expect((await run('help', 'docter')).err).to.equal(err);
  });

  it('points at the help when no command is near', async () => {
    const err = 'listwatch: unknown command "frobnicate"; see listwatch --help\n';
    expect(await run('frobnicate')).to.deep.equal({ code: 2, out: '', err });
  });

  it('names the closest option for an unknown one, its own and those of a command', async () => {
    const own = await run('--versoin');
    expect(own.err).to.equal('listwatch: unknown option "--versoin"; did you mean --version?\n');
    const err = 'listwatch: unknown option --timeuot; did you mean --timeout?\n';
    expect(await run('doctor', '--timeuot', '3s')).to.deep.equal({ code: 2, out: '', err });
  });

  it('refuses other arguments that cannot be used in one line, before anything is checked', async () => {
    const excluded = '--server excludes --kubeconfig and --context; give one or the other';
    const time = '--timeout must be a time from 1ms to 24h, such as 30s, not "soon"';
    const cases: readonly (readonly [readonly string[], string])[] = [
      [['--server', 'https://a', '--context', 'b'], excluded],
      [['--timeout', 'soon'], time],
      [['pods'], 'doctor takes options only, not "pods"; name resources with --resource pods'],
    ];
    for (const [parameters, message] of cases) {
      const ran = await run('doctor', ...parameters);
      expect(ran).to.deep.equal({ code: 2, out: '', err: `listwatch: ${message}\n` });
    }
  });

  it('loads a command only when it is used', async () => {
    let loaded = 0;
    const row = (name: string): CommandRow => ({
      name,
      summary: 'a command',
      load: async () => {
        loaded += 1;
        return { help: `help of ${name}\n`, options: {}, run: async () => 7 };
      },
    });
    const host = capturedHost();
    await runCommandLine(['--help'], host, [row('serve'), row('inspect')]);
    expect(loaded).to.equal(0);
    expect(await runCommandLine(['serve'], host, [row('serve'), row('inspect')])).to.equal(7);
    expect(loaded).to.equal(1);
  });

  it('gives a command its parameters and the host, and takes a usage error of it for exit code 2', async () => {
    let seen: { readonly parameters: readonly string[]; readonly host: CommandHost } | undefined;
    const row: CommandRow = {
      name: 'serve',
      summary: 'a command',
      load: async () => ({
        help: '',
        options: {},
        run: async (parameters, host) => {
          seen = { parameters, host };
          throw new UsageError('the port is taken; give another');
        },
      }),
    };
    const host = capturedHost();
    expect(await runCommandLine(['serve', '--port', '1'], host, [row])).to.equal(2);
    expect(seen).to.deep.equal({ parameters: ['--port', '1'], host });
    expect(host.stderr.text).to.equal('listwatch: the port is taken; give another\n');
  });
});
