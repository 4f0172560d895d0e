import { expect } from 'chai';
import { publishedAddresses, publishedText, repositoryOf } from './repository.ts';

const repository = { url: 'https://github.com/someone/listwatch' };

function published(path: string, text: string, files: readonly string[] = []): string {
  const page = { path, text, version: '1.2.3', isPublished: (one: string) => files.includes(one) };
  return publishedText(page, repository);
}

describe('the address of the repository', () => {
  it('is that of package.json, which its owner fills', () => {
    expect(repositoryOf({ repository: '' })).to.equal(undefined);
    expect(repositoryOf({ repository: repository.url })).to.deep.equal(repository);
  });

  it('is refused in another form, with the one to write', () => {
    for (const wrong of [
      'git@github.com:someone/listwatch.git',
      'https://github.com/someone/listwatch.git',
      'https://github.com/someone/listwatch/',
      'https://github.com/someone',
      'https://github.com/OWNER/NAME',
      'http://github.com/someone/listwatch',
    ]) {
      expect(() => repositoryOf({ repository: wrong }), wrong).to.throw(
        `repository of package.json is ${wrong}; write it as https://github.com/OWNER/NAME`,
      );
    }
  });

  it('gives the published package.json its source, issues and documentation', () => {
    expect(publishedAddresses(repository)).to.deep.equal({
      repository: { type: 'git', url: 'git+https://github.com/someone/listwatch.git' },
      bugs: { url: 'https://github.com/someone/listwatch/issues' },
      homepage: 'https://github.com/someone/listwatch#readme',
    });
    expect(JSON.stringify(publishedAddresses(undefined))).to.equal('{}');
  });
});

describe('a published page', () => {
  const tree = 'https://github.com/someone/listwatch/blob/v1.2.3';

  it('has addresses of its version in place of links to files that are not published', () => {
    expect(
      published('docs/guides/a.md', '[b](../b.md#part) [c](../../lib/c.ts)', ['docs/b.md']),
    ).to.equal(`[b](../b.md#part) [c](${tree}/lib/c.ts)`);
  });

  it('has no relative link as README, which is shown without its folder', () => {
    expect(published('README.md', '[b](docs/b.md#part), [c](#here)', ['docs/b.md'])).to.equal(
      `[b](${tree}/docs/b.md#part), [c](#here)`,
    );
  });

  it('shows pictures as files, and leaves other addresses alone', () => {
    expect(published('README.md', '![a](docs/a.svg) [b](https://example.com/b)')).to.equal(
      '![a](https://github.com/someone/listwatch/raw/v1.2.3/docs/a.svg) [b](https://example.com/b)',
    );
  });

  it('links to pages of the repository beside its tree', () => {
    expect(published('SECURITY.md', '[report](../../security/advisories/new)')).to.equal(
      '[report](https://github.com/someone/listwatch/security/advisories/new)',
    );
  });
});
