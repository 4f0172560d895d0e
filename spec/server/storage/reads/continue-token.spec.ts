import { expect } from 'chai';
import { errorMessage } from '../../../../lib/kernel/failure/errors.ts';
import {
  decodeContinue,
  encodeContinue,
  keyAfter,
} from '../../../../lib/server/storage/reads/continue-token.ts';

const PREFIX = '/registry/pods/';

function decodeJson(json: string): unknown {
  return decodeContinue(Buffer.from(json).toString('base64url'), PREFIX);
}

/** Why it is refused. */
function refusal(json: string): string {
  try {
    decodeJson(json);
  } catch (error) {
    expect(error).to.have.property('code', 'BAD_REQUEST');
    return errorMessage(error).replace('invalid continue token: continue key is not valid: ', '');
  }
  return 'accepted';
}

describe('a continue token', () => {
  it('brings a position back, for every key and size of the revision', () => {
    for (const name of ['a/x', 'ns/"quoted"', 'a/{"rv":5}', 'a/\u{1f600}', 'a/,"rv":9,']) {
      for (const revision of [1n, 5n, -1n, 2n ** 63n - 1n]) {
        const position = { startKey: keyAfter(PREFIX + name), revision };
        expect(decodeContinue(encodeContinue(position, PREFIX), PREFIX)).to.deep.equal(position);
      }
    }
  });

  it('is unpadded URL-safe base64 of the JSON other API servers use', () => {
    const token = encodeContinue(
      { startKey: keyAfter('/registry/pods/a/x'), revision: 7n },
      PREFIX,
    );
    expect(token).to.match(/^[A-Za-z0-9_-]+$/);
    const json: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    expect(json).to.deep.equal({ v: 'meta.k8s.io/v1', rv: 7, start: 'a/x\0' });
  });

  it('stays under its prefix wherever its start points', () => {
    expect(decodeJson('{"v":"meta.k8s.io/v1","rv":1,"start":"/a"}')).to.deep.equal({
      startKey: '/registry/pods/a',
      revision: 1n,
    });
    expect(decodeJson('{"v":"meta.k8s.io/v1","rv":1,"start":"/"}')).to.deep.equal({
      startKey: PREFIX,
      revision: 1n,
    });
    for (const start of [
      '..',
      '../secrets',
      'a/..',
      'a/../../b',
      './a',
      'a//b',
      'a/',
      '//',
      '/../x',
      'a/../../secrets/kube-system/x',
      '.',
    ]) {
      const json = JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start });
      expect(() => decodeJson(json), start).to.throw('invalid continue token');
    }
  });

  it('is refused with 400 when its JSON is cut off, or none, in the words of kube-apiserver', () => {
    const whole = '{"v":"meta.k8s.io/v1","rv":1,"start":"a"}';
    for (let length = 0; length < whole.length; length += 1) {
      const json = whole.slice(0, length);
      const reason = refusal(json);
      expect(reason, json).to.equal('unexpected end of JSON input');
    }
    for (const [json, reason] of [
      ['x', "invalid character 'x' looking for beginning of value"],
      ['\u0007', "invalid character '\\a' looking for beginning of value"],
      ['\u0001', "invalid character '\\x01' looking for beginning of value"],
      [`${whole}{}`, "invalid character '{' after top-level value"],
      ['tru', "invalid character ' ' in literal true (expecting 'e')"],
      ['{"v" "a"}', "invalid character '\"' after object key"],
      ['{"rv":01}', "invalid character '1' after object key:value pair"],
      ['{"start":"\n"}', "invalid character '\\n' in string literal"],
    ] as const) {
      expect(refusal(json), json).to.equal(reason);
    }
  });

  it('is refused with 400 when its JSON has another shape, in the words of kube-apiserver', () => {
    const type = 'Go value of type storage.continueToken';
    const field = 'Go struct field continueToken';
    for (const [json, reason] of [
      ['5', `json: cannot unmarshal number into ${type}`],
      ['"a"', `json: cannot unmarshal string into ${type}`],
      ['[]', `json: cannot unmarshal array into ${type}`],
      ['true', `json: cannot unmarshal bool into ${type}`],
      ['null', 'server does not recognize this encoded version '],
      ['{"v":1}', `json: cannot unmarshal number into ${field}.v of type string`],
      ['{"V":{}}', `json: cannot unmarshal object into ${field}.v of type string`],
      ['{"rv":"1"}', `json: cannot unmarshal string into ${field}.rv of type int64`],
      ['{"rv":1.0}', `json: cannot unmarshal number 1.0 into ${field}.rv of type int64`],
      ['{"rv":1e3}', `json: cannot unmarshal number 1e3 into ${field}.rv of type int64`],
      [
        '{"rv":9223372036854775808}',
        `json: cannot unmarshal number 9223372036854775808 into ${field}.rv of type int64`,
      ],
      [
        '{"start":["a"],"rv":true}',
        `json: cannot unmarshal array into ${field}.start of type string`,
      ],
    ] as const) {
      expect(refusal(json), json).to.equal(reason);
    }
  });

  it('is refused with 400 when it is of another version, or says nothing', () => {
    const incomplete = '(version meta.k8s.io/v1)';
    for (const [json, reason] of [
      ['{"v":"v1","rv":1,"start":"a"}', 'server does not recognize this encoded version v1'],
      ['{"rv":1,"start":"a"}', 'server does not recognize this encoded version '],
      ['{"v":"meta.k8s.io/v1","rv":-0,"start":"a"}', 'incorrect encoded start resourceVersion'],
      ['{"v":"meta.k8s.io/v1","rv":null,"start":"a"}', 'incorrect encoded start resourceVersion'],
      ['{"v":"meta.k8s.io/v1","rv":1,"start":""}', 'encoded start key empty'],
      ['{"v":"meta.k8s.io/v1","rv":1}', 'encoded start key empty'],
    ] as const) {
      const rest = reason.startsWith('server') ? '' : ` ${incomplete}`;
      expect(refusal(json), json).to.equal(reason + rest);
    }
    expect(() => decodeContinue('a'.repeat(8193), PREFIX)).to.throw('it is too long');
  });

  it('takes its own fields alone: of any case, the last of each name, with all digits', () => {
    const position = { startKey: `${PREFIX}a`, revision: 2n ** 63n - 1n };
    const rv = '9223372036854775807';
    for (const json of [
      `{"v":"meta.k8s.io/v1","x":{"rv":7},"rv":${rv},"start":"a"}`,
      `{"v":"meta.k8s.io/v1","rv":7,"rv":${rv},"start":"a","x":{"rv":7}}`,
      `{"V":"meta.k8s.io/v1","RV":${rv},"Start":"a","__proto__":{"start":"b"}}`,
      `{"v":"meta.k8s.io/v1","\\u0072v":${rv},"start":"a","Rv":null}`,
    ]) {
      expect(decodeJson(json), json).to.deep.equal(position);
    }
    const both = '{"v":"meta.k8s.io/v1","rv":1,"start":"a","START":"../x"}';
    expect(refusal(both)).to.equal('../x');
  });

  it('is base64 in which the ends of lines count for nothing', () => {
    const token = encodeContinue({ startKey: `${PREFIX}a`, revision: 7n }, PREFIX);
    const broken = `${token.slice(0, 8)}\r\n${token.slice(8)}\n`;
    expect(decodeContinue(broken, PREFIX)).to.deep.equal({ startKey: `${PREFIX}a`, revision: 7n });
    expect(() => decodeContinue(`${token.slice(0, 8)}\n!`, PREFIX)).to.throw('at input byte 9');
  });

  it('is refused when it is no base64, with the place', () => {
    for (const [token, at] of [
      ['a!', 1],
      ['a', 0],
    ] as const) {
      expect(() => decodeContinue(token, '/registry/pods/')).to.throw(
        `invalid continue token: continue key is not valid: illegal base64 data at input byte ${at}`,
      );
    }
  });
});
