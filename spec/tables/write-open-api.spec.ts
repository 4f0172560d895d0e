import { expect } from 'chai';
import {
  archiveWith,
  OpenApiArchive,
  openApiText,
} from '../../lib/server/api/openapi/open-api-archive.ts';
import { RELEASES } from '../../lib/meta/releases/kubernetes-releases.ts';
import { changesOf } from './archive-changes.ts';
import { MINORS } from './recorded-minor.ts';
import { archiveOf } from './write-open-api.ts';

const PATH = { get: { 'x-kubernetes-action': 'list' }, parameters: [] };

function archive(paths: object): Buffer {
  return archiveOf(
    new Map([
      ['v3/apis/apps/v1', Buffer.from(JSON.stringify({ paths }))],
      ['custom/v3', Buffer.from(JSON.stringify({ paths: { '/c': PATH } }))],
    ]),
  );
}

describe('archiveOf', () => {
  it('writes documents that the archive reads back, with their operations', () => {
    const read = new OpenApiArchive(archive({ '/a': PATH, '/b/': { get: {} } }));
    expect(read.paths()).to.deep.equal(['apis/apps/v1']);
    expect(JSON.parse(read.bytes('custom/v3').toString())).to.deep.equal({ paths: { '/c': PATH } });
    expect(read.operations('v3/apis/apps/v1')).to.deep.equal({
      '/a': { get: 'list' },
      '/b/': { get: '' },
    });
    expect(read.has('v2')).to.equal(false);
    expect(() => read.bytes('v2')).to.throw('the archive has no document v2');
  });
});

describe('changesOf', () => {
  const properties = Array.from({ length: 100 }, (_, at) => [`f${at}`, { type: 'string', at }]);

  it('makes another archive of one, with little but places', () => {
    const base = archive(Object.fromEntries(properties));
    const other = archive(
      Object.fromEntries([...properties.slice(0, 40), ['ü', PATH], ...properties.slice(60)]),
    );
    const changes = changesOf(base, other);
    expect(archiveWith(changes, base).equals(other)).to.equal(true);
    expect(JSON.stringify(changes).length).to.be.lessThan(other.length / 4);
  });

  it('holds the whole text where nothing is the same, and nothing but a copy where all is', () => {
    const base = archive({ '/a': PATH });
    expect(changesOf(Buffer.from('x'), base)).to.deep.equal([base.toString()]);
    expect(changesOf(base, base)).to.deep.equal([0, base.length]);
  });
});

describe('openApiText', () => {
  for (const minor of MINORS) {
    it(`has the documents of ${RELEASES[minor]}, each as long as the index says`, async () => {
      const text = await openApiText(minor);
      const [index = ''] = text.toString('utf8').split('\n', 1);
      const documents = JSON.parse(index) as { readonly name: string; readonly length: number }[];
      const lengths = documents.reduce((sum, { length }) => sum + length, 0);
      expect(Buffer.byteLength(index) + 1 + lengths).to.equal(text.length);
      const { info } = JSON.parse(new OpenApiArchive(text).bytes('v2').toString()) as {
        readonly info: { readonly version: string };
      };
      expect(info.version).to.equal(`1.${minor}`);
    });
  }
});
