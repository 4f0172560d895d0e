import { expect } from 'chai';
import { HeadReader } from '../../../../../lib/client/transport/connection/tap/head-reader.ts';

const OK = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

/** The kind of an answer that arrives in these pieces, and what is left of the last one. */
function read(...pieces: readonly string[]): [kind: string, rest: string] {
  const reader = new HeadReader();
  let rest = '';
  for (const text of pieces) {
    const bytes = Buffer.from(text, 'latin1');
    rest = text.slice(reader.read(bytes, 0, bytes.length));
  }
  return [reader.kind, rest];
}

function kindOf(head: string): string {
  return read(`${head.replaceAll('\n', '\r\n')}\r\n\r\n`)[0];
}

describe('HeadReader', () => {
  it('finds the end of a head for every cut into two pieces', () => {
    const text = `${OK}body`;
    for (let cut = 0; cut < OK.length; cut += 1) {
      expect(read(text.slice(0, cut), text.slice(cut)), `cut at ${cut}`).to.deep.equal([
        'body',
        'body',
      ]);
    }
    expect(read(OK.slice(0, -1))).to.deep.equal(['incomplete', '']);
  });

  it('finds an end after a carriage return that belongs to none', () => {
    expect(read(`${OK.slice(0, -2)}\r\r\n\r\nrest`)[1]).to.equal('rest');
    expect(read(`HTTP/1.1 200 OK\r\n\rX: y\r\n\r\nrest`)).to.deep.equal(['other', 'rest']);
  });

  it('reads from its start to its end only', () => {
    const reader = new HeadReader();
    const bytes = Buffer.from(`xx${OK}yy`);
    expect(reader.read(bytes, 2, bytes.length - 2)).to.equal(OK.length + 2);
    expect(reader.kind).to.equal('body');
  });

  it('passes over interim answers, but not over 101', () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n';
    const reader = new HeadReader();
    const bytes = Buffer.from(interim + interim + OK);
    expect(reader.read(bytes, 0, bytes.length)).to.equal(interim.length);
    expect(reader.kind).to.equal('incomplete');
    expect(reader.read(bytes, interim.length, bytes.length)).to.equal(2 * interim.length);
    expect(reader.read(bytes, 2 * interim.length, bytes.length)).to.equal(bytes.length);
    expect(reader.kind).to.equal('body');
    expect(kindOf('HTTP/1.1 101 Switching Protocols\nUpgrade: x')).to.equal('other');
  });

  it('takes a plain chunked body of a 200 over HTTP/1.1 only', () => {
    const chunked = 'Transfer-Encoding: chunked';
    for (const head of [
      `HTTP/1.1 200 OK\n${chunked}`,
      `HTTP/1.1 200\n${chunked}`,
      'HTTP/1.1 200 OK\ntransfer-encoding:\tCHUNKED \nX-Content-Length: 1',
    ]) {
      expect(kindOf(head), head).to.equal('body');
    }
    for (const head of [
      `HTTP/1.0 200 OK\n${chunked}`,
      `HTTP/1.1 201 Created\n${chunked}`,
      `HTTP/1.1 2000\n${chunked}`,
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200 OK\nTransfer-Encoding: gzip, chunked',
      'HTTP/1.1 200 OK\nContent-Length: 1',
      `HTTP/1.1 200 OK\n${chunked}\nContent-Encoding: gzip`,
      `HTTP/1.1 200 OK\n${chunked}\nContent-Length : 1`,
      `HTTP/1.1 200 OK\n${chunked}\nUpgrade: x`,
      `HTTP/1.1 200 OK\n${chunked}\n${chunked}`,
    ]) {
      expect(kindOf(head), head).to.equal('other');
    }
    expect(read(`HTTP/1.1 200 OK\nTransfer-Encoding: chunked\r\n\r\n`)[0]).to.equal('other');
  });

  it('gives up after 64 KiB without an end', () => {
    const reader = new HeadReader();
    const bytes = Buffer.alloc(64 * 1024, 'x');
    reader.read(bytes, 0, bytes.length);
    expect(reader.kind).to.equal('incomplete');
    reader.read(bytes, 0, 1);
    expect(reader.kind).to.equal('other');
  });

  it('reads the next head after reset', () => {
    const reader = new HeadReader();
    const bytes = Buffer.from(OK);
    reader.read(bytes, 0, bytes.length - 1);
    reader.reset();
    expect(reader.read(bytes, 0, bytes.length)).to.equal(bytes.length);
    expect(reader.kind).to.equal('body');
    reader.reset();
    expect(reader.kind).to.equal('incomplete');
  });
});
