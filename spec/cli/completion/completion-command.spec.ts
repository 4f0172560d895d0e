import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { COMMANDS } from '../../../lib/cli/commands.ts';
import { completionCommand } from '../../../lib/cli/completion/completion-command.ts';
import { runCommandLine } from '../../../lib/cli/run-command-line.ts';
import { capturedHost } from '../support/captured-host.ts';

async function script(shell: string): Promise<string> {
  const host = capturedHost();
  expect(await runCommandLine(['completion', shell], host)).to.equal(0);
  return host.stdout.text;
}

const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'exit']).error === undefined;

/** The offers of bash for the last of these words. */
function offered(source: string, ...words: string[]): string[] {
  const program = `${source}
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))
_listwatch
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const parameters = ['--noprofile', '--norc', '-c', program, 'bash', 'listwatch', ...words];
  const { stdout, stderr, status } = spawnSync('bash', parameters, { encoding: 'utf8' });
  expect({ stderr, status }).to.deep.equal({ stderr: '', status: 0 });
  return stdout.split('\n').filter((line) => line !== '');
}

/** The offers of fish for the last word of a line, without their descriptions. */
function offeredByFish(source: string, line: string): string[] {
  const program = `${source}\ncomplete -C '${line}'`;
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', program], {
    encoding: 'utf8',
  });
  expect(stderr).to.equal('');
  return stdout.split('\n').flatMap((offer) => (offer === '' ? [] : [offer.split('\t')[0] ?? '']));
}

/** The calls by which zsh completes the last of these words. */
function askedOfZsh(source: string, ...words: string[]): string[] {
  const program = `
compdef() { : }
_arguments() { print -rl -- $words[1] "$@" }
_describe() { print -rl -- "\${(@P)@[-1]}" }
${source}
words=("$@"); CURRENT=$#
_listwatch`;
  const parameters = ['-f', '-c', program, 'zsh', 'listwatch', ...words];
  const { stdout, stderr } = spawnSync('zsh', parameters, { encoding: 'utf8' });
  expect(stderr).to.equal('');
  return stdout.split('\n').filter((line) => line !== '');
}

describe('listwatch completion', () => {
  it('prints a script of each shell with every command and all of its options', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const text = await script(shell);
      for (const row of COMMANDS) {
        expect(text).to.include(row.name);
        for (const option of Object.keys((await row.load()).options)) {
          expect(text, `${shell}: ${row.name}`).to.match(new RegExp(`(--|-l )${option}\\b`));
        }
      }
    }
  });

  it('has the options that the help of each command has', async () => {
    for (const row of COMMANDS) {
      const { name } = row;
      const { help, options } = await row.load();
      if (name.startsWith('envtest-')) continue;
      const inHelp = [...help.matchAll(/^ {2}(?:-\w, | {4})--([\w-]+)/gm)].map(([, one]) => one);
      expect(inHelp, name).to.have.members(Object.keys(options));
    }
  });

  it('completes commands, options and words in bash', async function () {
    if (!isThere('bash')) {
      console.log('      skipped: no bash on PATH');
      this.skip();
    }
    const bash = await script('bash');
    expect(offered(bash, 'd')).to.deep.equal(['demo', 'doctor', 'dump']);
    expect(offered(bash, '')).to.include.members(COMMANDS.map(({ name }) => name));
    expect(offered(bash, '--v')).to.deep.equal(['--version']);
    expect(offered(bash, 'doctor', '--name')).to.deep.equal(['--namespace']);
    expect(offered(bash, 'doctor', '-')).to.include.members(['-n', '--resource', '--help', '-h']);
    expect(offered(bash, 'doctor', '--json', '--ver')).to.deep.equal(['--verbose']);
    expect(offered(bash, 'completion', '')).to.deep.equal(['bash', 'zsh', 'fish']);
    expect(offered(bash, 'help', 'ser')).to.deep.equal(['serve']);
  });

  it('leaves values of options, and what follows --, to names of files in bash', async function () {
    if (!isThere('bash')) {
      console.log('      skipped: no bash on PATH');
      this.skip();
    }
    const bash = await script('bash');
    expect(offered(bash, 'doctor', '--kubeconfig', '')).to.deep.equal([]);
    expect(offered(bash, 'doctor', '-n', '-')).to.deep.equal([]);
    expect(offered(bash, 'rbac', '--', '--na')).to.deep.equal([]);
    expect(bash).to.match(/^complete -o default -F _listwatch listwatch$/m);
  });

  it('offers names of files for an option that takes one, in zsh and fish', async () => {
    for (const [shell, offer] of [
      ['zsh', /--kubeconfig'\[.*\]:FILE:_files'/],
      ['zsh', /--replay'\[.*\]:PLAN:_files'/],
      ['fish', /-l replay -rF /],
    ] as const) {
      expect(await script(shell)).to.match(offer);
    }
  });

  it('is loaded by the line that it names for bash', async function () {
    if (!isThere('bash')) {
      console.log('      skipped: no bash on PATH');
      this.skip();
    }
    const text = await script('bash');
    const [, line = ''] = /^# listwatch for bash: (.*)$/m.exec(text) ?? [];
    expect(completionCommand(() => []).help).to.include(`  ${line}\n`);
    // An older bash reads nothing from `source <(…)`.
    expect(line).to.equal('eval "$(listwatch completion bash)"');
    const program = `listwatch() { printf '%s' "$SCRIPT"; }; ${line}; complete -p listwatch`;
    const { stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-c', program], {
      encoding: 'utf8',
      env: { ...process.env, SCRIPT: text },
    });
    expect({ stdout, stderr }).to.deep.equal({
      stdout: 'complete -o default -F _listwatch listwatch\n',
      stderr: '',
    });
  });

  it('is read by zsh and fish', async function () {
    const shells = ['zsh', 'fish'].filter(isThere);
    if (shells.length === 0) {
      console.log('      skipped: no zsh and no fish on PATH');
      this.skip();
    }
    for (const shell of shells) {
      const { status, stderr } = spawnSync(shell, ['-n', '-c', await script(shell)], {
        encoding: 'utf8',
      });
      expect({ shell, status, stderr }).to.deep.equal({ shell, status: 0, stderr: '' });
    }
  });

  it('completes commands, options and words in fish', async function () {
    if (!isThere('fish')) {
      console.log('      skipped: no fish on PATH');
      this.skip();
    }
    const fish = await script('fish');
    const offered = (line: string): string[] => offeredByFish(fish, line);
    expect(offered('listwatch d')).to.have.members(['demo', 'doctor', 'dump']);
    expect(offered('listwatch -')).to.have.members(['-h', '--help', '--version']);
    expect(offered('listwatch doctor --name')).to.deep.equal(['--namespace']);
    expect(offered('listwatch doctor -n ')).to.deep.equal([]);
    expect(offered('listwatch completion ')).to.have.members(['bash', 'fish', 'zsh']);
    expect(offered('listwatch help ser')).to.deep.equal(['serve']);
    expect(offered('listwatch rbac -- ls --na')).to.deep.equal([]);
    // The options of the command alone, also behind the name of another one.
    expect(offered('listwatch help serve --po')).to.deep.equal([]);
    expect(offered('listwatch new demo --po')).to.deep.equal([]);
  });

  it('asks zsh for commands, options and words', async function () {
    if (!isThere('zsh')) {
      console.log('      skipped: no zsh on PATH');
      this.skip();
    }
    const zsh = await script('zsh');
    const [first, ...commands] = askedOfZsh(zsh, '');
    expect(first).to.match(/^completion:prints the completion/);
    expect(commands).to.have.length(COMMANDS.length);
    expect(askedOfZsh(zsh, '-')).to.deep.equal([
      '--help:the help',
      '--version:the version of the package',
    ]);
    const doctor = askedOfZsh(zsh, 'doctor', '-');
    expect(doctor.slice(0, 2)).to.deep.equal(['doctor', '-S']);
    expect(doctor).to.include(
      '(-n --namespace)--namespace[the namespace of the resources; otherwise all namespaces]:NAME: ',
    );
    expect(doctor.find((one) => one.startsWith('--kubeconfig['))).to.match(/\]:FILE:_files$/);
    expect(doctor.find((one) => one.startsWith('*--resource['))).to.match(/\]:[A-Z]+: $/);
    expect(doctor.at(-1)).to.equal('*:file:_files');
    expect(askedOfZsh(zsh, 'completion', '').at(-1)).to.equal('1:word:(bash zsh fish)');
    expect(askedOfZsh(zsh, 'help', '')).to.have.length(2);
  });

  it('refuses another shell, none, and several', async () => {
    for (const parameters of [['tcsh'], [], ['bash', 'zsh']]) {
      const host = capturedHost();
      expect(await runCommandLine(['completion', ...parameters], host)).to.equal(2);
      expect(host.stderr.text).to.match(/takes the name of one shell, bash, zsh or fish, not/);
    }
  });
});
