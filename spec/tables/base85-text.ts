import { BASE85_DIGITS } from '../../lib/kernel/data/base85.ts';

/** Bytes as a text that `bytesOfBase85` reads. */
export function base85Text(bytes: Uint8Array): string {
  const missing = (4 - (bytes.length % 4)) % 4;
  const whole = Buffer.concat([bytes, Buffer.alloc(missing)]);
  let text = '';
  for (let at = 0; at < whole.length; at += 4) {
    let group = whole.readUInt32BE(at);
    let digits = '';
    for (let digit = 0; digit < 5; digit += 1) {
      digits = BASE85_DIGITS.charAt(group % 85) + digits;
      group = Math.floor(group / 85);
    }
    text += digits;
  }
  return text.slice(0, text.length - missing);
}
