import type { InitializeHook, ResolveHook } from 'node:module';
import type { MessagePort } from 'node:worker_threads';

// The hooks of Node's loader that load the modules of a user anew. They run in a thread of their own.

/** The name of the part of a URL that says which copy of a module it is. */
export const COPY = 'simulation-copy';

let folders: readonly string[] = [];
let port: MessagePort | undefined;

/** The data of the hooks. */
export interface ModuleHooksData {
  /** The URLs of the folders of this package's code. */
  readonly folders: readonly string[];
  /** Gets each import, as an `ImportedModule`. */
  readonly port: MessagePort;
}

/** An import of a module. */
export interface ImportedModule {
  /** The URL of the module that has the import. */
  readonly parent: string;
  readonly specifier: string;
}

export const initialize: InitializeHook<ModuleHooksData> = (data) => {
  ({ folders, port } = data);
};

/** Imports of a copy are of the same copy, unless it is installed or belongs to this package. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const { parentURL: parent = '' } = context;
  const imported: ImportedModule = { parent, specifier };
  port?.postMessage(imported, []);
  const resolved = await next(specifier, context);
  const copy = copyOf(parent);
  if (copy === undefined || !isTheirs(resolved.url)) return resolved;
  return { ...resolved, url: withCopy(resolved.url, copy) };
};

function isTheirs(url: string): boolean {
  if (!url.startsWith('file:') || copyOf(url) !== undefined) return false;
  return !url.includes('/node_modules/') && !folders.some((folder) => url.startsWith(folder));
}

function copyOf(url: string): string | undefined {
  return new RegExp(`[?&]${COPY}=([0-9]+)`).exec(url)?.[1];
}

/** The URL of a copy. */
export function withCopy(url: string, copy: number | string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${COPY}=${copy}`;
}
