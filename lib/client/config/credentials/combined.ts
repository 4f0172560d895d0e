import { Credential, type CredentialSource } from '../../transport/contract/credential.ts';

/**
 * Several credentials presented together: for example a client certificate for TLS and a token in the header. Of two headers or
 * two certificates the first one counts.
 *
 * Guarantees: the same object is returned while the parts are the same objects. After a 401 each part looks for another one.
 * @see client-go transport/round_trippers.go, transport.go TLSConfigFor @ 32ce75a7: both are presented
 */
export function combined(sources: readonly CredentialSource[]): CredentialSource {
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return only;
  const source = sources.map((one) => one.source).join(' and ');
  /** The parts of a credential made here, which `refresh` gives back to their sources. */
  const partsOf = new WeakMap<Credential, readonly Credential[]>();
  let last: Credential | undefined;
  let lastParts: readonly Credential[] = [];

  const together = (parts: readonly Credential[]): Credential => {
    if (last !== undefined && parts.every((part, index) => part === lastParts[index])) return last;
    const header = parts.find((part) => part.authorization !== undefined);
    const certificate = parts.find((part) => part.cert !== undefined);
    const { cert, key } = certificate ?? {};
    last = new Credential({ authorization: header?.authorization, cert, key, source });
    lastParts = parts;
    partsOf.set(last, parts);
    return last;
  };

  return {
    source,
    current: (signal) => {
      const parts = sources.map((one) => one.current(signal));
      if (parts.every((part) => part instanceof Credential)) return together(parts);
      return Promise.all(parts.map(async (part) => await part)).then(together);
    },
    refresh: async (rejected, signal) => {
      const old = partsOf.get(rejected);
      if (old === undefined) return undefined;
      const parts = await Promise.all(
        sources.map(async (one, index) => {
          const part = old[index] as Credential;
          return (await one.refresh?.(part, signal)) ?? part;
        }),
      );
      const next = together(parts);
      return next.equals(rejected) ? undefined : next;
    },
  };
}
