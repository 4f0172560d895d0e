import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { asBuffer } from '../../../../kernel/data/as-buffer.ts';
import type { FailedRequest } from '../../../../meta/api-call.ts';
import type { ChannelProcess } from './pod-process.ts';
import { PodStreamError } from '../pod/pod-stream-error.ts';
import type { ExecResult, StdinSource } from '../pod/pod-stream-options.ts';

export interface RunOptions {
  readonly stdin: StdinSource | undefined;
  readonly maxOutputBytes: number;
  readonly request: FailedRequest;
}

/** Feeds a command and reads its outputs to the end. @throws the error of `exited`, and that of the source of the input. */
export async function runCommand(
  process: ChannelProcess,
  { stdin, maxOutputBytes, request }: RunOptions,
): Promise<ExecResult> {
  let bytes = 0;
  const take = (stream: Readable): readonly Buffer[] => {
    const pieces: Buffer[] = [];
    stream.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= maxOutputBytes) pieces.push(piece);
      else process.destroy(tooMuch(maxOutputBytes, request));
    });
    return pieces;
  };
  const [out, err] = [take(process.stdout), take(process.stderr)];
  if (stdin !== undefined) void feed(process, stdin);
  const ended = Promise.all([process.stdout, process.stderr].map(end));
  const exitCode = await process.exited;
  await ended;
  return { exitCode, stdout: text(out), stderr: text(err) };
}

/** A command may end before it has read all; an error of the source ends the command. */
async function feed(process: ChannelProcess, source: StdinSource): Promise<void> {
  const { stdin } = process;
  if (typeof source === 'string') stdin.end(source);
  else if (source instanceof Uint8Array) stdin.end(asBuffer(source));
  else {
    let failure: unknown;
    const guarded = async function* (): AsyncGenerator<string | Uint8Array> {
      try {
        yield* source;
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    try {
      await pipeline(guarded, stdin);
    } catch {
      if (failure !== undefined) process.destroy(failure);
    }
  }
}

function end(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once('close', resolve);
  });
}

function text(pieces: readonly Buffer[]): string {
  return Buffer.concat(pieces).toString('utf8');
}

function tooMuch(maxOutputBytes: number, request: FailedRequest): PodStreamError {
  const problem = `the command printed more than maxOutputBytes, ${maxOutputBytes} bytes`;
  const remedy = 'call spawn and read its streams, or raise maxOutputBytes';
  return new PodStreamError({ code: 'RESPONSE_TOO_LARGE', problem, remedy }, request);
}
