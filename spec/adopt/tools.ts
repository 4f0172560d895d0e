/** A project of the matrix: a section of the guide with one tool in one version. */
export interface Tool {
  /** For `--only`. */
  readonly name: string;
  readonly section: string;
  /** The package whose version is shown, and all that the project installs. The first one is the tool; pinned, so that a run gives the same result tomorrow. */
  readonly packages: readonly string[];
  /** The version of Node. @defaultValue the one that runs the check */
  readonly node?: Node;
  /** The files of the program are TypeScript. */
  readonly typescript?: boolean;
  /** The project has no `"type": "module"`. */
  readonly commonjs?: boolean;
  /** A passing run prints no stack, and its result is the exit code. */
  readonly runsTests?: boolean;
  /** Where no packages are: the bundle has to be complete. */
  readonly alone?: boolean;
  /** In a root of its own, which has Node and the file alone, as a user without a name and a home. */
  readonly bare?: boolean;
}

export type Node = keyof typeof NODES;

/** The packages of npm with the programs of Node, which an install script gets for the platform. */
export const NODES = {
  20: 'node@20.19.5',
  22: 'node@22.23.3',
  24: 'node@24.21.0',
  26: 'node@26.10.0',
} as const;

const ESBUILD = 'esbuild@0.28.2';
const NODE_TYPES = '@types/node@20.19.43';
const JEST = 'jest@30.5.2';
const TYPESCRIPT = 'typescript@5.9.3';

export const TOOLS: readonly Tool[] = [
  { name: 'node-20', section: 'The program', packages: [], node: 20 },
  { name: 'node-22', section: 'The program', packages: [], node: 22 },
  { name: 'node-24', section: 'The program', packages: [], node: 24 },
  { name: 'node-26', section: 'The program', packages: [], node: 26 },
  { name: 'esbuild-cjs', section: 'esbuild, CommonJS', packages: [ESBUILD], alone: true },
  { name: 'esbuild-esm', section: 'esbuild, ESM', packages: [ESBUILD], alone: true },
  {
    name: 'webpack',
    section: 'webpack',
    packages: ['webpack@5.112.2', 'webpack-cli@7.3.1'],
    alone: true,
  },
  {
    name: 'rollup',
    section: 'rollup',
    packages: [
      'rollup@4.68.5',
      '@rollup/plugin-commonjs@29.0.3',
      '@rollup/plugin-json@6.1.0',
      '@rollup/plugin-node-resolve@16.0.3',
    ],
    alone: true,
  },
  { name: 'vite-ssr', section: 'Vite SSR', packages: ['vite@8.3.8'], alone: true },
  { name: 'electron', section: 'Electron', packages: ['electron@45.3.4'] },
  { name: 'lambda', section: 'AWS Lambda', packages: [ESBUILD], alone: true },
  {
    name: 'sea',
    section: 'A single executable of Node',
    packages: [ESBUILD],
    node: 26,
    alone: true,
  },
  { name: 'bun', section: 'Bun', packages: ['bun@1.4.4'] },
  { name: 'bun-compile', section: 'Bun, compiled', packages: ['bun@1.4.4'], alone: true },
  { name: 'deno', section: 'Deno', packages: ['deno@2.9.6'] },
  { name: 'deno-compile', section: 'Deno, compiled', packages: ['deno@2.9.6'], alone: true },
  {
    name: 'jest',
    section: 'jest',
    packages: [JEST, 'babel-jest@30.5.2', '@babel/preset-env@7.28.5', '@babel/core@7.28.5'],
    runsTests: true,
  },
  { name: 'jest-esm', section: 'jest, ESM', packages: [JEST], runsTests: true },
  {
    name: 'ts-jest',
    section: 'ts-jest',
    packages: ['ts-jest@29.4.15', JEST, TYPESCRIPT, '@types/jest@30.0.0', NODE_TYPES],
    typescript: true,
    runsTests: true,
  },
  { name: 'vitest', section: 'vitest', packages: ['vitest@4.1.12', 'vite@8.3.8'], runsTests: true },
  { name: 'node-test', section: 'node:test', packages: [], runsTests: true },
  { name: 'mocha', section: 'mocha', packages: ['mocha@12.0.3'], runsTests: true },
  {
    name: 'tsc-node16',
    section: 'TypeScript, node16 and nodenext',
    packages: [TYPESCRIPT, NODE_TYPES],
    typescript: true,
  },
  {
    name: 'tsc-bundler',
    section: 'TypeScript, bundler',
    packages: [TYPESCRIPT, NODE_TYPES, ESBUILD],
    typescript: true,
    alone: true,
  },
  {
    name: 'tsc-node10',
    section: 'TypeScript, node10',
    packages: [TYPESCRIPT, NODE_TYPES],
    typescript: true,
    commonjs: true,
  },
  {
    name: 'distroless',
    section: 'Distroless images',
    packages: [ESBUILD],
    alone: true,
    bare: true,
  },
  {
    name: 'peers',
    section: 'Optional peers in a bundle',
    packages: [ESBUILD, 'ws@8.23.0'],
    alone: true,
  },
];
