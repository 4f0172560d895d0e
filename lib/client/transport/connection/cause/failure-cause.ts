import { certificateCause } from './certificate-cause.ts';
import { leavesOf, plainCause, textOf, type FailureLeaf } from './failure-leaf.ts';
import { http2Cause } from './http2-failure.ts';
import { networkCause } from './network-cause.ts';
import type { Peer } from './peer.ts';
import { tlsCause } from './tls-cause.ts';
import { tlsMaterialCause } from './tls-material.ts';

/** Why a connection failed. */
export interface FailureCause {
  readonly code: 'CONNECTION_REFUSED' | 'CONNECTION_FAILED' | 'CERTIFICATE';
  /** One line: the cause, the remedy, and in brackets the words of the system. */
  readonly text: string;
  /** Code and message of the inner errors, and nothing else of them. */
  readonly cause: Error;
}

/** Explains an error of a connection to `peer`. */
export function failureCause(error: unknown, peer: Peer): FailureCause {
  const leaves = leavesOf(error);
  const cause = plainCause(leaves);
  const words = textOf(leaves);
  for (const explain of [unusableMaterial, unverified, refused, handshake, network]) {
    for (const leaf of leaves) {
      const found = explain(leaf, peer);
      if (found === undefined) continue;
      const text = found.complete === true ? found.text : `${found.text} (${words})`;
      return { code: found.code, text, cause };
    }
  }
  return { code: 'CONNECTION_FAILED', text: `the connection failed: ${words}`, cause };
}

interface Explained {
  readonly code: FailureCause['code'];
  readonly text: string;
  /** The words of the system would repeat it. */
  readonly complete?: boolean | undefined;
}

/** Failures whose explanation has all that the system says, and more. */
const COMPLETE: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

function unusableMaterial(leaf: FailureLeaf): Explained | undefined {
  const text = tlsMaterialCause(leaf);
  return text === undefined ? undefined : { code: 'CERTIFICATE', text, complete: true };
}

function unverified(leaf: FailureLeaf, peer: Peer): Explained | undefined {
  const text = certificateCause(leaf, peer);
  if (text === undefined) return undefined;
  return { code: 'CERTIFICATE', text, complete: COMPLETE.has(leaf.code) };
}

function refused({ code }: FailureLeaf, { program, address }: Peer): Explained | undefined {
  if (code !== 'ECONNREFUSED') return undefined;
  const text = `nothing listens there; check that ${program} runs, and host and port of ${address}`;
  return { code: 'CONNECTION_REFUSED', text };
}

function handshake(leaf: FailureLeaf, peer: Peer): Explained | undefined {
  return tlsCause(leaf, peer);
}

function network(leaf: FailureLeaf, peer: Peer): Explained | undefined {
  const text = http2Cause(leaf.code) ?? networkCause(leaf, peer);
  return text === undefined ? undefined : { code: 'CONNECTION_FAILED', text };
}
