import { connect, controller, withLabels } from 'listwatch';
import { ApiServer } from 'listwatch/server';
import { HANG_MS, openCluster, runProgram } from './support/program.ts';

const ABOUT = `Copies config maps with the label copy=yes from one cluster to another, and removes the copies of
deleted ones. Each of the two is an API server in this process, if no option names it.

  --to NAME           the context of the second cluster
`;

await runProgram({
  name: 'clusters',
  about: ABOUT,
  options: { to: { type: 'string' } },
  main: async ({ to, ...options }, signal) => {
    await using from = await openCluster({ ...options, fieldManager: 'clusters' });
    await using server = to === undefined ? new ApiServer() : undefined;
    await server?.listen();
    const second = server?.clientConfig() ?? { kubeconfig: options.kubeconfig, context: to };
    await using target = await connect({ ...second, fieldManager: 'clusters' });
    const example = `clusters-${process.pid}`;
    const { namespace } = from.client;
    const copies = target.resource('v1', 'configmaps', { namespace });

    // A controller reads one cluster. This one writes to another.
    await using copier = controller(from.client, 'v1', 'configmaps', { namespace })
      .where(withLabels(`copy=yes,example=${example}`))
      .finalizer('example.com/copy', async ({ metadata }, { signal }) => {
        await copies.delete(metadata.name, { ignoreNotFound: true, signal });
      })
      .reconcile(async ({ metadata: { name }, data }, { signal }) => {
        const copy = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data } as const;
        await copies.apply(copy, { signal, force: true });
      });
    const running = copier.run({ signal });
    running.catch(() => {});

    const originals = from.client.resource('v1', 'configmaps', { namespace });
    const limits = { timeoutMs: HANG_MS, signal };
    const metadata = { name: example, labels: { copy: 'yes', example } };
    await originals.create({ metadata, data: { color: 'green' } });
    const copy = await copies.wait(example, (found) => found !== undefined, limits);
    console.log(`copied   color ${copy?.data?.['color']}`);
    await originals.patch(example, { data: { color: 'red' } });
    const later = await copies.wait(example, (found) => found?.data?.['color'] === 'red', limits);
    console.log(`changed  color ${later?.data?.['color']}`);
    await originals.delete(example);
    await originals.wait(example, (found) => found === undefined, limits);
    const left = await copies.list({ fieldSelector: `metadata.name=${example}`, signal });
    console.log(`deleted  copies that are left: ${left.items.length}`);
    await copier.close();
    await running;
  },
});
