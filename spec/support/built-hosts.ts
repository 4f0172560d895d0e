import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { BUNDLE } from '../package/bundled-packages.ts';
import { ROOT } from '../package/manifest.ts';
import { placedSource } from './plain-programs.ts';

/** Below `lib`: the programs of simulations, and what the modules import that they run. */
const ENTRIES = [
  'simulator/host/host-program',
  'simulator/parallel/plan-worker',
  'simulator/isolation/guard-thread',
  'simulator/isolation/module-hooks',
  'simulator/define-simulation',
  'index',
];

/** Places that a bundle does not keep, by file: the text in the source, and what stands for it. */
function changesOf(folder: string): Readonly<Record<string, readonly [string, string]>> {
  const simulator = pathToFileURL(join(folder, 'simulator', '/')).href;
  return {
    // Frames of the bundle are those of this package.
    'user-place.ts': [
      'return [sources];',
      `return [sources, ${JSON.stringify(join(folder, '/'))}];`,
    ],
    'guarded-process.ts': [
      'pathToFileURL(`${sources}simulator/${path}.ts`)',
      `new URL(\`\${path}.mjs\`, ${JSON.stringify(simulator)})`,
    ],
  };
}

function placed(folder: string): Plugin {
  const changes = changesOf(folder);
  return {
    name: 'placed',
    setup: (asked) => {
      asked.onLoad({ filter: /[\\/]lib[\\/].*\.ts$/ }, ({ path }) => {
        let contents = placedSource(path);
        const [, change] = Object.entries(changes).find(([name]) => path.endsWith(name)) ?? [];
        if (change !== undefined) {
          if (!contents.includes(change[0])) throw new Error(`${path} has no ${change[0]}`);
          contents = contents.replace(change[0], () => change[1]);
        }
        return { contents, loader: 'ts', resolveDir: dirname(path) };
      });
    },
  };
}

/**
 * Bundles the programs in which specs simulate modules. They start in a third of the time that they take through tsx, which loads each
 * file of `lib`. Returns the module that makes these processes use the bundle, for `--import`: simulations pass it on to them.
 * @param folder below the checkout, so that packages are found
 */
export async function builtHosts(folder: string): Promise<string> {
  await build({
    ...BUNDLE,
    entryPoints: ENTRIES.map((path) => `lib/${path}.ts`),
    outbase: 'lib',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    keepNames: true,
    plugins: [placed(folder)],
  });
  const places = ENTRIES.map((path) => [
    pathToFileURL(join(ROOT, 'lib', `${path}.ts`)).href,
    pathToFileURL(join(folder, `${path}.mjs`)).href,
  ]);
  const hooks = join(folder, 'hooks.mjs');
  const root = JSON.stringify(pathToFileURL(join(folder, '/')).href);
  writeFileSync(
    hooks,
    `const root = ${root};\nconst places = new Map(${JSON.stringify(places)});${HOOKS}`,
  );
  const preload = join(folder, 'preload.mjs');
  writeFileSync(preload, PRELOAD);
  return preload;
}

const HOOKS = `
import { readFile } from 'node:fs/promises';

export const resolve = async (specifier, context, next) => {
  const resolved = await next(specifier, context);
  const place = places.get(resolved.url);
  if (place !== undefined) return { ...resolved, url: place, format: 'module' };
  if (/\\/lib\\/.*\\.ts(?:\\?|$)/.test(resolved.url) && !resolved.url.includes('/node_modules/')) {
    throw new Error(resolved.url + ' is not in the bundle of spec/support/built-hosts.ts: add it');
  }
  return resolved;
};

export const load = async (url, context, next) =>
  url.startsWith(root)
    ? { format: 'module', source: await readFile(new URL(url)), shortCircuit: true }
    : await next(url, context);
`;

/** Other processes that inherit it work as without it. What is registered last comes first: tsx would compile the bundle again. */
const PRELOAD = `
import { register } from 'node:module';

if (/(?:host-program|plan-worker)\\.(?:ts|mjs)$/.test(process.argv[1] ?? '')) {
  await import('tsx');
  register('./hooks.mjs', import.meta.url);
}
`;

/** Bundles `delays.ts` for `--require`, as the processes that it is for have no loader of TypeScript. Returns its path. */
export async function builtDelays(folder: string): Promise<string> {
  const outfile = join(folder, 'delays.cjs');
  const entryPoints = [join(import.meta.dirname, 'delays.ts')];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'cjs' });
  return outfile;
}
