import { isListwatchError } from 'listwatch';
import { loadManifests } from '../../../examples/support/manifests.ts';

/** What became of one folder. */
export type Outcome =
  | { readonly objects: readonly { kind: string; name: string; place: string }[] }
  | { readonly code: string; readonly message: string };

async function read(folder: string): Promise<Outcome> {
  try {
    const manifests = await loadManifests(folder);
    const objects = manifests.map(({ object, place }) => ({
      kind: object.kind,
      name: object.metadata.name,
      place,
    }));
    return { objects };
  } catch (error) {
    if (!isListwatchError(error)) throw error;
    return { code: error.code, message: error.message };
  }
}

// The examples import the package by its name, which mocha's process resolves to the built files.
console.log(JSON.stringify(await Promise.all(process.argv.slice(2).map(read))));
