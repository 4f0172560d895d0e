import { expect } from 'chai';
import { deflateRawSync } from 'node:zlib';
import { deflatedBound, ObjectDeflater } from '../../../lib/cache/memory/object-deflater.ts';
import { handleCalls, publicCalls, type ZlibCalls } from '../../../lib/cache/memory/zlib-handle.ts';
import { seededRandom } from '../../../lib/kernel/random.ts';
import { podOf } from './kept-views.ts';

const dictionary = Buffer.from(JSON.stringify(podOf(0)).repeat(10));
const UID = '12345678-9abc-4def-8123-456789abcdef';
const identity = { uid: UID, resourceVersion: '1234567' };

const PATHS: readonly (readonly [name: string, calls: (bytes: Uint8Array) => ZlibCalls])[] = [
  ['with one handle', (bytes) => handleCalls(bytes) ?? expect.fail('Node has no handles')],
  ['with the public functions', publicCalls],
];

function made(deflater: ObjectDeflater, json: Buffer, of: object = identity): Buffer {
  const target = Buffer.alloc(deflatedBound(json.length) + 10);
  const end = deflater.deflate(json, of, target, 10);
  if (end === undefined) throw new Error('there was no room');
  return target.subarray(10, end);
}

function back(
  deflater: ObjectDeflater,
  body: Buffer,
  length: number,
  of: object = identity,
): Buffer | undefined {
  const target = Buffer.alloc(length);
  return deflater.inflate(body, of, target) ? target : undefined;
}

/** Objects of all sorts, some of them with what is packed, some with bytes that JSON does not have. */
function* objects(count: number): IterableIterator<Buffer> {
  const random = seededRandom(7);
  const below = (end: number): number => Math.floor(random() * end);
  const letters = [
    '0123456789abcdef',
    'abc-',
    'Größe ✓ 😀"\\',
    ' \n\t{}[]:,"',
    '\u0001\u0002\u0003\u0004\u0005x',
  ];
  const hex = (length: number): string =>
    Array.from({ length }, () => below(16).toString(16)).join('');
  for (let index = 0; index < count; index += 1) {
    let text = '';
    while (random() < 0.93) {
      const alphabet = letters[below(index % 2 === 0 ? 4 : 5)] as string;
      const piece = [
        () => hex(64),
        () => `"${UID}"`,
        () => `"${identity.resourceVersion}"`,
        () => UID,
        () => `c-${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`,
        () => hex(30 + below(80)),
        () => JSON.stringify(podOf(below(9))),
        () => Array.from({ length: below(100) }, () => alphabet[below(alphabet.length)]).join(''),
        () => '-'.repeat(below(70)),
      ];
      text += (piece[below(piece.length)] as () => string)();
    }
    yield Buffer.from(text);
  }
}

for (const [name, callsOf] of PATHS) {
  describe(`ObjectDeflater, ${name}`, () => {
    const deflater = new ObjectDeflater(dictionary, callsOf(dictionary));

    it('gives every byte back, whatever the bytes are', () => {
      for (const json of objects(1500)) {
        const body = made(deflater, json);
        expect(body.length).to.be.at.most(deflatedBound(json.length));
        expect(back(deflater, body, json.length)?.equals(json)).to.equal(true);
        const anonymous = made(deflater, json, {});
        expect(back(deflater, anonymous, json.length, {})?.equals(json)).to.equal(true);
      }
    });

    it('gives nothing and huge things back', () => {
      const huge = Buffer.from(
        JSON.stringify({ text: 'Größe'.repeat(200_000), id: 'ab'.repeat(150_000) }),
      );
      const digests = Buffer.from(
        JSON.stringify(Array.from({ length: 4000 }, (_, n) => n.toString(16).padStart(64, '0'))),
      );
      for (const json of [Buffer.alloc(0), Buffer.from('{}'), huge, digests]) {
        expect(back(deflater, made(deflater, json), json.length)?.equals(json)).to.equal(true);
      }
    });

    it('makes a pod with the dictionary much shorter than without it', () => {
      const json = Buffer.from(JSON.stringify(podOf(5)));
      expect(made(deflater, json).length).to.be.below(deflateRawSync(json).length / 2);
    });

    it('says so when there is no room, and goes on with the next one', () => {
      const json = Buffer.from(JSON.stringify({ text: Array.from(objects(30)).join('') }));
      const { length } = made(deflater, json);
      for (const room of [0, 1, 6, 20, length - 7, length - 1]) {
        const target = Buffer.alloc(room + 5, 0xaa);
        expect(deflater.deflate(json, identity, target.subarray(0, room), 0)).to.equal(undefined);
        expect(target.subarray(room)).to.deep.equal(Buffer.alloc(5, 0xaa));
      }
      expect(back(deflater, made(deflater, json), json.length)?.equals(json)).to.equal(true);
    });

    it('never gives something else for bytes that were changed or cut off', () => {
      const json = Buffer.from(
        JSON.stringify(podOf(3, 9, 10)).replace('"spec"', `"id":"${UID}","spec"`),
      );
      const body = made(deflater, json);
      let refused = 0;
      for (let place = 0; place < body.length; place += 1) {
        for (const flip of [1, 0x80, 0xff]) {
          const changed = Buffer.from(body);
          changed[place] = (changed[place] as number) ^ flip;
          const read = back(deflater, changed, json.length);
          // A few bits of the last byte of deflate mean nothing.
          if (read === undefined) refused += 1;
          else expect(read.equals(json)).to.equal(true);
        }
        expect(back(deflater, body.subarray(0, place), json.length)).to.equal(undefined);
      }
      expect(refused).to.be.above(body.length * 3 - 9);
      expect(back(deflater, body, json.length)?.equals(json)).to.equal(true);
    });

    it('refuses what was made with another dictionary, for another object, or of another length', () => {
      const json = Buffer.from(JSON.stringify({ ...podOf(3), id: UID }));
      const body = made(deflater, json);
      const other = Buffer.from(dictionary.toReversed());
      expect(back(new ObjectDeflater(other, callsOf(other)), body, json.length)).to.equal(
        undefined,
      );
      expect(
        back(deflater, body, json.length, { ...identity, uid: UID.replace('1', '2') }),
      ).to.equal(undefined);
      expect(back(deflater, body, json.length, {})).to.equal(undefined);
      expect(back(deflater, body, json.length - 1)).to.equal(undefined);
      expect(back(deflater, body, json.length + 1)).to.equal(undefined);
    });

    it('does not inflate what becomes longer than the object was', () => {
      const bomb = made(deflater, Buffer.alloc(10_000_000, 0x20));
      expect(back(deflater, bomb, 100)).to.equal(undefined);
    });
  });
}

describe('ObjectDeflater', () => {
  it('reads with one handle what the public functions made, and the other way round', () => {
    const [one, other] = PATHS.map(
      ([, callsOf]) => new ObjectDeflater(dictionary, callsOf(dictionary)),
    ) as [ObjectDeflater, ObjectDeflater];
    for (const json of objects(200)) {
      expect(back(one, made(other, json), json.length)?.equals(json)).to.equal(true);
      expect(back(other, made(one, json), json.length)?.equals(json)).to.equal(true);
    }
  });
});
