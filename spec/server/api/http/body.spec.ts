import { expect } from 'chai';
import {
  decodeDocument,
  decodeObject,
  LARGEST_BODY_BYTES,
} from '../../../../lib/server/api/http/body.ts';
import { apiRequest, widgets } from '../support.ts';

function decode(body: string | Uint8Array, contentType?: string): unknown {
  const headers = contentType === undefined ? {} : { 'content-type': contentType };
  return decodeObject(apiRequest('POST', '/', { body, headers }), widgets);
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'accepted';
}

const TEXT = '{"apiVersion":"example.io/v1","kind":"Widget","metadata":{"name":"a"}}';
const OBJECT = JSON.parse(TEXT) as object;

describe('request body', () => {
  it('reads JSON, with or without a charset', () => {
    expect(decode(TEXT)).to.deep.equal(OBJECT);
    expect(decode(TEXT, 'application/json; charset=utf-8')).to.deep.equal(OBJECT);
  });

  it('reads YAML', () => {
    const yaml = 'apiVersion: example.io/v1\nkind: Widget\nmetadata:\n  name: a\n';
    expect(decode(yaml, 'application/yaml')).to.deep.equal(OBJECT);
  });

  it('fills in the type an object does not say', () => {
    expect(decode('{"metadata":{"name":"a"}}')).to.deep.equal(OBJECT);
  });

  it('refuses objects of another type, naming both', () => {
    expect(() => decode(TEXT.replace('Widget', 'Gadget'))).to.throw(
      'the kind in the data ("Gadget") does not match the expected kind (Widget)',
    );
    expect(() => decode(TEXT.replace('/v1', '/v2'))).to.throw('the API version in the data');
  });

  it('refuses what is no object', () => {
    for (const text of ['', '  \n', '[]', '"a"', 'null', '{', '{"a":1}}', '{"metadata":[]}']) {
      expect(
        codeOf(() => decode(text)),
        JSON.stringify(text),
      ).to.equal('BAD_REQUEST');
    }
    expect(codeOf(() => decode(Buffer.from([0x22, 0xff, 0x22])))).to.equal('BAD_REQUEST');
  });

  it('refuses other formats', () => {
    const protobuf = 'application/vnd.kubernetes.protobuf';
    expect(codeOf(() => decode(TEXT, protobuf))).to.equal('UNSUPPORTED_MEDIA_TYPE');
    expect(codeOf(() => decode(TEXT, 'text/plain'))).to.equal('UNSUPPORTED_MEDIA_TYPE');
  });

  it('tells who sends protobuf, which many do unasked, how to send JSON instead', () => {
    const protobuf = 'application/vnd.kubernetes.protobuf';
    expect(() => decode(TEXT, protobuf)).to.throw('rest.Config is "application/json"');
    expect(() => decode(TEXT, 'text/plain')).not.to.throw('rest.Config');
  });

  it('refuses 3 MiB and a byte, and takes 3 MiB', () => {
    const fits = `"${'x'.repeat(LARGEST_BODY_BYTES - 2)}"`;
    expect(codeOf(() => decodeDocument(Buffer.from(fits)))).to.equal('accepted');
    expect(codeOf(() => decodeDocument(Buffer.from(`${fits} `)))).to.equal(
      'REQUEST_ENTITY_TOO_LARGE',
    );
  });

  it('refuses nesting deeper than 1 000 levels, but not brackets in strings', () => {
    const nested = (depth: number): Uint8Array =>
      Buffer.from('['.repeat(depth) + ']'.repeat(depth));
    expect(codeOf(() => decodeDocument(nested(1_000)))).to.equal('accepted');
    expect(codeOf(() => decodeDocument(nested(1_001)))).to.equal('BAD_REQUEST');
    expect(codeOf(() => decodeDocument(nested(1_500_000)))).to.equal('BAD_REQUEST');
    const quoted = JSON.stringify(`\\"${'['.repeat(5_000)}`);
    expect(codeOf(() => decodeDocument(Buffer.from(quoted)))).to.equal('accepted');
  });

  it('refuses YAML that stands for more than it is', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (const [name, previous] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg', 'ih']) {
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${previous}`).join(',')}]`);
    }
    expect(codeOf(() => decodeDocument(Buffer.from(bomb.join('\n')), true))).to.equal(
      'BAD_REQUEST',
    );
    const deep = Buffer.from('['.repeat(20_000));
    expect(codeOf(() => decodeDocument(deep, true))).to.equal('BAD_REQUEST');
    expect(codeOf(() => decodeDocument(Buffer.from('a: .inf'), true))).to.equal('BAD_REQUEST');
  });

  it('keeps keys that name parts of every object as plain data', () => {
    const text = '{"data":{"__proto__":{"polluted":true},"constructor":"c"}}';
    const { data } = decode(text) as { data: object };
    expect(Object.keys(data)).to.deep.equal(['__proto__', 'constructor']);
    expect(({} as { polluted?: boolean }).polluted).to.equal(undefined);
  });
});
