import { rejects } from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { errorMessage, ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { fileError } from '../../../lib/kernel/failure/file-error.ts';

function failure(code: string, message: string, syscall?: string): Error {
  return Object.assign(new Error(message), { code, ...(syscall === undefined ? {} : { syscall }) });
}

const textOf = (error: Error): string =>
  errorMessage(fileError('RECORDING_FILE', 'a.listwatch was not written', error));

describe('the error of a file', () => {
  it('has what failed, the cause and the remedy, in one line', () => {
    const readOnly = failure(
      'EROFS',
      "EROFS: read-only file system, open '/a.bcdfghjk.tmp'",
      'open',
    );
    expect(textOf(readOnly)).to.equal(
      'a.listwatch was not written: EROFS: read-only file system; nothing can be written there: name another place',
    );
    expect(fileError('RECORDING_FILE', 'x', readOnly)).to.include({
      code: 'RECORDING_FILE',
      cause: readOnly,
    });
    const full = failure('ENOSPC', 'ENOSPC: no space left on device, write', 'write');
    expect(textOf(full)).to.match(/: ENOSPC: no space left on device; free space on its disk/);
    expect(textOf(failure('EACCES', 'EACCES: permission denied'))).to.match(
      /EACCES: permission denied; this process has no right to it: name another place$/,
    );
    expect(textOf(failure('EIO', 'EIO: i/o error, write', 'write'))).to.equal(
      'a.listwatch was not written: EIO: i/o error',
    );
  });

  it('is the same each time for a file beside it that has a new name', async () => {
    const texts: string[] = [];
    for (const name of ['bcd', 'fgh']) {
      await rejects(open(join(tmpdir(), 'listwatch-no-such-folder', name)), (error: Error) => {
        texts.push(textOf(error));
        return true;
      });
    }
    expect(texts[0]).to.include('ENOENT: no such file or directory; correct the path');
    expect(texts[1]).to.equal(texts[0]);
  });

  it('leaves errors that do not concern the file as they are', () => {
    const others = [
      new TypeError('not of a file'),
      new ListwatchError('ABORTED', 'stopped'),
      failure('ABORT_ERR', 'The operation was aborted'),
      new DOMException('The operation was aborted', 'AbortError'),
      'text',
    ];
    for (const other of others)
      expect(fileError('RECORDING_FILE', 'it ended', other)).to.equal(other);
  });
});
