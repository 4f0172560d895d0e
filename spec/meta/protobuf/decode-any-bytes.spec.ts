import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { GeneratedDecoders } from '../../../lib/meta/protobuf/decode/generated-decoders.ts';
import { decodeInterpreted } from '../../../lib/meta/protobuf/decode/interpreted-decoder.ts';
import { readEnvelope } from '../../../lib/meta/protobuf/envelope.ts';
import { decodeObject, encodeObject } from '../../../lib/meta/protobuf/object-codec.ts';
import { ProtobufError } from '../../../lib/meta/protobuf/wire/protobuf-error.ts';
import { builtInTypes } from '../../../lib/meta/types/built-in-types.ts';

const FRAMES = 20_000;

const [, ...lines] = readFileSync(join(import.meta.dirname, 'recorded.jsonl'), 'utf8')
  .trim()
  .split('\n');
const objects = lines
  .map((line) => JSON.parse(line) as { readonly path: string; readonly protobuf: string })
  .filter(({ path }) => !path.includes('watch=1'))
  .map(({ protobuf }) => Buffer.from(protobuf, 'base64'));

type Below = (limit: number) => number;

/** One of the objects, with one to three changes: a byte, an end, a piece left out, a piece twice. */
function broken(bytes: Uint8Array, below: Below): Buffer {
  let frame = Buffer.from(bytes);
  for (let change = below(3); change >= 0; change -= 1) {
    const place = below(Math.max(1, frame.length));
    const kind = below(4);
    if (kind === 0) frame[place] = below(256);
    else if (kind === 1) frame = frame.subarray(0, place);
    else if (kind === 2)
      frame = Buffer.concat([frame.subarray(0, place), frame.subarray(place + 1 + below(9))]);
    else frame = Buffer.concat([frame.subarray(0, place), frame.subarray(below(place + 1))]);
  }
  return frame;
}

function attempt(decode: () => unknown): unknown {
  try {
    return decode();
  } catch (error) {
    if (error instanceof ProtobufError) return error;
    throw error;
  }
}

describe('decoders of protobuf', () => {
  it(`agree on ${FRAMES} messages with something broken in them, and throw typed errors only`, () => {
    const random = seededRandom('decoders of protobuf');
    const below: Below = (limit) => Math.floor(random() * limit);
    const generated = new GeneratedDecoders();
    const outcomes = { fast: 0, interpreted: 0, refused: 0 };
    for (let round = 0; round < FRAMES; round += 1) {
      const { apiVersion, kind, raw } = readEnvelope(objects[round % objects.length]!);
      const type = builtInTypes().kind(apiVersion, kind)!;
      const frame = broken(raw, below);
      const options = { refuseUnknown: round % 2 === 0 };
      const fast = generated.decode(type, frame, options);
      const slow = attempt(() =>
        decodeInterpreted(type, frame, { unknownFields: round % 2 === 0 ? 'refuse' : 'skip' }),
      );
      const what = `${kind} ${frame.toString('base64')}`;
      if (fast !== undefined) expect(slow, what).to.deep.equal(fast);
      if (fast !== undefined) outcomes.fast += 1;
      else if (slow instanceof ProtobufError) outcomes.refused += 1;
      else outcomes.interpreted += 1;
    }
    for (const [outcome, count] of Object.entries(outcomes)) {
      expect(count, outcome).to.be.greaterThan(10);
    }
  });

  it('give an object that can be written again, for any input', () => {
    const random = seededRandom('written again');
    const below: Below = (limit) => Math.floor(random() * limit);
    let written = 0;
    for (let round = 0; round < FRAMES / 2; round += 1) {
      const frame = broken(objects[round % objects.length]!, below);
      const object = attempt(() => decodeObject(frame));
      if (object instanceof ProtobufError) continue;
      const again = decodeObject(encodeObject(object as Record<string, unknown>));
      expect(again, frame.toString('base64')).to.deep.equal(object);
      written += 1;
    }
    expect(written).to.be.greaterThan(100);
  });
});
