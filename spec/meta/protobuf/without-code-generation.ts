/** Decodes and encodes all recorded objects in a process that may not generate code; see `object-codec.spec.ts`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { mayGenerateCode } from '../../../lib/meta/protobuf/wire/code-generation.ts';
import { decodeObject, encodeObject } from '../../../lib/meta/protobuf/object-codec.ts';

const [, ...lines] = readFileSync(join(import.meta.dirname, 'recorded.jsonl'), 'utf8')
  .trim()
  .split('\n');
let right = 0;
for (const line of lines) {
  const { path, json, protobuf } = JSON.parse(line) as {
    readonly path: string;
    readonly json: UnstructuredObject;
    readonly protobuf: string;
  };
  if (path.includes('watch=1')) continue;
  const decoded = decodeObject(Buffer.from(protobuf, 'base64'));
  const isRight =
    isDeepStrictEqual(decoded, json) && encodeObject(json).toString('base64') === protobuf;
  if (isRight) right += 1;
}
console.log(JSON.stringify({ mayGenerateCode: mayGenerateCode(), right }));
