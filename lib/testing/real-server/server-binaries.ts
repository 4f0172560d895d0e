import { access, constants } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ListwatchError } from '../../kernel/failure/errors.ts';

/** Where the programs of a real API server are. */
export interface ServerBinaries {
  readonly apiServer: string;
  readonly etcd: string;
}

export interface ServerBinariesOptions {
  /** The folder with `kube-apiserver` and `etcd`. @defaultValue KUBEBUILDER_ASSETS, or where envtest keeps them */
  readonly binaries?: string | undefined;
  /** The path of an etcd elsewhere. */
  readonly etcd?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether etcd runs already. */
  readonly withoutEtcd: boolean;
}

/** @see controller-runtime pkg/internal/testing/process/bin_path_finder.go @ v0.25.2 */
const DEFAULT_FOLDER = '/usr/local/kubebuilder/bin';
const VARIABLE = 'KUBEBUILDER_ASSETS';

/** @throws {ListwatchError} code BINARIES_MISSING naming what is missing, where it was looked for, and how to get it. */
export async function serverBinaries(options: ServerBinariesOptions): Promise<ServerBinaries> {
  const { binaries, env, withoutEtcd } = options;
  const variable = env[VARIABLE];
  const folder = binaries ?? (variable === undefined || variable === '' ? undefined : variable);
  const place = resolve(folder ?? DEFAULT_FOLDER);
  const found = {
    apiServer: join(place, 'kube-apiserver'),
    etcd: resolve(options.etcd ?? join(place, 'etcd')),
  };
  const needed = withoutEtcd ? [found.apiServer] : [found.apiServer, found.etcd];
  const missing: string[] = [];
  for (const path of needed) if (!(await isExecutable(path))) missing.push(path);
  if (missing.length === 0) return found;
  const source =
    binaries === undefined && folder === undefined ? `${VARIABLE} is not set, and ` : '';
  throw new ListwatchError(
    'BINARIES_MISSING',
    `startRealApiServer: ${source}${missing.join(' and ')} ${missing.length === 1 ? 'is no program' : 'are no programs'}; ` +
      `set ${VARIABLE}, or the option binaries, to a folder with kube-apiserver and etcd: "setup-envtest use -p path" of controller-runtime downloads one and prints it`,
  );
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
