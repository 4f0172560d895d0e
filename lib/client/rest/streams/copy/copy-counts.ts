import { plainText } from '../../../../kernel/text/plain-text.ts';

/** The extent of a copy. */
export interface CopyReport {
  readonly files: number;
  readonly bytes: number;
  /** Links and special files that were left out, at most 1,000. */
  readonly skipped: readonly string[];
}

/** The bounds of one copy. */
export interface CopyBounds {
  readonly links: 'fail' | 'skip';
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** A copy that was refused, without the request. */
export class CopyRefusal extends Error {
  readonly code: 'COPY_FAILED' | 'RESPONSE_TOO_LARGE';
  readonly remedy: string;

  constructor(code: CopyRefusal['code'], problem: string, remedy: string) {
    super(problem);
    this.code = code;
    this.remedy = remedy;
  }
}

const LONGEST_PATH = 200;
const MOST_SKIPPED = 1_000;

/** Counts what one copy has moved, and keeps its bounds. */
export class CopyCounts {
  readonly #bounds: CopyBounds;
  readonly #skipped: string[] = [];
  #files = 0;
  #members = 0;
  #bytes = 0;

  constructor(bounds: CopyBounds) {
    this.#bounds = bounds;
  }

  get report(): CopyReport {
    return { files: this.#files, bytes: this.#bytes, skipped: this.#skipped };
  }

  /** Before anything of it is moved. @throws {CopyRefusal} */
  add(isFile: boolean, size: number): void {
    const { maxBytes } = this.#bounds;
    this.#count();
    if (isFile) this.#files += 1;
    this.#bytes += size;
    if (this.#bytes > maxBytes) {
      const problem = `the files have more than maxBytes, ${maxBytes} bytes`;
      throw new CopyRefusal('RESPONSE_TOO_LARGE', problem, 'copy less, or raise maxBytes');
    }
  }

  /** @throws {CopyRefusal} unless such files are skipped. */
  skip(path: string, what: 'link' | 'special file'): void {
    if (this.#bounds.links === 'fail') {
      const problem = `${shownPath(path)} is a ${what}`;
      throw new CopyRefusal('COPY_FAILED', problem, "leave such files out with links: 'skip'");
    }
    this.#count();
    if (this.#skipped.length < MOST_SKIPPED) this.#skipped.push(path);
  }

  #count(): void {
    const { maxFiles } = this.#bounds;
    this.#members += 1;
    if (this.#members <= maxFiles) return;
    const problem = `there are more than maxFiles, ${maxFiles} files and folders`;
    throw new CopyRefusal('RESPONSE_TOO_LARGE', problem, 'copy less, or raise maxFiles');
  }
}

export function shownPath(path: string): string {
  return plainText(path, LONGEST_PATH);
}
