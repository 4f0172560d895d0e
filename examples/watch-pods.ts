import { once } from 'node:events';
import { connect, SharedInformerFactory, type Client } from 'listwatch';
import { ApiServer } from 'listwatch/server';
import type { CoreV1 } from 'listwatch/types';
import { HANG_MS, runProgram } from './support/program.ts';

const ABOUT = `Prints pods that are added, updated and deleted. Without --kubeconfig it uses KUBECONFIG, ~/.kube/config, or
the service account of the pod.

  --namespace NAME    default: all namespaces
  --embedded          use an API server in this process, with a pod that comes and goes`;

const phase = ({ status }: CoreV1.Pod): string => status?.phase ?? 'Unknown';

async function watchPods(
  client: Client,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  await using informers = new SharedInformerFactory(client, { signal });
  const pods = informers.for('v1', 'pods', { namespace });
  pods.addHandler({
    onAdd: (pod, { key }) => console.log(`+ ${key}  ${phase(pod)}`),
    onUpdate: (old, pod, { key }) => {
      if (phase(old) !== phase(pod)) console.log(`~ ${key}  ${phase(old)} -> ${phase(pod)}`);
    },
    onDelete: (pod, { key }) => console.log(`- ${key}  ${phase(pod)}`),
  });
  informers.start();
  await informers.whenSynced({ timeoutMs: HANG_MS, signal });
  console.log(`pods on ${client.server}: ${pods.lister.list().length}; Ctrl-C ends`);
  if (!signal.aborted) await once(signal, 'abort');
}

/** Creates, updates and deletes a pod, so that there is something to watch. */
async function comeAndGo(client: Client): Promise<void> {
  const pods = client.resource('v1', 'pods', { namespace: 'default' });
  const spec = { containers: [{ name: 'web', image: 'nginx:1.27.4-alpine' }] };
  await pods.create({ metadata: { name: 'web' }, spec });
  await pods.patch('web', { status: { phase: 'Running' } }, { subresource: 'status' });
  await pods.delete('web', { gracePeriodSeconds: 0 });
}

await runProgram({
  name: 'watch-pods',
  about: ABOUT,
  options: { namespace: { type: 'string' }, embedded: { type: 'boolean' } },
  main: async ({ embedded, kubeconfig, context, namespace }, signal) => {
    await using server = embedded === true ? new ApiServer() : undefined;
    await server?.listen();
    await using client = await connect(server?.clientConfig() ?? { kubeconfig, context });
    // An informer keeps trying. At a terminal, an error is wanted at once.
    await client.resource('v1', 'pods', { namespace }).list({ limit: 1, signal });
    const watching = watchPods(client, namespace, signal);
    if (embedded === true) await comeAndGo(client);
    await watching;
  },
});
