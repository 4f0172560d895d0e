import { expect } from 'chai';
import {
  derElements,
  derIdentifier,
} from '../../../../lib/server/api/certificates/client-certificates.ts';
import * as der from '../../../../lib/kernel/certificates/der.ts';

function read(...bytes: readonly number[]): readonly (readonly [number, string])[] {
  return derElements(Buffer.from(bytes)).map(({ tag, content }) => [tag, content.toString('hex')]);
}

describe('the elements in a row of bytes', () => {
  it('are each tag with its content, one after the other', () => {
    expect(read()).to.deep.equal([]);
    expect(read(5, 0)).to.deep.equal([[5, '']]);
    expect(read(2, 1, 7, 0x30, 3, 2, 1, 9)).to.deep.equal([
      [2, '07'],
      [0x30, '020109'],
    ]);
  });

  it('have lengths of one byte, or of up to four more', () => {
    for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
      const text = 'x'.repeat(length);
      const [element, ...others] = derElements(der.utf8String(text));
      expect(element?.content.toString(), String(length)).to.equal(text);
      expect(others).to.deep.equal([]);
    }
    expect(read(4, 0x84, 0, 0, 0, 1, 9)).to.deep.equal([[4, '09']]);
  });

  it('are none where the bytes end within one', () => {
    for (const bytes of [
      [5],
      [4, 1],
      [4, 2, 1],
      [5, 0, 4, 1],
      [4, 0x81, 2, 1],
      [4, 0x84, 255, 255, 255, 255],
    ]) {
      expect(() => read(...bytes), String(bytes)).to.throw('the bytes end within an element');
    }
  });

  it('are none with a length that is open, cut off, or of more than four bytes', () => {
    for (const bytes of [
      [0x30, 0x80, 0, 0],
      [4, 0x81],
      [4, 0x82, 1],
      [4, 0x85, 0, 0, 0, 0, 1, 9],
      [4, 0xff, 1, 1],
    ]) {
      expect(() => read(...bytes), String(bytes)).to.throw(
        'the length of an element cannot be read',
      );
    }
  });
});

describe('the dotted form of an object identifier', () => {
  it('is that with which it was written', () => {
    for (const dotted of [
      '0.9.2342',
      '1.2.840.113549.1.1.11',
      '1.3.6.1.4.1.57683.2',
      '2.5.29.37',
      '2.999.1',
    ]) {
      const [element] = derElements(der.objectIdentifier(dotted));
      expect(derIdentifier(element?.content ?? Buffer.alloc(0))).to.equal(dotted);
    }
  });

  it('is without a part that is cut off, and 0.0 of no bytes', () => {
    expect(derIdentifier(Buffer.of(0x55, 29, 0x86))).to.equal('2.5.29');
    expect(derIdentifier(Buffer.alloc(0))).to.equal('0.0');
  });
});
