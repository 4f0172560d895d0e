import { connect, SharedInformerFactory, type Client, type KubernetesObject } from 'listwatch';
import { ApiServer } from 'listwatch/server';
import { parseOptions, runProgram } from './support/command-line.ts';
import { aborted, HANG_MS } from './support/until.ts';

const USAGE = `Prints pods that are added, updated and deleted.

  --kubeconfig FILE   default: KUBECONFIG, ~/.kube/config, or the service account of the pod
  --context NAME      default: the current context
  --namespace NAME    default: all namespaces
  --embedded          use an API server in this process, with a pod that comes and goes
  --debug             show the stack trace of a failure
  --help              show this`;

interface Pod extends KubernetesObject {
  readonly spec: { readonly containers: readonly { name: string; image: string }[] };
  readonly status?: { readonly phase?: string };
}

const phase = ({ status }: Pod): string => status?.phase ?? 'Unknown';

async function watchPods(
  client: Client,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  await using informers = new SharedInformerFactory(client, { signal });
  const pods = informers.for<Pod>('v1', 'pods', { namespace });
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
  await aborted(signal);
}

/** Creates, updates and deletes a pod, since there is no cluster to watch. */
async function comeAndGo(client: Client): Promise<void> {
  const pods = client.resource<Pod>('v1', 'pods', { namespace: 'default' });
  const spec = { containers: [{ name: 'web', image: 'nginx:1.27.4-alpine' }] };
  await pods.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
  await pods.patch('web', { status: { phase: 'Running' } }, { subresource: 'status' });
  await pods.delete('web', { gracePeriodSeconds: 0 });
}

await runProgram({
  name: 'watch-pods',
  main: async (signal) => {
    const { help, embedded, kubeconfig, context, namespace } = parseOptions({
      kubeconfig: { type: 'string' },
      context: { type: 'string' },
      namespace: { type: 'string' },
      embedded: { type: 'boolean' },
    });
    if (help === true) return console.log(USAGE);
    await using server = embedded === true ? new ApiServer() : undefined;
    await server?.listen();
    await using client = await connect(server?.clientConfig() ?? { kubeconfig, context });
    // An informer would keep trying; a user at a terminal wants the error at once.
    await client.resource<Pod>('v1', 'pods', { namespace }).list({ limit: 1, signal });
    const watching = watchPods(client, namespace, signal);
    if (embedded === true) await comeAndGo(client);
    await watching;
  },
});
