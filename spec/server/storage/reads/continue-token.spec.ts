import { expect } from 'chai';
import {
  decodeContinue,
  encodeContinue,
  keyAfter,
} from '../../../../lib/server/storage/reads/continue-token.ts';

const PREFIX = '/registry/pods/';

function decodeJson(json: string): unknown {
  return decodeContinue(Buffer.from(json).toString('base64url'), PREFIX);
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
    for (const start of [
      '..',
      '../secrets',
      'a/..',
      'a/../../b',
      './a',
      'a//b',
      'a/',
      '/',
      '//',
      '.',
    ]) {
      const json = JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start });
      expect(() => decodeJson(json), start).to.throw('invalid continue token');
    }
  });

  it('is refused with 400, and says why', () => {
    for (const [json, reason] of [
      ['x', "invalid character 'x' looking for beginning of value"],
      ['5', 'json: cannot unmarshal into Go value'],
      ['{"v":"v1","rv":1,"start":"a"}', 'server does not recognize this encoded version v1'],
      ['\u0007', "invalid character '\\a' looking"],
      ['\u0001', "invalid character '\\x01' looking"],
      ['{"v":"meta.k8s.io/v1","rv":0,"start":"a"}', 'start resourceVersion'],
      ['{"v":"meta.k8s.io/v1","rv":1.5,"start":"a"}', 'start resourceVersion'],
      ['{"v":"meta.k8s.io/v1","rv":1,"start":""}', 'start'],
    ] as const) {
      expect(() => decodeJson(json))
        .to.throw(reason)
        .with.property('code', 'BAD_REQUEST');
    }
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
