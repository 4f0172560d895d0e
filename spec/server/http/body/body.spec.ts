import { expect } from 'chai';
import {
  decodeBody,
  decodePatch,
  LARGEST_BODY_BYTES,
} from '../../../../lib/server/http/body/body.ts';
import type { GroupVersionKind } from '../../../../lib/meta/resource.ts';
import { apiRequest, widgets } from '../../api/support.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const YAML = 'application/yaml';
const CONFIG_MAP: GroupVersionKind = { group: '', version: 'v1', kind: 'ConfigMap' };

function decode(
  body: string | Uint8Array,
  contentType?: string,
  expected: GroupVersionKind = widgets,
): unknown {
  const headers = contentType === undefined ? {} : { 'content-type': contentType };
  return decodeBody(apiRequest('POST', '/', { body, headers }), expected).object;
}

/** A ConfigMap as its bytes lie on the wire; `more` follows its fields. */
function configMap(kind: string = 'ConfigMap', more: readonly number[] = []): Buffer {
  const delimited = (number: number, content: Buffer): Buffer =>
    Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
  const text = (number: number, value: string): Buffer => delimited(number, Buffer.from(value));
  const typeMeta = Buffer.concat(kind === '' ? [] : [text(1, 'v1'), text(2, kind)]);
  const raw = Buffer.concat([
    delimited(1, text(1, 'web')),
    delimited(2, Buffer.concat([text(1, 'color'), text(2, 'blue')])),
    Buffer.from(more),
  ]);
  return Buffer.concat([Buffer.from('k8s\0'), delimited(1, typeMeta), delimited(2, raw)]);
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

  it('fills in the type that an object of a built-in kind does not say', () => {
    const read = decode('{"metadata":{"name":"a"}}', 'application/json', CONFIG_MAP);
    expect(read).to.deep.equal({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  });

  it('replaces bytes of JSON that are not UTF-8, and refuses those of YAML', () => {
    const bytes = Buffer.from('{"metadata":{"name":"a\xff"}}', 'latin1');
    const read = decode(bytes, 'application/json', CONFIG_MAP);
    expect(read).to.have.nested.property('metadata.name', 'a\uFFFD');
    expect(codeOf(() => decode(bytes, 'application/yaml', CONFIG_MAP))).to.equal('BAD_REQUEST');
  });

  it('reads protobuf of built-in kinds', () => {
    expect(decode(configMap(), PROTOBUF, CONFIG_MAP)).to.deep.equal({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'web' },
      data: { color: 'blue' },
    });
  });

  it('takes protobuf that does not say what it is for what the endpoint serves', () => {
    expect(decode(configMap(''), PROTOBUF, CONFIG_MAP)).to.have.property('kind', 'ConfigMap');
    expect(() => decode(configMap(), PROTOBUF, { ...CONFIG_MAP, kind: 'Secret' })).to.throw(
      'ConfigMap in version "v1" cannot be handled as a Secret: converting (v1.ConfigMap) to (core.Secret)',
    );
  });

  it('refuses protobuf of another kind, and skips the fields of a later version', () => {
    const gadget = (): unknown => decode(configMap('Gadget'), PROTOBUF);
    expect(codeOf(gadget)).to.equal('BAD_REQUEST');
    const later = decode(configMap('ConfigMap', [0xfa, 1, 0]), PROTOBUF, CONFIG_MAP);
    expect(later).to.deep.equal(decode(configMap(), PROTOBUF, CONFIG_MAP));
  });

  it('refuses invalid protobuf, and too much of it', () => {
    expect(codeOf(() => decode(TEXT, PROTOBUF))).to.equal('BAD_REQUEST');
    expect(codeOf(() => decode(configMap().subarray(0, -1), PROTOBUF))).to.equal('BAD_REQUEST');
    const large = new Uint8Array(LARGEST_BODY_BYTES + 1);
    expect(codeOf(() => decode(large, PROTOBUF))).to.equal('REQUEST_ENTITY_TOO_LARGE');
  });

  it('refuses 3 MiB and a byte, and takes 3 MiB', () => {
    const fits = `"${'x'.repeat(LARGEST_BODY_BYTES - 2)}"`;
    expect(codeOf(() => decodePatch(Buffer.from(fits), ''))).to.equal('accepted');
    expect(codeOf(() => decodePatch(Buffer.from(`${fits} `), ''))).to.equal(
      'REQUEST_ENTITY_TOO_LARGE',
    );
  });

  it('refuses nesting deeper than 1 000 levels, but not brackets in strings', () => {
    const nested = (depth: number): Uint8Array =>
      Buffer.from('['.repeat(depth) + ']'.repeat(depth));
    expect(codeOf(() => decodePatch(nested(1_000), ''))).to.equal('accepted');
    expect(codeOf(() => decodePatch(nested(1_001), ''))).to.equal('BAD_REQUEST');
    expect(codeOf(() => decodePatch(nested(1_500_000), ''))).to.equal('BAD_REQUEST');
    const quoted = JSON.stringify(`\\"${'['.repeat(5_000)}`);
    expect(codeOf(() => decodePatch(Buffer.from(quoted), ''))).to.equal('accepted');
  });

  it('refuses YAML that stands for more than it is', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (const [name, previous] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg', 'ih']) {
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${previous}`).join(',')}]`);
    }
    expect(codeOf(() => decode(bomb.join('\n'), YAML))).to.equal('BAD_REQUEST');
    const deep = Buffer.from('['.repeat(20_000));
    expect(codeOf(() => decode(deep, YAML))).to.equal('BAD_REQUEST');
    expect(codeOf(() => decode('a: .inf', YAML))).to.equal('BAD_REQUEST');
  });

  it('keeps keys that name parts of every object as plain data', () => {
    const text = '{"data":{"__proto__":{"polluted":true},"constructor":"c"}}';
    const { data } = decode(text, 'application/json', CONFIG_MAP) as { data: object };
    expect(Object.keys(data)).to.deep.equal(['__proto__', 'constructor']);
    expect(({} as { polluted?: boolean }).polluted).to.equal(undefined);
  });
});
