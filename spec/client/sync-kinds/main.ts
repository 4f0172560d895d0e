/** `npm run check -- sync-kinds`: every resource of a server in an informer, in every mode, beside a list of the server. */
import { parseArgs } from 'node:util';
import { connect } from '../../../lib/client/rest/connect.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';

const USAGE = `npm run check -- sync-kinds --kubeconfig FILE [options]

  --kubeconfig FILE  the server; the current context. The user has to be allowed to list and watch everything
  --seconds N        how long each informer watches after it was synced; 5 unless given
  --help             shows this

Each resource that can be listed and watched is synced by a streaming list, by a list, by pages of two objects, and as metadata
alone. Keys that differ from those of a list, and lists after the first one, are printed; the exit code is 1 if there are any.`;

const MODES = {
  'streaming list': { watchList: true },
  list: { watchList: false },
  'pages of two': { watchList: false, pageSize: 2 },
  metadata: { metadataOnly: true },
} as const;

const SYNC_TIMEOUT_MS = 60_000;

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || values.kubeconfig === undefined) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  await using client = await connect({ kubeconfig: values.kubeconfig });
  const { gitVersion } = await client.version();
  let problems = 0;
  for (const [mode, options] of Object.entries(MODES)) {
    const found = await syncAll(client, options, Number(values.seconds) * 1000);
    for (const problem of found.problems) console.log(`${mode}: ${problem}`);
    console.log(
      `${gitVersion}, ${mode}: ${found.resources} resources, ${found.objects} objects, ${found.problems.length} differences, ${found.relists} relists`,
    );
    problems += found.problems.length + found.relists;
  }
  if (problems > 0) process.exitCode = 1;
}

interface Found {
  readonly resources: number;
  readonly objects: number;
  readonly relists: number;
  readonly problems: readonly string[];
}

async function syncAll(
  client: Client,
  options: (typeof MODES)[keyof typeof MODES],
  watchMs: number,
): Promise<Found> {
  await using informers = new SharedInformerFactory(client);
  const all = [];
  for (const { apiVersion, resource, verbs } of await client.discovery.resources()) {
    if (!verbs.includes('watch') || !verbs.includes('list')) continue;
    all.push({ apiVersion, resource, informer: informers.for(apiVersion, resource, options) });
  }
  informers.start();
  await informers.whenSynced({ timeoutMs: SYNC_TIMEOUT_MS });
  await new Promise((resolve) => setTimeout(resolve, watchMs));
  const problems: string[] = [];
  let [objects, relists] = [0, 0];
  for (const { apiVersion, resource, informer } of all) {
    const listed = await client.resource(apiVersion, resource, { namespace: undefined }).list();
    const wanted = listed.items.map(({ metadata }) =>
      [metadata.namespace, metadata.name].filter(Boolean).join('/'),
    );
    const keys = new Set(
      informer.lister
        .list()
        .map(({ metadata }) => [metadata.namespace, metadata.name].filter(Boolean).join('/')),
    );
    const different = [
      ...wanted.filter((key) => !keys.has(key)).map((key) => `${key} is missing`),
      ...[...keys].filter((key) => !wanted.includes(key)).map((key) => `${key} is too many`),
    ];
    problems.push(...different.map((one) => `${apiVersion} ${resource}: ${one}`));
    objects += keys.size;
    relists += informer.inspect().relists;
  }
  return { resources: all.length, objects, relists, problems };
}
