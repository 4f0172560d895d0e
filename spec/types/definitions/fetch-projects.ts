import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorMessage } from '../../../lib/kernel/failure/errors.ts';
import { inTurn } from '../../compare/in-turn.ts';
import type { LeftOut } from './largest-definitions.ts';

const AT_A_TIME = 4;
/** Only a hang reaches this. */
const LONGEST_CLONE_MS = 900_000;
const PATTERNS = ['*.yaml', '*.yml', '*.md', '*_test.go'];

/**
 * Public projects with large definitions, and manifests for them: `owner/name` on GitHub, or `owner/name@branch` where the manifests of the
 * version whose definition is there are on a branch of their own.
 */
export const PROJECTS: readonly string[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'projects.json'), 'utf8'),
) as string[];

/**
 * Clones projects into a folder, each as `owner+name` or `owner+name@branch`: the newest commit, and only files of YAML and Markdown and
 * tests in Go. Those that are there already stay as they are.
 * @param from - the address, in which `{project}` stands for `owner/name`.
 * @returns the projects that cannot be had.
 */
export async function fetchProjects(
  folder: string,
  projects: readonly string[],
  from: string,
): Promise<LeftOut[]> {
  await mkdir(folder, { recursive: true });
  const failures = await inTurn(projects, AT_A_TIME, async (project): Promise<LeftOut[]> => {
    const path = join(folder, project.replaceAll('/', '+'));
    const [name = '', branch] = project.split('@');
    if (existsSync(path)) return [];
    try {
      await fetchProject(path, from.replaceAll('{project}', name), branch);
      return [];
    } catch (error) {
      return [{ place: project, reason: lastLine(errorMessage(error)) }];
    }
  });
  return failures.flat();
}

/** A clone that does not end leaves nothing that looks like a project. */
async function fetchProject(path: string, url: string, branch: string | undefined): Promise<void> {
  const part = `${path}.part`;
  await rm(part, { recursive: true, force: true });
  try {
    const at = branch === undefined ? [] : ['--branch', branch];
    const few = ['--depth', '1', '--filter=blob:none', '--no-checkout'];
    await git(['clone', '-q', ...few, ...at, url, part]);
    await git(['-C', part, 'sparse-checkout', 'set', '--no-cone', ...PATTERNS]);
    await git(['-C', part, 'checkout', '-q']);
    await rename(part, path);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

async function git(args: readonly string[]): Promise<void> {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
  await promisify(execFile)('git', args, { env, timeout: LONGEST_CLONE_MS });
}

function lastLine(message: string): string {
  return message.trim().split('\n').at(-1) as string;
}
