import { expect } from 'chai';
import { readTar } from '../../../../../lib/client/rest/streams/copy/tar-reader.ts';
import { tarEnd, tarHeader } from '../../../../../lib/client/rest/streams/copy/tar-writer.ts';
import { tarMember as member, typedMember as typed } from '../support.ts';

/** The pieces of a connection end anywhere. */
async function* inPieces(archive: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < archive.length; at += bytes) yield archive.subarray(at, at + bytes);
}

async function read(archive: Buffer, bytes: number = 100): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, type, content } of readTar(inPieces(archive, bytes))) {
    const pieces: Buffer[] = [];
    for await (const piece of content) pieces.push(piece);
    found.push(`${type} ${name}: ${Buffer.concat(pieces).toString()}`);
  }
  return found;
}

const failure = async (archive: Buffer): Promise<string> =>
  await read(archive).then(
    (found) => found.join(),
    (error: Error) => error.message,
  );

describe('readTar', () => {
  it('reads what tarHeader writes, also long names and pieces that end anywhere', async () => {
    const long = `folder/${'n'.repeat(120)}`;
    const folder = tarHeader({
      name: 'folder',
      isFolder: true,
      size: 0,
      mode: 0o755,
      modifiedMs: 0,
    });
    const archive = Buffer.concat([
      folder,
      member('folder/a', 'x'.repeat(700)),
      member(long, 'ä'),
      tarEnd(),
    ]);
    const wanted = ['folder folder/: ', `file folder/a: ${'x'.repeat(700)}`, `file ${long}: ä`];
    for (const bytes of [1, 100, 511, 512, 513, 10_000]) {
      expect(await read(archive, bytes)).to.deep.equal(wanted);
    }
  });

  it('takes name and size from attributes of pax, for the next member only', async () => {
    const attributes = typed('x', 'pax', '18 path=long/name\n10 size=3\n');
    const archive = Buffer.concat([attributes, member('short', 'abc'), member('b', 'c'), tarEnd()]);
    expect(await read(archive)).to.deep.equal(['file long/name: abc', 'file b: c']);
  });

  it('reads attributes whose bytes are no text', async () => {
    const broken = Buffer.from([0xff, 0xfe]);
    const line = Buffer.concat([
      Buffer.from('11 path=a'),
      broken.subarray(0, 1),
      Buffer.from('\n'),
    ]);
    const other = Buffer.concat([Buffer.from('16 SCHILY.x='), broken, Buffer.from('.\n')]);
    const attributes = typed('x', 'pax', Buffer.concat([line, other]));
    const archive = Buffer.concat([attributes, member('short', 'abc'), tarEnd()]);
    expect(await read(archive)).to.deep.equal(['file a\uFFFD: abc']);
  });

  it('does not take the parts of a sparse file for its content', async () => {
    const [name, size] = ['24 GNU.sparse.name=disk\n', '27 GNU.sparse.realsize=900\n'];
    const archive = Buffer.concat([
      typed('x', 'pax', `${name}${size}`),
      member('GNUSparseFile.1/disk', '1\n0\n3\nabc'),
      typed('D', 'listing', 'Yfile'),
      member('b', 'c'),
      tarEnd(),
    ]);
    expect(await read(archive)).to.deep.equal([
      'other disk: 1\n0\n3\nabc',
      'other listing: Yfile',
      'file b: c',
    ]);
  });

  it('skips content that is not read, and names links and devices', async () => {
    const archive = Buffer.concat([
      member('a', 'x'.repeat(2000)),
      typed('2', 'soft', ''),
      typed('1', 'hard', ''),
      typed('3', 'device', ''),
      tarEnd(),
    ]);
    const names: string[] = [];
    for await (const { name, type } of readTar(inPieces(archive, 300)))
      names.push(`${type} ${name}`);
    expect(names).to.deep.equal(['file a', 'link soft', 'link hard', 'other device']);
  });

  it('refuses what is no archive, and one that is cut off', async () => {
    const archive = Buffer.concat([member('a', 'x'.repeat(2000)), tarEnd()]);
    expect(await failure(archive.subarray(0, 1000))).to.equal('the archive ends in the middle');
    expect(await failure(archive.subarray(0, 300))).to.equal('the archive ends in the middle');
    expect(await failure(Buffer.alloc(512, 'a'))).to.equal('the output is no tar archive');
    const damaged = Buffer.from(archive);
    damaged.write('b', 0);
    expect(await failure(damaged)).to.equal('the output is no tar archive');
    expect(await failure(typed('x', 'pax', 'no attributes'))).to.match(/attributes .* cannot be/);
    expect(await failure(typed('L', 'name', 'n'.repeat(70_000)))).to.match(/name .* is too long/);
    const size = Buffer.concat([typed('x', 'p', '11 size=-1\n'), member('a', 'b')]);
    expect(await failure(size)).to.equal('a size of the archive is out of range');
  });
});
