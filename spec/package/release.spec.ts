import { expect } from 'chai';
import { notesOf, releaseProblems, type Release } from './release.ts';

const READY: Release = {
  manifest: { version: '1.2.3', repository: 'https://github.com/someone/listwatch' },
  lock: { version: '1.2.3' },
  changelog: '# Changelog\n\n## 1.2.3 (2030-01-31)\n\n- new\n\n## 1.2.2 (2030-01-01)\n\n- old\n',
  upgrading: '# Upgrading\n',
  tag: 'v1.2.3',
  runsIn: 'https://github.com/someone/listwatch',
};

describe('a release', () => {
  it('may go out when tag, versions, changelog and address agree', () => {
    expect(releaseProblems(READY)).to.deep.equal([]);
    expect(releaseProblems({ ...READY, runsIn: undefined })).to.deep.equal([]);
  });

  it('stops while package.json does not say where the repository is', () => {
    const manifest = { ...READY.manifest, repository: '' };
    expect(releaseProblems({ ...READY, manifest })).to.deep.equal([
      'package.json does not say where the repository is: write its address as "repository": "https://github.com/OWNER/NAME"',
    ]);
  });

  it('stops at an address of another form, and in another repository', () => {
    const manifest = { ...READY.manifest, repository: 'someone/listwatch' };
    expect(releaseProblems({ ...READY, manifest })).to.deep.equal([
      'repository of package.json is someone/listwatch; write it as https://github.com/OWNER/NAME',
    ]);
    expect(
      releaseProblems({ ...READY, runsIn: 'https://github.com/other/listwatch' }),
    ).to.deep.equal([
      'package.json names the repository https://github.com/someone/listwatch, and this is https://github.com/other/listwatch: npm accepts a provenance only from the repository that is named',
    ]);
  });

  it('stops at a tag, a lock file or a changelog of another version', () => {
    const changelog = READY.changelog.replace('2030-01-31', 'unreleased');
    const lock = { version: '1.2.2' };
    expect(releaseProblems({ ...READY, tag: 'v1.2.4', lock, changelog })).to.deep.equal([
      'the tag is v1.2.4, and package.json has version 1.2.3: tag v1.2.3',
      'package-lock.json has version 1.2.2: run npm install',
      'CHANGELOG.md has no section "## 1.2.3 (YYYY-MM-DD)": write the date of the release',
    ]);
  });

  it('stops while a breaking line has no row in the table of its version', () => {
    const changelog = READY.changelog.replace('- new', '- **breaking** a\n- **breaking** b');
    const table = '| before | now | how it shows |\n|---|---|---|\n| a | b | INVALID_OPTION |\n';
    const upgrading = (rows: string) => `# Upgrading\n\n## 1.2.3\n\n${table}${rows}`;
    expect(releaseProblems({ ...READY, changelog, upgrading: upgrading('') })).to.deep.equal([
      'docs/upgrading.md has 1 rows for 1.2.3, and CHANGELOG.md 2 breaking lines: write what a user does about each',
    ]);
    const whole = upgrading('| c | d | a compile error |\n');
    expect(releaseProblems({ ...READY, changelog, upgrading: whole })).to.deep.equal([]);
  });

  it('has the section of its version as notes', () => {
    expect(notesOf(READY.changelog, '1.2.3')).to.equal('- new');
    expect(notesOf(READY.changelog, '1.2')).to.equal(undefined);
  });
});
