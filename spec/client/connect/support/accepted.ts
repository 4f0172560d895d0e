import { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The identity that a request shows. */
export interface Presented {
  readonly headers: IncomingHttpHeaders;
  /** The client certificate of the connection, whatever its authority and its time. */
  readonly certificate: X509Certificate | undefined;
}

/** Whether a front lets a request in. */
export type Accepted = (presented: Presented) => boolean;

/** One of these bearer tokens. */
export function bearer(...tokens: readonly string[]): Accepted {
  const values = new Set(tokens.map((token) => `Bearer ${token}`));
  return ({ headers }) => values.has(headers.authorization ?? '');
}

export function basic(user: string, password: string): Accepted {
  const value = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return ({ headers }) => headers.authorization === value;
}

/** A certificate that is valid now and of this authority, as an API server verifies it for each request. */
export function certificateOf(authority: string): Accepted {
  const issuer = new X509Certificate(authority);
  return ({ certificate }) => {
    if (certificate === undefined) return false;
    const now = Date.now();
    return (
      certificate.verify(issuer.publicKey) &&
      Date.parse(certificate.validFrom) <= now &&
      now <= Date.parse(certificate.validTo)
    );
  };
}

/** Accepted for itself, and acting as this user. */
export function impersonating(user: string, accepted: Accepted): Accepted {
  return (presented) => presented.headers['impersonate-user'] === user && accepted(presented);
}

export function anyOf(...all: readonly Accepted[]): Accepted {
  return (presented) => all.some((accepted) => accepted(presented));
}
