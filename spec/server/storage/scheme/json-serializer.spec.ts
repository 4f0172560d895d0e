import { expect } from 'chai';
import { JsonSerializer } from '../../../../lib/server/storage/scheme/json-serializer.ts';

describe('JsonSerializer', () => {
  it('recognises an object behind any white space', () => {
    const recognizes = (text: string): boolean =>
      new JsonSerializer().recognizes(Buffer.from(text));
    for (const text of ['{}', ' {"a":1}', '\n\t {"a":1}']) expect(recognizes(text)).to.equal(true);
    for (const text of ['', ' ', 'a: 1', 'k8s\0']) expect(recognizes(text)).to.equal(false);
  });
});
