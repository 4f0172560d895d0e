/** The prefix of every encrypted value; no JSON, protobuf or CBOR begins with it. */
export const ENCRYPTED_PREFIX = 'k8s:enc:';

const PREFIX_BYTES = Buffer.from(ENCRYPTED_PREFIX);

/** Longer heads are shortened in messages. A head consists of the scheme, its version and the name of a key. */
const LONGEST_HEAD = 300;

export function isEncrypted(value: Uint8Array): boolean {
  return startsWith(value, PREFIX_BYTES);
}

export function startsWith(value: Uint8Array, prefix: Uint8Array): boolean {
  if (value.length < prefix.length) return false;
  for (let index = 0; index < prefix.length; index += 1) {
    if (value[index] !== prefix[index]) return false;
  }
  return true;
}

/** The readable head of an encrypted value, e.g. `k8s:enc:aesgcm:v1:key1:`, for messages. It contains no byte of the ciphertext. */
export function encryptionHead(value: Uint8Array): string {
  const start = Buffer.from(value.subarray(0, LONGEST_HEAD)).toString('latin1');
  return /^k8s:enc:[a-z0-9]+:v[a-z0-9]+:[\w.-]+:/.exec(start)?.[0] ?? ENCRYPTED_PREFIX;
}
