/**
 * `node --import ./spec/bench/as-installed.mjs`: loads TypeScript as the package is installed, without types and nothing else changed.
 * tsx also gives each function and class its name again whenever one is made, which takes 7 % of the time of a create. A program that
 * asks for tsx, as that of an older checkout does, gets this loader in its place.
 */
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transform } from 'esbuild';

if (isMainThread) register(import.meta.url);

export async function resolve(specifier, context, next) {
  return specifier === 'tsx'
    ? { url: import.meta.url, shortCircuit: true }
    : next(specifier, context);
}

export async function load(url, context, next) {
  if (!/\.m?ts$/.test(url)) return next(url, context);
  const source = readFileSync(fileURLToPath(url), 'utf8');
  const { code } = await transform(source, { loader: 'ts', format: 'esm', target: 'node20.19' });
  return { format: 'module', source: code, shortCircuit: true };
}
