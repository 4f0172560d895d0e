import { symlink } from 'node:fs/promises';
import { expect } from 'chai';
import { programUserAgent } from '../../../lib/client/config/program-user-agent.ts';
import { PACKAGE_VERSION } from '../../../lib/kernel/text/package-version.ts';
import { ScratchDirectory } from '../support/scratch-directory.ts';

/** So deep that the search ends before the folders around the scratch directory. */
const DEEP = 'x/'.repeat(16);

const REST = `listwatch/${PACKAGE_VERSION} (linux/x64)`;

describe('programUserAgent', () => {
  let scratch: ScratchDirectory;
  const of = async (program: string | undefined): Promise<string> =>
    await programUserAgent({ program, platform: 'linux', arch: 'x64' });

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
  });
  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  const packages: [title: string, content: string, expected: string][] = [
    ['name and version', '{"name":"web-shop","version":"1.2.3-rc.1"}', 'web-shop/1.2.3-rc.1'],
    ['a name without a version', '{"name":"web-shop"}', 'web-shop'],
    ['a name with a scope', '{"name":"@acme/shop","version":"2.0.0"}', 'acme-shop/2.0.0'],
    [
      'characters that cannot stand in a header',
      '{"name":"a (b)\\r\\nx: y é","version":"1 0"}',
      'a-b-x-y/1-0',
    ],
    ['no name', '{"type":"module"}', 'main'],
    ['a version without a name', '{"version":"1.0.0"}', 'main'],
    ['a name without a usable character', '{"name":"()"}', 'main'],
    ['a number for a name', '{"name":7}', 'main'],
    ['no JSON', '{', 'main'],
    ['a list', '[]', 'main'],
    ['a long name', `{"name":"${'a'.repeat(200)}"}`, 'a'.repeat(64)],
  ];
  for (const [title, content, expected] of packages) {
    it(`takes a package.json with ${title} as ${expected}`, async () => {
      await scratch.write(`${DEEP}package.json`, content);
      expect(await of(`${scratch.path}/${DEEP}main.ts`)).to.equal(`${expected} ${REST}`);
    });
  }

  it('takes the nearest package with a name', async () => {
    await scratch.write('package.json', '{"name":"outer"}');
    await scratch.write('apps/package.json', '{"name":"inner","version":"1.0.0"}');
    await scratch.write('apps/dist/package.json', '{"type":"commonjs"}');
    expect(await of(`${scratch.path}/apps/dist/main.js`)).to.equal(`inner/1.0.0 ${REST}`);
  });

  it('follows the link of an installed command', async () => {
    await scratch.write('tool/package.json', '{"name":"tool","version":"3.0.0"}');
    const target = await scratch.write('tool/cli.js', '');
    await scratch.write('bin/x', '');
    await symlink(target, `${scratch.path}/bin/command`);
    expect(await of(`${scratch.path}/bin/command`)).to.equal(`tool/3.0.0 ${REST}`);
  });

  it('is node for code from the command line', async () => {
    expect(await of(undefined)).to.equal(`node ${REST}`);
  });
});
