import { isError } from '../../../../kernel/failure/errors.ts';
import { plainText } from '../../../../kernel/text/plain-text.ts';
import type { FailedRequest } from '../../../../meta/api-call.ts';
import type { ChannelProcess } from '../command/pod-process.ts';
import { PodStreamError } from '../pod/pod-stream-error.ts';
import { runCommand } from '../command/run-command.ts';
import { CopyCounts, CopyRefusal, type CopyBounds, type CopyReport } from './copy-counts.ts';
import type { ContainerPath } from './copy-paths.ts';
import { pack } from './pack.ts';
import { TarError } from './tar-reader.ts';
import { unpack } from './unpack.ts';

/** One copy: the program `tar` in the container, and the path on this machine. */
export interface CopyParts {
  readonly process: ChannelProcess;
  readonly local: string;
  readonly remote: ContainerPath;
  readonly bounds: CopyBounds;
  readonly request: FailedRequest;
}

/** The part of standard error that is kept for a message. */
const MOST_WORDS_BYTES = 64 * 1024;
const LONGEST_WORDS = 300;

/** The command whose output is read. A leading `./` keeps a name from being an option. */
export function packCommand({ folder, name }: ContainerPath): readonly string[] {
  return ['tar', 'cf', '-', '-C', folder, `./${name}`];
}

/** The command that reads the archive. Times are those of the copy, and owners the user of the container. */
export function unpackCommand({ folder }: ContainerPath): readonly string[] {
  return ['tar', 'xmf', '-', '-C', folder];
}

export async function copyFromPod(parts: CopyParts): Promise<CopyReport> {
  const { process, local, remote, bounds, request } = parts;
  const words: Buffer[] = [];
  let bytes = 0;
  process.stderr.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= MOST_WORDS_BYTES) words.push(piece);
  });
  const checkEnd = async (): Promise<void> =>
    checkExit(await process.exited, Buffer.concat(words).toString('utf8'), request);
  let report: CopyReport;
  try {
    report = await unpack(process.stdout, { base: remote.name, target: local, bounds });
  } catch (error) {
    // A program that has ended too early says why.
    if (error instanceof TarError && process.stdout.readableEnded) await checkEnd();
    process.destroy(error);
    throw copyFailure(error, request);
  }
  await checkEnd();
  return report;
}

export async function copyToPod(parts: CopyParts): Promise<CopyReport> {
  const { process, local, remote, bounds, request } = parts;
  const counts = new CopyCounts(bounds);
  const stdin = pack(local, remote.name, counts);
  try {
    const { exitCode, stderr } = await runCommand(process, {
      stdin,
      maxOutputBytes: MOST_WORDS_BYTES,
      request,
    });
    checkExit(exitCode, stderr, request);
  } catch (error) {
    throw copyFailure(error, request);
  }
  return counts.report;
}

function checkExit(exitCode: number, stderr: string, request: FailedRequest): void {
  if (exitCode === 0) return;
  const words = plainText(stderr.trim(), LONGEST_WORDS);
  const problem = `tar ended with ${exitCode}${words === '' ? '' : `: ${words}`}`;
  const remedy = 'check the path and the rights of the user of the container, and that it has tar';
  throw new PodStreamError({ code: 'COPY_FAILED', problem, remedy }, request);
}

/** Errors of the file system of this machine have the path. */
function copyFailure(error: unknown, request: FailedRequest): unknown {
  if (error instanceof CopyRefusal) {
    const { code, message: problem, remedy } = error;
    return new PodStreamError({ code, problem, remedy }, request, error);
  }
  const isLocal = isError(error) && 'syscall' in error;
  if (!isLocal && !(error instanceof TarError)) return error;
  const problem = plainText(error.message, LONGEST_WORDS);
  const remedy = isLocal ? 'check the path on this machine' : 'check that the container has tar';
  return new PodStreamError({ code: 'COPY_FAILED', problem, remedy }, request, error);
}
