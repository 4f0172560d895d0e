import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { mutated, type Mutation } from './mutation.ts';

const NOT_COPIED: ReadonlySet<string> = new Set([
  '.git',
  '.tmp',
  '.bench',
  '.tools',
  'coverage',
  'dist',
  'node_modules',
]);

/** A copy of the repository, below its `.tmp`, in which mutants are planted: the tree itself is never changed. */
export class TreeCopy implements Disposable {
  readonly folder: string;

  constructor(root: string) {
    const parent = join(root, '.tmp', 'mutants');
    mkdirSync(parent, { recursive: true });
    this.folder = mkdtempSync(join(parent, 'tree-'));
    for (const name of readdirSync(root)) {
      if (!NOT_COPIED.has(name)) {
        cpSync(join(root, name), join(this.folder, name), { recursive: true });
      }
    }
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** Runs `work` with the mutant in place, and puts the file back whatever comes of it. */
  async with<R>(file: string, mutation: Mutation, work: () => Promise<R>): Promise<R> {
    const path = join(this.folder, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, mutated(text, mutation));
    try {
      return await work();
    } finally {
      writeFileSync(path, text);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
