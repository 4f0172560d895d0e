import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A directory that is gone after the spec. */
export class ScratchDirectory implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<ScratchDirectory> {
    return new ScratchDirectory(await mkdtemp(join(tmpdir(), 'listwatch-spec-')));
  }

  /** Writes a file and returns its path. */
  async write(name: string, text: string): Promise<string> {
    const path = join(this.path, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  }

  /** Replaces a file in one step, so that no reader sees a part of it. Returns its path. */
  async replace(name: string, text: string): Promise<string> {
    const path = join(this.path, name);
    await rename(await this.write(`${name}.next`, text), path);
    return path;
  }

  async read(name: string): Promise<string> {
    return await readFile(join(this.path, name), 'utf8');
  }

  /** Whether there is a file of this name. */
  async has(name: string): Promise<boolean> {
    return await access(join(this.path, name)).then(
      () => true,
      () => false,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
