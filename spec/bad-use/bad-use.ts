/** A mistake, and the error that it has. */
export interface BadUse {
  /** The mistake, for the page. */
  readonly mistake: string;
  /** Gets there; it throws or rejects, or returns the error that was reported. */
  readonly act: () => unknown;
  readonly code: string;
  /** Ports, folders and identifiers replaced as `normalised` does. */
  readonly message: string;
  /** The cause is an error of the program's own function, which has its own remedy. @defaultValue false */
  readonly own?: boolean;
}

/** The cases of one area of the package. */
export interface BadUseArea {
  readonly title: string;
  readonly cases: readonly BadUse[];
}

/** A secret that must not appear in any message. */
export const CANARY = 'canary-7d1f0c';

/** The error of a case. */
export async function errorOf(act: () => unknown): Promise<Error & { readonly code?: unknown }> {
  let reported: unknown;
  try {
    reported = await act();
  } catch (error) {
    reported = error;
  }
  if (reported instanceof Error) return reported;
  throw new Error(`there was no error, but ${String(reported)}`);
}

/** A message without what differs from run to run: ports and temporary folders. */
export function normalised(message: string): string {
  return message
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1:PORT')
    .replaceAll(/\/\S*\/listwatch-spec-[\w-]+/g, 'DIRECTORY')
    .replaceAll('getaddrinfo EAI_AGAIN', 'getaddrinfo ENOTFOUND')
    .replaceAll(/\bin \d+ ms\b/g, 'in N ms');
}
