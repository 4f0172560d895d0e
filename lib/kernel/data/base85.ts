/** The digits of Z85, ZeroMQ RFC 32: none of them has to be escaped in a text of a program. */
export const BASE85_DIGITS =
  '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';

/** The bytes of a text in base 85, which has a quarter more characters than bytes; base64 has a third more. The last group may be shorter. */
export function bytesOfBase85(text: string): Buffer {
  const values = new Uint8Array(128);
  for (let value = 0; value < BASE85_DIGITS.length; value += 1) {
    values[BASE85_DIGITS.charCodeAt(value)] = value;
  }
  const missing = (5 - (text.length % 5)) % 5;
  const whole = text + BASE85_DIGITS.slice(-1).repeat(missing);
  const bytes = Buffer.allocUnsafe((whole.length / 5) * 4);
  for (let at = 0, to = 0; at < whole.length; to += 4) {
    let group = 0;
    for (const end = at + 5; at < end; at += 1) {
      group = group * 85 + (values[whole.charCodeAt(at)] as number);
    }
    bytes.writeUInt32BE(group, to);
  }
  return bytes.subarray(0, bytes.length - missing);
}
