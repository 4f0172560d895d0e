import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from './registry.ts';
import { typeLine } from './error-streams.ts';
import {
  failed,
  install,
  nodeFolder,
  plainEnvironment,
  runProgram,
  sectionOf,
  type Workshop,
} from './project.ts';
import type { Node } from './tools.ts';

/** A package manager, in a project that has other versions of the optional peers. */
export interface Manager {
  readonly name: string;
  readonly specifier: string;
  readonly node?: Node;
  /** Files of the project beside the program. */
  readonly files?: Readonly<Record<string, string>>;
  /** Its lines, the last of which runs the program. `$TOOL` is the folder of its package, `$TARBALL` the package. */
  readonly lines: readonly string[];
}

/** Versions that the package does not work with: they must not block an install. */
const OTHER_PEERS = { ws: '7.5.10', protobufjs: '8.0.0' };
const YARN = 'node $TOOL/@yarnpkg/cli-dist/bin/yarn.js';
const YARN_RC = 'enableTelemetry: false\nenableImmutableInstalls: false\n';

export const MANAGERS: readonly Manager[] = [
  {
    name: 'npm',
    specifier: 'npm@11.19.1',
    lines: ['npm install --silent --no-audit --no-fund $TARBALL', 'node main.js'],
  },
  {
    name: 'pnpm',
    specifier: 'pnpm@12.4.2',
    node: 22,
    // Of the other packages: pnpm runs none without a question, and fails.
    lines: ['$TOOL/.bin/pnpm add --ignore-scripts $TARBALL', 'node main.js'],
  },
  {
    name: 'yarn-node-modules',
    specifier: '@yarnpkg/cli-dist@4.18.1',
    files: { '.yarnrc.yml': `${YARN_RC}nodeLinker: node-modules\n`, 'yarn.lock': '' },
    lines: [`${YARN} add listwatch@file:$TARBALL`, 'node main.js'],
  },
  {
    name: 'yarn-pnp',
    specifier: '@yarnpkg/cli-dist@4.18.1',
    files: { '.yarnrc.yml': `${YARN_RC}nodeLinker: pnp\n`, 'yarn.lock': '' },
    lines: [`${YARN} add listwatch@file:$TARBALL`, `${YARN} node main.js`],
  },
  {
    name: 'deno-install',
    specifier: 'deno@2.9.6',
    // It takes no tarball.
    lines: ['$TOOL/.bin/deno install npm:listwatch', '$TOOL/.bin/deno run -A main.js'],
  },
];

/** Installs the package with a manager, and runs the program. Returns why that failed. */
export async function tryManager(
  workshop: Workshop,
  manager: Manager,
): Promise<string | undefined> {
  const tools = join(workshop.folder, `${manager.name}-tool`);
  await install(tools, [manager.specifier], {});
  const folder = join(workshop.folder, manager.name);
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, type: 'module', dependencies: OTHER_PEERS };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const files = { ...Object.fromEntries(sectionOf('The program').files), ...manager.files };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  const path = manager.node === undefined ? undefined : await nodeFolder(workshop, manager.node);
  await using registry = await Registry.start(workshop.tarball);
  const env = {
    ...plainEnvironment(path),
    NPM_CONFIG_REGISTRY: registry.url,
    TOOL: join(tools, 'node_modules'),
    TARBALL: workshop.tarball,
  };
  const lines = [...manager.lines];
  const last = lines.pop() ?? '';
  for (const line of lines) {
    const ended = await typeLine(line, { cwd: folder, env });
    if (ended.code !== 0) return failed(line, ended);
  }
  return await runProgram(last, { cwd: folder, env });
}
