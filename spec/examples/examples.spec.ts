import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { EXAMPLES, endOf, missingLine } from './support/all-examples.ts';
import { operatorLines } from './support/operator-lines.ts';
import { runExample } from './support/run-example.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LINT = join(ROOT, 'node_modules', '.bin', 'oxlint');

/** Each line would hide an error of types from the reader. */
const REFUSED = [
  'export const one: any = 1;',
  'export const two = (1 as unknown);',
  'export const three = [1][0]!;',
  '// @ts-ignore',
  '// @ts-expect-error',
];

const failurePattern = (name: string): string => `examples/failure-patterns/${name}.ts`;

describe('examples', () => {
  it('are all in the list, but a simulation of the guide; one file of support is for their command line, and one for a story', () => {
    const files = readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' });
    const programs = files.filter((file) => file.endsWith('.ts')).map((file) => `examples/${file}`);
    expect(programs.toSorted()).to.deep.equal(
      [
        ...EXAMPLES.map(({ script }) => script),
        ...['crash-between-writes', 'stale-cache', 'unobserved-change'].map(failurePattern),
        ...['database', 'invariants', 'patterns', 'trial'].map(failurePattern),
        'examples/expiry.simulation.ts',
        'examples/site-operator/operator.ts',
        'examples/support/program.ts',
        'examples/support/story.ts',
      ].toSorted(),
    );
  });

  it('have no assertion of types, no any and no ignored error: lint refuses them, but not as const', () => {
    const folder = mkdtempSync(join(tmpdir(), 'listwatch-lint-'));
    try {
      copyFileSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
      mkdirSync(join(folder, 'examples'));
      const lint = (lines: readonly string[]): number | null => {
        writeFileSync(join(folder, 'examples', 'one.ts'), `${lines.join('\n')}\n`);
        const args = ['--disable-nested-config', '-c', '.oxlintrc.json', 'examples'];
        return spawnSync(LINT, args, { cwd: folder, encoding: 'utf8' }).status;
      };
      expect(lint(["export const names = ['a'] as const;"])).to.equal(0);
      for (const line of REFUSED) expect(lint([line, 'export {};']), line).to.equal(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('have a reference operator of at most 40 lines', () => {
    expect(operatorLines().lines).to.be.within(20, 40);
  });

  for (const example of EXAMPLES) {
    it(`${example.script} runs on a server in its process`, async () => {
      const args = example.embedded ?? [];
      const { code, stdout, stderr } = await runExample(example.script, args, endOf(example));
      expect([code, stderr], stdout).to.deep.equal([0, '']);
      expect(missingLine(example, stdout), stdout).to.equal(undefined);
    });
  }

  describe('with --kubeconfig', () => {
    let folder: string;
    let kubeconfig: string;
    let server: ApiServer;

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'listwatch-examples-'));
      kubeconfig = join(folder, 'kubeconfig');
      server = new ApiServer();
      await server.listen();
      await server.writeKubeconfig(kubeconfig);
    });

    afterEach(async () => {
      await server.close();
      rmSync(folder, { recursive: true });
    });

    for (const example of EXAMPLES.filter(({ inProcess }) => inProcess !== true)) {
      it(`${example.script} runs on another server`, async () => {
        const args = ['--kubeconfig', kubeconfig];
        const { code, stdout, stderr } = await runExample(example.script, args, endOf(example));
        expect([code, stderr], stdout).to.deep.equal([0, '']);
        expect(missingLine(example, stdout), stdout).to.equal(undefined);
      });
    }
  });
});
