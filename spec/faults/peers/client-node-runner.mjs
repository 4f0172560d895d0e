// Runs an informer of @kubernetes/client-node as its documentation shows it, and reports on stdout, one JSON document a line, what
// its handlers get and, whenever it has changed, what its cache shows. It ends with its stdin. Nothing is caught here: what
// kills it, kills it.

const { entry, server, token, namespace, restartMs, badHandler } = JSON.parse(process.argv[2]);
const { CoreV1Api, KubeConfig, makeInformer } = await import(entry);

const LOOK_EVERY_MS = 20;

const report = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const keyOf = ({ metadata }) => `${metadata.namespace}/${metadata.name}`;

const config = new KubeConfig();
config.loadFromOptions({
  clusters: [{ name: 'faults', server, skipTLSVerify: true }],
  users: [{ name: 'faults', token }],
  contexts: [{ name: 'faults', cluster: 'faults', user: 'faults' }],
  currentContext: 'faults',
});
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
  api.listNamespacedConfigMap({ namespace }),
);

const misbehaviours = {
  throws: () => {
    throw new Error('the handler has a bug');
  },
  hangs: () => new Promise(() => {}),
  slow: () => new Promise((resolve) => setTimeout(resolve, 20)),
};
const misbehave = misbehaviours[badHandler];
for (const type of ['add', 'update', 'delete']) {
  if (misbehave !== undefined) informer.on(type, misbehave);
  informer.on(type, (object) => {
    report({ type, key: keyOf(object), resourceVersion: object.metadata.resourceVersion });
  });
}
informer.on('error', (error) => {
  report({ type: 'error', message: String(error?.message ?? error) });
  if (restartMs !== undefined) setTimeout(() => informer.start(), restartMs);
});

let cached = '';
const reportCache = () => {
  const objects = informer
    .list(namespace)
    .map((object) => [keyOf(object), object.metadata.resourceVersion]);
  const text = JSON.stringify(objects);
  if (text === cached) return;
  cached = text;
  report({ type: 'cache', objects });
};
// A cache can change without a notification.
setInterval(reportCache, LOOK_EVERY_MS);
process.stdin.on('end', () => process.exit(0)).resume();

await informer.start();
