import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { npm } from '../package/packed-package.ts';
import { guideSections, type GuideSection } from './guide-sections.ts';
import { typeLine, unreadable, type Ended, type ShellOptions } from './error-streams.ts';
import { bareRoot } from './bare-root.ts';
import { NotAvailable } from './not-available.ts';
import { NODES, type Node, type Tool } from './tools.ts';

/** The line of a stack: a test that passes prints none. */
const FRAME = /\n +at .*:\d+:\d+\)?\n/;
/** Tools that get a program from elsewhere when they are first used, and cannot. */
const ELSEWHERE =
  /Downloading Electron binary(?=[^]*fetch failed)|https:\/\/dl\.deno\.land\/\S+(?=[^]*error sending request)/;
const EXPECTED = 'reconciled default';

/** The matrix is made in an empty folder outside of the checkout, whose packages would be found. */
export interface Workshop {
  readonly folder: string;
  readonly tarball: string;
}

const sections = new Map(guideSections().map((section) => [section.title, section]));
const nodes = new Map<Node, Promise<string>>();

export function sectionOf(title: string): GuideSection {
  const section = sections.get(title);
  if (section === undefined) throw new Error(`the guide has no section ${title}`);
  return section;
}

/** The folder with the program of a version of Node. */
export async function nodeFolder({ folder }: Workshop, node: Node): Promise<string> {
  let found = nodes.get(node);
  if (found === undefined) {
    const place = join(folder, `node-of-${node}`);
    found = install(place, [NODES[node]], {}).then(() =>
      join(place, 'node_modules', 'node', 'bin'),
    );
    nodes.set(node, found);
  }
  return await found;
}

/** Without what npm passes on, and without colours. */
export function plainEnvironment(path?: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_|^NODE_(?!EXTRA_CA_CERTS$)|^FORCE_COLOR$|^LISTWATCH_/i.test(name),
  );
  const PATH = path === undefined ? process.env['PATH'] : `${path}:${process.env['PATH']}`;
  return { ...Object.fromEntries(inherited), PATH, NO_COLOR: '1', CI: '1' };
}

/** Makes a project with these packages. @throws {NotAvailable} when the registry does not have them, or not for this machine. */
export async function install(
  folder: string,
  packages: readonly string[],
  manifest: object,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...manifest }));
  if (packages.length === 0) return;
  try {
    await npm(['install', '--silent', '--no-audit', '--no-fund', ...packages], folder);
  } catch (error) {
    throw new NotAvailable(firstLine(error), { cause: error });
  }
}

function firstLine(error: unknown): string {
  const [, ...lines] = String(error).split('\n');
  const shown = lines.map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trim());
  return shown.find((line) => line !== '')?.slice(0, 160) ?? String(error).slice(0, 160);
}

/** Makes the project of a tool. Returns its folder. */
export async function makeProject(workshop: Workshop, tool: Tool): Promise<string> {
  const { name, section, packages, commonjs = false, typescript = false } = tool;
  const folder = join(workshop.folder, name);
  await install(folder, packages, commonjs ? {} : { type: 'module' });
  // The package first in a folder of its own would hide a conflict with the tool.
  await npm(['install', '--silent', '--no-audit', '--no-fund', workshop.tarball], folder);
  const program = sectionOf('The program').files;
  for (const [path, text] of [...program, ...sectionOf(section).files]) {
    const isProgram = program.has(path) && typescript;
    const file = join(folder, isProgram ? path.replace(/\.js$/, '.ts') : path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}

/** Builds and runs the project of a tool. Returns why it failed; undefined when it did not. */
export async function tryTool(workshop: Workshop, tool: Tool): Promise<string | undefined> {
  const folder = await makeProject(workshop, tool);
  const node = tool.node === undefined ? [] : [await nodeFolder(workshop, tool.node)];
  // A runtime of a section is installed on the machine of its reader.
  const path = [...node, join(folder, 'node_modules', '.bin')].join(':');
  const options = { cwd: folder, env: plainEnvironment(path) };
  const lines = [...sectionOf(tool.section).lines];
  const last = lines.pop();
  if (last === undefined) throw new Error(`${tool.section}: there is no line to type`);
  for (const line of lines) {
    const ended = await typeLine(line, options);
    if (ended.code !== 0) return failed(line, ended);
  }
  if (tool.alone === true) renameSync(join(folder, 'node_modules'), join(folder, 'not-there'));
  const line = tool.bare === true ? await bareRoot(folder, 'out.cjs') : last;
  return await runProgram(line, options, tool.runsTests);
}

/** Types the line that runs a program: to a reconcile, and to an error. Returns why it failed. */
export async function runProgram(
  line: string,
  options: Omit<ShellOptions, 'into'>,
  runsTests: boolean = false,
): Promise<string | undefined> {
  const ended = await typeLine(line, options);
  if (ended.code !== 0) return failed(line, ended);
  if (runsTests && FRAME.test(ended.stderr)) {
    return `it passed with a stack: ${ended.stderr.slice(0, 2_000)}`;
  }
  if (!runsTests && !ended.stdout.includes(EXPECTED)) return failed(line, ended);
  return await unreadable(line, options, runsTests);
}

export function failed(line: string, { code, stdout, stderr }: Ended): string {
  const [address] = ELSEWHERE.exec(stdout + stderr) ?? [];
  if (address !== undefined) throw new NotAvailable(`it downloads a program: ${address}`);
  return `${line} ended with ${code}:\n${stdout.slice(-2_000)}${stderr.slice(-2_000)}`;
}

/** The version of the first package of a project. */
export function versionOf({ packages, node }: Tool): string {
  const [tool] = packages;
  if (node !== undefined && tool === undefined) return NODES[node].replace(/^node@/, '');
  return tool === undefined ? process.versions.node : tool.replace(/^.+@/, '');
}
