import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runExample, type Finished } from './support/run-example.ts';

function quickstart(...args: string[]): Promise<Finished> {
  return runExample('examples/quickstart.ts', args);
}

/** One line on stderr that begins with the name of the program, and nothing on stdout. */
function expectOneLine({ stderr, stdout }: Finished, pattern: RegExp): void {
  expect(stderr).to.match(/^quickstart: [^\n]+\n$/);
  expect(stderr).to.match(pattern);
  expect(stdout).to.equal('');
}

/** Runs until `pattern` has been printed, and sends the signal then. */
async function interrupted(signal: NodeJS.Signals, pattern: RegExp): Promise<Finished> {
  let isSent = false;
  return await runExample('examples/quickstart.ts', [], {
    onOutput: (text, child) => {
      if (isSent || !pattern.test(text)) return;
      isSent = true;
      child.kill(signal);
    },
  });
}

/** Manifests by the name of their run. */
const OWN = {
  kept: 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: mine\n',
  malformed: 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: mine\n---\nkind: [\n',
  refused: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Not_A_Name\n  namespace: default\n',
  unknown: 'apiVersion: example.com/v1\nkind: Wish\nmetadata:\n  name: mine\n',
} as const;

interface KeptRun {
  readonly finished: Finished;
  /** The path that was printed, and what the file held while the program ran. */
  readonly kubeconfig: string;
  readonly text: string;
}

/** Runs with `--keep` until the way to look at it is printed, and interrupts it then. */
async function kept(manifests: string): Promise<KeptRun> {
  let [kubeconfig, text] = ['', ''];
  const args = ['--keep', '--manifests', manifests];
  const finished = await runExample('examples/quickstart.ts', args, {
    onOutput: (printed, child) => {
      const found = /^ *kubectl --kubeconfig (\S+) get pods -A$/m.exec(printed);
      if (found === null || kubeconfig !== '') return;
      kubeconfig = found[1]!;
      text = readFileSync(kubeconfig, 'utf8');
      child.kill('SIGINT');
    },
  });
  return { finished, kubeconfig, text };
}

async function withPortInUse(): Promise<{ readonly finished: Finished; readonly port: number }> {
  const holder = createServer();
  await new Promise<void>((resolve) => {
    holder.listen(0, '127.0.0.1', resolve);
  });
  const { port } = holder.address() as AddressInfo;
  const finished = await quickstart('--port', String(port));
  await new Promise((resolve) => {
    holder.close(resolve);
  });
  return { finished, port };
}

/** Each spec looks at one of these; they run side by side. */
async function runAll(folder: string) {
  const own = (name: keyof typeof OWN): string => {
    const manifests = join(folder, name);
    mkdirSync(manifests);
    writeFileSync(join(manifests, 'mine.yaml'), OWN[name]);
    return manifests;
  };
  const [story, help, misspelt, wrongPort, extra] = [
    quickstart(),
    quickstart('--help'),
    quickstart('--kep'),
    quickstart('--port', '70000'),
    quickstart('extra'),
  ];
  const early = interrupted('SIGINT', /Informers mirror it/);
  const late = interrupted('SIGTERM', /cut every connection/);
  const taken = withPortInUse();
  const keptRun = kept(own('kept'));
  const [malformed, refused, unknown] = (['malformed', 'refused', 'unknown'] as const).map((name) =>
    quickstart('--manifests', own(name)),
  );
  return {
    story: await story,
    help: await help,
    misspelt: await misspelt,
    wrongPort: await wrongPort,
    extra: await extra,
    early: await early,
    late: await late,
    taken: await taken,
    kept: await keptRun,
    malformed: (await malformed)!,
    refused: (await refused)!,
    unknown: (await unknown)!,
  };
}

describe('npm start', () => {
  let folder: string;
  let runs: Awaited<ReturnType<typeof runAll>>;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'listwatch-quickstart-'));
    runs = await runAll(folder);
  });

  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('prints its timeline and exits with code 0', () => {
    const { code, stdout, stderr } = runs.story;
    expect(stderr).to.equal('');
    expect(code, stdout).to.equal(0);
    const story = [
      /server +listens on http:\/\/127\.0\.0\.1:\d+/,
      /server +accepted \d+ objects of 8 resources/,
      /reflector +deployments +16 objects listed, watching from \d+/,
      /fifo +whole lists queued, each as one item: \d+/,
      /store +\d+ objects in 10 caches/,
      /store +\d+ objects: every deployment has its pods/,
      /server +cut every connection/,
      /reflector +pods +watch reopened from \d+, without a list/,
      /server +wrote a config map twice, .*restarted web/,
      /server +compacted its history/,
      /reflector +.*watches refused with 410/,
      /reflector +pods +\d+ objects listed, watching from \d+/,
      /store +10 caches, \d+ objects: all equal to the server/,
      /\d+ objects in 10 caches, \d+ events, 10 relists, 10 resumes, \d+ reconciles, 10 caches compared, 0 differences/,
    ];
    let rest = stdout;
    for (const line of story) {
      const found = line.exec(rest);
      expect(found, `${String(line)} is missing in\n${rest}`).to.not.equal(null);
      rest = rest.slice(found!.index + found![0].length);
    }
    for (const line of [
      /handler +pods +added: \d+/,
      /queue +deployments\.apps +keys added: \d+/,
      /reconcile +deployments\.apps +replica sets created: \d+/,
      /reconcile +pods +pods started: \d+/,
    ]) {
      expect(stdout).to.match(line);
    }
    expect(stdout, 'no colours into a pipe').to.not.include('\u001B');
    // A slow machine divides a burst into more lines.
    const added = [...stdout.matchAll(/handler +deployments +.*\badded: (\d+)/g)];
    expect(added.reduce((sum, [, count]) => sum + Number(count), 0)).to.equal(16);
    const told = [...stdout.matchAll(/: (\d+)/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
    expect(stdout.split('\n').length, 'a story, not a flood').to.be.lessThan(told);
  });

  it('explains itself with --help', () => {
    const { code, stdout } = runs.help;
    expect(code).to.equal(0);
    for (const option of ['--keep', '--port', '--manifests', '--help']) {
      expect(stdout).to.include(option);
    }
  });

  it('answers wrong usage with one line and exit code 2', () => {
    const rows: readonly (readonly [finished: Finished, pattern: RegExp])[] = [
      [runs.misspelt, /'--kep'/],
      [runs.wrongPort, /--port .*70000/],
      [runs.extra, /'extra'/],
    ];
    for (const [finished, pattern] of rows) {
      expectOneLine(finished, pattern);
      expect(finished.code).to.equal(2);
    }
  });

  it('ends with one calm line when it is interrupted, wherever it is', () => {
    expect(runs.early).to.include({ code: 130, stderr: 'quickstart: stopped by SIGINT\n' });
    expect(runs.late).to.include({ code: 143, stderr: 'quickstart: stopped by SIGTERM\n' });
  });

  it('names a port that is in use', () => {
    const { finished, port } = runs.taken;
    expectOneLine(finished, new RegExp(`${port}.* taken`));
    expect(finished.code).to.equal(1);
  });

  describe('with manifests of one’s own', () => {
    it('goes on with --keep, prints how to look at it, and ends cleanly on Ctrl-C', () => {
      const { finished, kubeconfig, text } = runs.kept;
      const { code, stdout, stderr } = finished;
      expect([code, stderr], stdout).to.deep.equal([0, '']);
      expect(text).to.include('current-context');
      expect(existsSync(kubeconfig), 'the kubeconfig is left behind').to.equal(false);
    });

    it('names file, document and line of one that is malformed', () => {
      expectOneLine(runs.malformed, /mine\.yaml, document 2, line \d: /);
      expect(runs.malformed.code).to.equal(1);
    });

    it('names the one that the server refuses, and why', () => {
      const { code, stderr } = runs.refused;
      expect(stderr).to.match(
        /^quickstart: .*mine\.yaml, document 1, line 1: .*Not_A_Name[^\n]*\n$/,
      );
      expect(code).to.equal(1);
    });

    it('puts what names no namespace into that of the client, and comes back true with it', () => {
      const { code, stdout, stderr } = runs.kept.finished;
      expect([code, stderr], stdout).to.deep.equal([0, '']);
      expect(stdout).to.match(/reflector +secrets +1 object listed/);
      expect(stdout).to.match(/caches compared, 0 differences/);
    });

    it('names the kind that the server does not know', () => {
      const { code, stderr } = runs.unknown;
      expect(stderr).to.match(
        /^quickstart: .*mine\.yaml, document 1, line 1: .*example\.com\/v1[^\n]*\n$/,
      );
      expect(code).to.equal(1);
    });
  });
});
