import { finished, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createUnzip } from 'node:zlib';
import { onAbort } from '../../../kernel/time/abort.ts';
import type { StreamDecoding } from './stream-body.ts';
import { TransportError, type ExchangeTarget } from '../contract/transport-error.ts';

/** A body may grow to this size whatever came over the network, bytes: the largest frame of a watch. */
const FREE_BYTES = 64 * 1024 * 1024;
/** Beyond it, it may have this many times the bytes that came. Lists of pods have 5 to 30 times, and deflate reaches 1,032 times. */
const MOST_TIMES = 256;

/**
 * One piece of the decoder, bytes. With Node's 16 KiB a list takes twice the time, and each open stream keeps one.
 */
const PIECE_BYTES = 64 * 1024;

/** Everything that has come is decoded at once, also without the end of the compressed data. */
const SYNC = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH } as const;
const BROTLI_SYNC = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
} as const;

interface Decoder extends Transform {
  /** Compressed bytes that were decoded. */
  readonly bytesWritten: number;
}

export interface UnpackedStreamOptions {
  /** The body as it comes over the network. */
  readonly packed: Readable;
  /** The header `content-encoding`. */
  readonly encoding: unknown;
  readonly target: ExchangeTarget;
  /** Ends the exchange: bytes that were received and not decoded are dropped. */
  readonly signal: AbortSignal;
}

/** A body without its compression. */
export interface UnpackedStream extends StreamDecoding {
  /** Destroying it destroys the packed stream. */
  readonly stream: Readable;
  /** The failure of the decoder in its own words; undefined for other errors. */
  readonly failureOf: (error: unknown) => TransportError | undefined;
}

/**
 * Decodes a body while it comes; undefined if it is not compressed, or in an unknown way.
 *
 * Guarantees:
 * - What the server has flushed is there at once, also from several gzip members after each other, as kube-apiserver sends them.
 * - A slow reader slows the sender down; a bounded part of the body is decoded ahead.
 * - When the connection breaks, what came before it is returned before the error is thrown, unless the exchange was aborted.
 * - A body of more than 64 MiB and 256 times the bytes that came fails with RESPONSE_TOO_LARGE, damaged bytes with CONNECTION_FAILED.
 */
export function unpackedStream({
  packed,
  encoding,
  target,
  signal,
}: UnpackedStreamOptions): UnpackedStream | undefined {
  const decoder = decoderOf(encoding);
  if (decoder === undefined) return undefined;
  packed.pipe(decoder);
  const broken = endTogether(packed, decoder, signal);
  let grown = 0;
  return {
    stream: decoder,
    broken,
    check: (piece) => {
      grown += piece.length;
      if (grown <= FREE_BYTES + MOST_TIMES * decoder.bytesWritten) return;
      decoder.destroy(grewTooMuch(target, grown, decoder.bytesWritten));
    },
    failureOf: (error) => {
      if (error instanceof TransportError && error.code === 'RESPONSE_TOO_LARGE') return error;
      return damaged(error, target, decoder.bytesWritten);
    },
  };
}

function decoderOf(encoding: unknown): Decoder | undefined {
  switch (typeof encoding === 'string' ? encoding.toLowerCase() : undefined) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return createUnzip({ ...SYNC, chunkSize: PIECE_BYTES });
    case 'br':
      return createBrotliDecompress({ ...BROTLI_SYNC, chunkSize: PIECE_BYTES });
    default:
      return undefined;
  }
}

/** Each of the two streams ends with the other. Returns the error of the packed stream, after which the decoder ends. */
function endTogether(
  packed: Readable,
  decoder: Decoder,
  signal: AbortSignal,
): () => Error | undefined {
  let broken: Error | undefined;
  // The packed stream may have ended before the decoder is read.
  const release = onAbort(signal, () => decoder.destroy(signal.reason as Error));
  finished(packed, { writable: false }, (error) => {
    if (error === null || error === undefined || decoder.destroyed) return;
    broken = error;
    decoder.end();
  });
  // It may end before the packed stream, at bytes that are no part of the compressed data.
  decoder.once('end', () => decoder.destroy());
  decoder.once('close', () => {
    release();
    packed.destroy();
  });
  return () => broken;
}

function grewTooMuch(target: ExchangeTarget, grown: number, came: number): TransportError {
  const problem =
    `the compressed answer has grown to ${grown} bytes from ${came}, more than ${MOST_TIMES} times; ` +
    'streams are asked for uncompressed from now on';
  return new TransportError('RESPONSE_TOO_LARGE', target, problem);
}

/** Errors of zlib have these codes. */
const DECODER_CODES = /^(?:Z_|ERR_(?:_ERROR_FORMAT|BROTLI|PADDING))/;

function damaged(error: unknown, target: ExchangeTarget, came: number): TransportError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as Error & { code?: unknown };
  if (typeof code !== 'string' || !DECODER_CODES.test(code)) return undefined;
  const problem =
    `the compressed answer is damaged after ${came} bytes: ${error.message}; check the proxies on the way; ` +
    'streams are asked for uncompressed from now on';
  return new TransportError('CONNECTION_FAILED', target, problem, { cause: error });
}
