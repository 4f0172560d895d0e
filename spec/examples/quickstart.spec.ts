import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

describe('npm start', () => {
  it('tells its story on a timeline and ends well', async () => {
    const { code, stdout, stderr } = await quickstart();
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
      /reflector +watches refused with 410/,
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
      /handler +deployments +added: 16/,
      /handler +pods +added: \d+/,
      /queue +deployments\.apps +keys added: \d+/,
      /reconcile +deployments\.apps +replica sets created: \d+/,
      /reconcile +pods +pods started: \d+/,
    ]) {
      expect(stdout).to.match(line);
    }
    expect(stdout, 'no colours into a pipe').to.not.include('\u001B');
    expect(stdout.split('\n').length, 'a story, not a flood').to.be.lessThan(200);
  });

  it('explains itself with --help', async () => {
    const { code, stdout } = await quickstart('--help');
    expect(code).to.equal(0);
    for (const option of ['--keep', '--port', '--manifests', '--help']) {
      expect(stdout).to.include(option);
    }
  });

  it('answers wrong usage with one line and exit code 2', async () => {
    const rows: readonly (readonly [args: string[], pattern: RegExp])[] = [
      [['--kep'], /'--kep'/],
      [['--port', '70000'], /--port .*70000/],
      [['extra'], /'extra'/],
    ];
    const finished = await Promise.all(rows.map(([args]) => quickstart(...args)));
    for (const [index, [, pattern]] of rows.entries()) {
      expectOneLine(finished[index]!, pattern);
      expect(finished[index]!.code).to.equal(2);
    }
  });

  it('names a port that is in use', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => {
      holder.listen(0, '127.0.0.1', resolve);
    });
    const { port } = holder.address() as AddressInfo;
    const finished = await quickstart('--port', String(port));
    await new Promise((resolve) => {
      holder.close(resolve);
    });
    expectOneLine(finished, new RegExp(`${port}.* taken`));
    expect(finished.code).to.equal(1);
  });

  describe('with manifests of one’s own', () => {
    let folder: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'listwatch-quickstart-'));
    });

    afterEach(() => {
      rmSync(folder, { recursive: true });
    });

    function put(text: string): void {
      writeFileSync(join(folder, 'mine.yaml'), text);
    }

    it('goes on with --keep, prints how to look at it, and ends cleanly on Ctrl-C', async () => {
      put('apiVersion: v1\nkind: Namespace\nmetadata:\n  name: mine\n');
      let kubeconfig = '';
      const args = ['--keep', '--manifests', folder];
      const { code, stdout, stderr } = await runExample('examples/quickstart.ts', args, {
        onOutput: (text, child) => {
          const found = /^ *kubectl --kubeconfig (\S+) get pods -A$/m.exec(text);
          if (found === null || kubeconfig !== '') return;
          kubeconfig = found[1]!;
          expect(readFileSync(kubeconfig, 'utf8')).to.include('current-context');
          child.kill('SIGINT');
        },
      });
      expect([code, stderr], stdout).to.deep.equal([0, '']);
      expect(kubeconfig).to.not.equal('');
      expect(existsSync(kubeconfig), 'the kubeconfig is left behind').to.equal(false);
    });

    it('names file, document and line of one that is malformed', async () => {
      put('apiVersion: v1\nkind: Namespace\nmetadata:\n  name: mine\n---\nkind: [\n');
      const finished = await quickstart('--manifests', folder);
      expectOneLine(finished, /mine\.yaml, document 2, line \d: /);
      expect(finished.code).to.equal(1);
    });

    it('names the one that the server refuses, and why', async () => {
      put('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Not_A_Name\n  namespace: default\n');
      const { code, stderr } = await quickstart('--manifests', folder);
      expect(stderr).to.match(
        /^quickstart: .*mine\.yaml, document 1, line 1: .*Not_A_Name[^\n]*\n$/,
      );
      expect(code).to.equal(1);
    });

    it('puts what names no namespace into that of the client, and comes back true with it', async () => {
      put('apiVersion: v1\nkind: Secret\nmetadata:\n  name: mine\n');
      const { code, stdout, stderr } = await quickstart('--manifests', folder);
      expect([code, stderr], stdout).to.deep.equal([0, '']);
      expect(stdout).to.match(/reflector +secrets +1 object listed/);
    });

    it('names the kind that the server does not know', async () => {
      put('apiVersion: example.com/v1\nkind: Wish\nmetadata:\n  name: mine\n');
      const { code, stderr } = await quickstart('--manifests', folder);
      expect(stderr).to.match(
        /^quickstart: .*mine\.yaml, document 1, line 1: .*example\.com\/v1[^\n]*\n$/,
      );
      expect(code).to.equal(1);
    });
  });
});
