import { createReadStream } from 'node:fs';
import { errorMessage, ListwatchError } from '../../kernel/failure/errors.ts';
import { manifestInvalid, type Manifest } from '../../meta/manifests/manifest.ts';
import { objectsOf, parseManifests } from '../../meta/manifests/parse-manifests.ts';
import type { CommandHost } from '../contract/command.ts';
import { definitionOf, isDefinition, type Definition } from './definition.ts';

/** A larger file is a mistake: the definitions of large projects have 1 to 5 MB. */
const LARGEST_BYTES: number = 64 * 1024 * 1024;

/** Remedies for files that cannot be read. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; correct the path',
  EISDIR: 'is a folder; name the files in it',
  EACCES: 'may not be read by this user; correct its permissions',
};

/**
 * The definitions in manifest files, in their order; `-` is standard input. Other objects beside a definition are left out.
 * @throws {ListwatchError} code MANIFEST_INVALID naming the file, and the document and line in it.
 */
export async function readDefinitions(
  files: readonly string[],
  stdin: CommandHost['stdin'],
): Promise<readonly Definition[]> {
  const definitions: Definition[] = [];
  for (const file of files) {
    const name = file === '-' ? 'standard input' : file;
    const manifests = await parseManifests(await textOf(file, name, stdin), name);
    const found = manifests.filter(isDefinition);
    if (found.length === 0) throw noDefinition(name, manifests[0]);
    definitions.push(...found.map(definitionOf));
  }
  return definitions;
}

function noDefinition(name: string, first: Manifest | undefined): ListwatchError {
  const held =
    first === undefined ? 'nothing' : `${first.object.kind} of ${first.object.apiVersion}`;
  return manifestInvalid(
    first?.place ?? name,
    `it holds ${held}; name a file with a CustomResourceDefinition`,
  );
}

async function textOf(file: string, name: string, stdin: CommandHost['stdin']): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of file === '-' ? stdin() : createReadStream(file)) {
      pieces.push(piece as Uint8Array);
      bytes += (piece as Uint8Array).length;
      if (bytes > LARGEST_BYTES) throw new Error(`it is larger than ${LARGEST_BYTES} bytes`);
    }
  } catch (error) {
    const remedy = REMEDIES[(error as NodeJS.ErrnoException).code ?? ''];
    throw manifestInvalid(name, remedy ?? `cannot be read: ${errorMessage(error)}`, error);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/**
 * The definitions of a cluster, in the order of their names.
 * @throws {ListwatchError} for a configuration that cannot be used, and for requests that fail; FORBIDDEN names the missing rule.
 */
export async function clusterDefinitions(
  options: { readonly kubeconfig?: string | undefined; readonly context?: string | undefined },
  { env, homeDir, runtime, signal }: CommandHost,
): Promise<readonly Definition[]> {
  // Loaded here: files need no client.
  const { connect } = await import('../../client/rest/connect.ts');
  await using client = await connect({ ...options, env, homeDir, runtime });
  const resource = client.resource('apiextensions.k8s.io/v1', 'customresourcedefinitions');
  const { items } = await resource.listAll({ signal });
  const definitions = items.map((item) => {
    const [manifest] = objectsOf(item, `customresourcedefinition ${item.metadata.name}`);
    return definitionOf(manifest as Manifest);
  });
  if (definitions.length > 0) return definitions;
  throw new ListwatchError(
    'NOT_FOUND',
    'the cluster has no CustomResourceDefinition; name another --context, or files',
  );
}
