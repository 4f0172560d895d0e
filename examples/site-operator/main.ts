import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HANG_MS, openCluster, runProgram } from '../support/program.ts';
import { siteOperator, type SiteTypes } from './operator.ts';

const DEFINITION = join(import.meta.dirname, 'sites.yaml');

const ABOUT = `Runs the operator of operator.ts, and follows one site from its creation to its end.
Without --kubeconfig it uses a cluster in this process, whose pods become ready.
`;

await runProgram({
  name: 'site-operator',
  about: ABOUT,
  options: {},
  main: async (options, signal) => {
    await using cluster = await openCluster<SiteTypes>({
      ...options,
      fieldManager: 'sites',
      runsPods: true,
    });
    const { client, runsPods } = cluster;
    await client.applyAll(await readFile(DEFINITION, 'utf8'), { signal });
    const metadata = { name: `hello-${process.pid}`, namespace: client.namespace };
    const { name, namespace } = metadata;
    await using operator = siteOperator(client, { namespace });
    const running = operator.run({ signal });
    running.catch(() => {});

    const sites = client.resource('example.com/v1', 'sites', { namespace });
    const maps = client.resource('v1', 'configmaps', { namespace });
    const deployments = client.resource('apps/v1', 'deployments', { namespace });
    const limits = { timeoutMs: HANG_MS, signal };

    const spec = { greeting: 'good morning', replicas: 2 };
    await sites.create({ apiVersion: 'example.com/v1', kind: 'Site', metadata, spec });
    const published = await sites.wait(
      name,
      (site) => site?.status?.conditions !== undefined && (!runsPods || site.status.ready === 2),
      limits,
    );
    console.log(`created    ready: ${published?.status?.ready} of ${spec.replicas}`);
    console.log(`page       ${(await maps.get(name)).data?.['index.html']}`);

    await maps.delete(name);
    await maps.wait(name, (map) => map !== undefined, limits);
    console.log(`repaired   the config map that somebody deleted`);

    await sites.patch(name, { spec: { replicas: 3 } });
    await deployments.wait(name, (found) => found?.spec?.replicas === 3, limits);
    console.log(`scaled     the deployment to 3 replicas`);

    await sites.delete(name);
    await sites.wait(name, (site) => site === undefined, limits);
    const { data = {} } = await maps.get('sites');
    console.log(`deleted    in the directory: ${name in data ? 'yes' : 'no more'}`);

    await operator.close();
    await running;
    // A cluster collects what the site owned; a server without its controllers does not.
    for (const owned of [deployments, maps]) {
      await owned.deleteCollection({ labelSelector: `site=${name}`, signal });
    }
  },
});
