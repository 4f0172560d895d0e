import { existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
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

interface KeptRun {
  readonly finished: Finished;
  /** The path that was printed, and what the file held while the program ran. */
  readonly kubeconfig: string;
  readonly text: string;
}

/** Runs with `--keep` until the way to look at it is printed, and interrupts it then. */
async function kept(): Promise<KeptRun> {
  let [kubeconfig, text] = ['', ''];
  const finished = await runExample('examples/quickstart.ts', ['--keep'], {
    onOutput: (printed, child) => {
      const found = /^ *kubectl --kubeconfig (\S+) get sites,configmaps$/m.exec(printed);
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
async function runAll() {
  const story = quickstart();
  const verbose = quickstart('--verbose');
  const help = quickstart('--help');
  const misspelt = quickstart('--kep');
  const wrongPort = quickstart('--port', '70000');
  const extra = quickstart('extra');
  const early = interrupted('SIGINT', /An operator starts/);
  const late = interrupted('SIGTERM', /cuts every connection/);
  const taken = withPortInUse();
  const keptRun = kept();
  return {
    story: await story,
    verbose: await verbose,
    help: await help,
    misspelt: await misspelt,
    wrongPort: await wrongPort,
    extra: await extra,
    early: await early,
    late: await late,
    taken: await taken,
    kept: await keptRun,
  };
}

/** The story, with its numbers; times and the port are as they come. */
const STORY: readonly RegExp[] = [
  /^1 {2}A cluster in this process$/,
  /^ {3}server {4}listens on http:\/\/127\.0\.0\.1:\d+$/,
  /^ {3}person {4}applies the definition of sites, and creates 6 sites$/,
  /^ {3}✓ 6 sites wait for an operator/,
  /^2 {2}An operator starts$/,
  /^ {3}operator {2}lists and watches 3 resources: its own, and two that it owns$/,
  /^ {3}operator {2}runs \d+ times: 6 config maps, 6 deployments, 6 statuses$/,
  /^ {3}✓ each site has its page, and its deployment a pod that is ready/,
  /^3 {2}A person disturbs its work$/,
  /^ {3}person {4}deletes the page of site-3, and scales the deployment of site-5$/,
  /^ {3}operator {2}runs for site-3: v1\/configmaps deleted$/,
  /^ {3}operator {2}runs for site-5: apps\/v1\/deployments updated$/,
  /^ {3}✓ both are as they should be/,
  /^4 {2}Every connection is cut$/,
  /^ {3}server {4}cuts every connection$/,
  /^ {3}person {4}changes the greeting of site-1$/,
  /^ {3}operator {2}opens its watches again where they had been: 0 lists$/,
  /^ {3}operator {2}runs for site-1: example.com\/v1\/sites updated$/,
  /^ {3}✓ no change was missed/,
  /^5 {2}An outage, and its history is lost$/,
  /^ {3}server {4}cuts every connection, and breaks each list and each watch$/,
  /^ {3}person {4}deletes the page of site-2, changes site-4, and creates site-7$/,
  /^ {3}server {4}compacts its history, and answers again$/,
  /^ {3}operator {2}cannot resume \(410\), and lists again: 3 lists$/,
  /^ {3}operator {2}runs for site-2: v1\/configmaps \w+$/,
  /^ {3}operator {2}runs for site-4: example.com\/v1\/sites \w+$/,
  /^ {3}operator {2}runs for site-7: example.com\/v1\/sites \w+$/,
  /^ {3}✓ the lists found each change/,
  /^6 {2}A site goes$/,
  /^ {3}person {4}deletes site-6, which a finalizer holds$/,
  /^ {3}operator {2}removes it from the directory: 6 entries$/,
  /^ {3}server {4}collects what it has owned: its page and its deployment$/,
  /^ {3}✓ site-6 was cleaned up before it was gone/,
  /^7 {2}Every cache is compared with the server$/,
  /^ {3}cache {5}sites\.example\.com in namespace default: 6 objects, all equal$/,
  /^ {3}cache {5}configmaps in namespace default: 8 objects, all equal$/,
  /^ {3}cache {5}deployments\.apps in namespace default: 6 objects, all equal$/,
  /^ {3}✓ 3 caches, 20 objects, 0 differences/,
  /^7 chapters in [\d.]+ m?s: all is well$/,
];

describe('npm start', () => {
  let runs: Awaited<ReturnType<typeof runAll>>;

  before(async () => {
    runs = await runAll();
  });

  it('prints its story in about forty lines of at most 80 columns, and exits with code 0', () => {
    const { code, stdout, stderr } = runs.story;
    expect([code, stderr], stdout).to.deep.equal([0, '']);
    const lines = stdout.split('\n').filter((line) => line !== '');
    expect(lines, stdout).to.have.length(STORY.length);
    for (const [index, line] of lines.entries()) {
      expect(line).to.match(STORY[index]!);
      expect(line.length, line).to.be.at.most(80);
    }
    expect(stdout, 'no colours into a pipe').to.not.include('\u001B');
  });

  it('gives a verdict with its time for each chapter', () => {
    const verdicts = runs.story.stdout.match(/^ {3}✓ .* {2}[\d.]+ m?s$/gm);
    expect(verdicts).to.have.length(7);
  });

  it('prints each step of the informers and each run with --verbose', () => {
    const { code, stdout } = runs.verbose;
    expect(code).to.equal(0);
    for (const line of [
      /^ +[\d.]+ m?s {2}configmaps in namespace default: [-a-z]+ -> watching: /m,
      /^ +[\d.]+ m?s {2}run default\/site-3: done in \d+ ms: deleted v1\/configmaps default\/site-3 @\d+/m,
    ]) {
      expect(stdout).to.match(line);
    }
  });

  it('explains itself with --help', () => {
    const { code, stdout } = runs.help;
    expect(code).to.equal(0);
    for (const option of ['--keep', '--port', '--verbose', '--kubeconfig', '--help']) {
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

  it('goes on with --keep, prints how to look at it, and ends cleanly on Ctrl-C', () => {
    const { finished, kubeconfig, text } = runs.kept;
    const { code, stdout, stderr } = finished;
    expect([code, stderr], stdout).to.deep.equal([0, '']);
    expect(text).to.include('current-context');
    expect(existsSync(kubeconfig), 'the kubeconfig is left behind').to.equal(false);
    expect(stdout).to.match(/Look at it in a browser: http:\/\/127\.0\.0\.1:\d+\n/);
  });
});
