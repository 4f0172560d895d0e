import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { waitForCacheSync } from '../../../lib/cache/informer/factory/wait-for-cache-sync.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import type { ReflectorErrorContext } from '../../../lib/cache/reflector/options/reflector-report.ts';
import { RetryWatcher } from '../../../lib/cache/wait/retry-watcher.ts';
import { until } from '../../../lib/cache/wait/until.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { connectionFailure } from '../../../lib/client/transport/connection/connection-failure.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { pod, rejection } from '../../cache/support/objects.ts';
import { ANSWERS } from '../../client/rest/explain/recorded-answers.ts';
import { RecordedServer } from '../../client/rest/explain/recorded-server.ts';
import type { BadUse, BadUseArea } from '../bad-use.ts';

interface Followed {
  readonly answer?: string;
  readonly error?: Error;
  readonly apiVersion?: string;
  readonly resource?: string;
  readonly credential?: string;
}

/** The first log line of an informer whose server gives one answer, as an error with the code of the cause. */
const followed =
  ({ answer = 'noResource', error, apiVersion = 'v1', resource = 'pods', credential }: Followed) =>
  async (): Promise<unknown> => {
    const runtime = new VirtualRuntime();
    const server = new RecordedServer({ ...ANSWERS[answer]!, credential, runtime });
    if (error !== undefined) server.send = () => Promise.reject(error);
    const source = server.client.listerWatcher({ apiVersion, resource }, { namespace: 'shop' });
    const informer = new SharedIndexInformer({
      listerWatcher: source,
      runtime,
      logger: silentLogger,
    });
    let seen: ReflectorErrorContext | undefined;
    let code: unknown;
    informer.events.on('watch-error', (cause, context) => {
      seen ??= context;
      code ??= (cause as { code?: unknown }).code;
    });
    const run = rejection(informer.run());
    // An informer that goes on until it is closed has no rejection.
    run.catch(() => {});
    await runtime.advance(1_000);
    if (informer.failure !== undefined) return await run;
    await runtime.run(informer.close());
    return Object.assign(new Error(seen?.message), { code });
  };

function informerOf(options: object = {}): SharedIndexInformer<ReturnType<typeof pod>> {
  const listerWatcher = new ScriptedListerWatcher({ objects: [pod('a')], description: 'pods' });
  return new SharedIndexInformer({ listerWatcher, logger: silentLogger, ...options });
}

const factory = (options: object = {}): SharedInformerFactory =>
  new SharedInformerFactory(
    new Client({ transport: new RecordedServer({ status: 200, body: {} }) }),
    {
      logger: silentLogger,
      ...options,
    },
  );

const target = { server: 'https://10.0.0.1:6443', method: 'GET', path: '/api/v1/pods?watch=true' };

/** The error of a connection that the system reports with this code. */
function broken(code: string, message: string): Error {
  return connectionFailure(Object.assign(new Error(message), { code }), target);
}

const unreachable = broken('ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.1:6443');
const unresolved = broken('ENOTFOUND', 'getaddrinfo ENOTFOUND api.example.com');
const untrusted = broken('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate');
const outdated = broken('CERT_HAS_EXPIRED', 'certificate has expired');

const LOG_LINES: readonly BadUse[] = [
  {
    mistake: 'nothing listens',
    act: followed({ error: unreachable }),
    code: 'CONNECTION_REFUSED',
    message:
      'reflector pods in namespace shop (https://10.0.0.1:6443): nothing listens there; check that the API server runs, and host and port of the server address (connect ECONNREFUSED 10.0.0.1:6443); it asks for a streaming list in N ms.',
  },
  {
    mistake: 'a host name that does not resolve',
    act: followed({ error: unresolved }),
    code: 'CONNECTION_FAILED',
    message:
      'reflector pods in namespace shop (https://10.0.0.1:6443): the host name cannot be resolved; check the server address, VPN and DNS (getaddrinfo ENOTFOUND api.example.com); it asks for a streaming list in N ms.',
  },
  {
    mistake: 'a certificate of an unknown authority',
    act: followed({ error: untrusted }),
    code: 'CERTIFICATE',
    message:
      "reflector pods in namespace shop (https://10.0.0.1:6443): the certificate of the server is not signed by a known authority; give the cluster's certificate-authority (self-signed certificate); it lists from resource version 0 at once.",
  },
  {
    mistake: 'a certificate that has expired',
    act: followed({ error: outdated }),
    code: 'CERTIFICATE',
    message:
      'reflector pods in namespace shop (https://10.0.0.1:6443): a certificate of the server, or of its authority, has expired; renew it, or correct the clock of this machine; it lists from resource version 0 at once.',
  },
  {
    mistake: 'a token that is not accepted',
    act: followed({ answer: 'wrongToken', credential: 'the token in /run/token' }),
    code: 'UNAUTHORIZED',
    message:
      'reflector pods in namespace shop (https://10.0.0.1:6443): the server does not accept the token in /run/token; renew it: it has expired, or is for another cluster; it lists from resource version 0 at once.',
  },
  {
    mistake: 'no rule to list and watch',
    act: followed({ answer: 'mayNotListHere', resource: 'configmaps' }),
    code: 'FORBIDDEN',
    message:
      'reflector configmaps in namespace shop (https://10.0.0.1:6443): user "dev" may not list configmaps; add {apiGroups: [""], resources: ["configmaps"], verbs: ["list","watch"]} to a Role in namespace "default"; it lists from resource version 0 at once.',
  },
  {
    mistake: 'a misspelled resource',
    act: followed({ apiVersion: 'apps/v1', resource: 'deploymnets' }),
    code: 'NOT_FOUND',
    message:
      'reflector deploymnets.apps in namespace shop (https://10.0.0.1:6443): apps/v1 serves no "deploymnets"; did you mean "deployments"? It lists from resource version 0 at once.',
  },
  {
    mistake: 'a definition that is not installed',
    act: followed({ answer: 'noGroup', apiVersion: 'example.com/v1', resource: 'crontabs' }),
    code: 'NOT_FOUND',
    message:
      'reflector crontabs.example.com in namespace shop (https://10.0.0.1:6443): the server does not serve the group "example.com"; install the CustomResourceDefinition, or correct apiVersion and plural name; it lists from resource version 0 at once.',
  },
  {
    mistake: 'a namespace for nodes',
    act: followed({ resource: 'nodes' }),
    code: 'NOT_FOUND',
    message:
      'reflector nodes in namespace shop (https://10.0.0.1:6443): nodes has no namespaces: leave the namespace out; it lists from resource version 0 at once.',
  },
  {
    mistake: 'a field selector that the resource does not support',
    act: followed({ answer: 'unsupportedField' }),
    code: 'BAD_REQUEST',
    message:
      'list pods in namespace "shop" (GET https://10.0.0.1:6443/api/v1/namespaces/shop/pods): field label not supported: spec.x; select by labels, or by metadata.name and metadata.namespace',
  },
  {
    mistake: 'a resource that cannot be listed',
    act: followed({ answer: 'createWithoutNamespace', resource: 'bindings' }),
    code: 'METHOD_NOT_ALLOWED',
    message:
      'list bindings in namespace "shop" (GET https://10.0.0.1:6443/api/v1/namespaces/shop/bindings): bindings does not offer list; it offers create',
  },
];

export const LOG: BadUseArea = { title: 'Log lines of informers', cases: LOG_LINES };

export const INFORMERS: BadUseArea = {
  title: 'Informers',
  cases: [
    {
      mistake: 'no lister-watcher',
      act: () => new SharedIndexInformer({} as never),
      code: 'INVALID_OPTION',
      message: 'SharedIndexInformer: option "listerWatcher" is required',
    },
    {
      mistake: 'a misspelled option',
      act: () => informerOf({ indexes: {} }),
      code: 'INVALID_OPTION',
      message: 'SharedIndexInformer: unknown option "indexes"; did you mean "indexers"?',
    },
    {
      mistake: 'a misspelled option of a factory',
      act: () => factory({ namespce: 'shop' }),
      code: 'INVALID_OPTION',
      message: 'SharedInformerFactory: unknown option "namespce"; did you mean "namespace"?',
    },
    {
      mistake: 'a transform that is no function',
      act: () => informerOf({ transform: 'metadata' }),
      code: 'INVALID_OPTION',
      message: 'SharedIndexInformer: option "transform" must be a function, not a string',
    },
    {
      mistake: 'an unknown policy for a missing resource',
      act: () => informerOf({ missingResource: 'ignore' }),
      code: 'INVALID_OPTION',
      message: `SharedIndexInformer: option "missingResource" must be 'wait' or 'fail', not "ignore"`,
    },
    {
      mistake: 'an interval below 0',
      act: () => informerOf({ resyncIntervalMs: -1 }),
      code: 'INVALID_OPTION',
      message:
        'SharedIndexInformer: option "resyncIntervalMs" must be a number of at least 0, not -1',
    },
    {
      mistake: 'an index by the name of the one that exists',
      act: () => informerOf({ indexers: { namespace: () => [] } }),
      code: 'INDEX_CONFLICT',
      message: 'every informer has an index "namespace" already; give yours another name',
    },
    {
      mistake: 'a handler that is none',
      act: () => informerOf().addHandler({ onAdded: () => {} } as never),
      code: 'INVALID_OPTION',
      message: 'handler-1 is no event handler: it must have onAdd, onUpdate or onDelete',
    },
    {
      mistake: 'a wait for an informer that was not started',
      act: () => informerOf().whenSynced(),
      code: 'NOT_STARTED',
      message:
        'cannot wait for the first list of pods, which has not been started: call start() of its factory, or run(), before the wait or in the same task',
    },
    {
      mistake: 'a wait for a factory that was not started',
      act: () => factory().whenSynced(),
      code: 'NOT_STARTED',
      message: 'the informers have not been started: call start()',
    },
    {
      mistake: 'a second run',
      act: async () => {
        await using informer = informerOf();
        const first = informer.run();
        try {
          await informer.run();
        } finally {
          await informer.close();
          await first;
        }
      },
      code: 'ALREADY_STARTED',
      message: 'the informer pods runs already; run it once, or make another one',
    },
    {
      mistake: 'a run after the end',
      act: async () => {
        const informer = informerOf();
        await informer.close();
        await informer.run();
      },
      code: 'CLOSED',
      message: 'the informer pods has stopped; make a new one',
    },
    {
      mistake: 'a handler after the end',
      act: async () => {
        const informer = informerOf();
        await informer.close();
        informer.addHandler({ onAdd: () => {} });
      },
      code: 'CLOSED',
      message: 'handler-1: the informer pods has stopped; make a new one',
    },
    {
      mistake: 'an informer of a factory that is closed',
      act: async () => {
        const closed = factory();
        await closed.close();
        closed.for('v1', 'pods');
      },
      code: 'CLOSED',
      message: 'no informer of pods: the factory is closed; make a new one',
    },
    {
      mistake: 'one collection with two options',
      act: () => {
        const one = factory();
        one.for('v1', 'pods', { resyncIntervalMs: 60_000 });
        one.for('v1', 'pods', { resyncIntervalMs: 90_000 });
      },
      code: 'INVALID_OPTION',
      message:
        'the informer pods exists with another option "resyncIntervalMs"; ask for it with the same one, or make a SharedIndexInformer of your own',
    },
    {
      mistake: 'a label selector of a bad syntax',
      act: () => factory().for('v1', 'pods', { labelSelector: 'app in (web' }),
      code: 'INVALID_SELECTOR',
      message: 'label selector "app in (web": expected ")", found the end at position 11',
    },
    {
      mistake: 'an index that does not exist',
      act: () => informerOf().indexer.byIndex('byNode', 'node-1'),
      code: 'UNKNOWN_INDEX',
      message: 'there is no index "byNode"; known are: namespace',
    },
    {
      mistake: 'a first list that does not come',
      own: true,
      act: async () => {
        const runtime = new VirtualRuntime();
        const listerWatcher = new ScriptedListerWatcher({ runtime, description: 'pods' });
        listerWatcher.hangNext('watch-list', 9);
        const informer = new SharedIndexInformer({ listerWatcher, runtime, logger: silentLogger });
        void informer.run();
        try {
          await runtime.run(
            waitForCacheSync([informer], { timeoutMs: 5_000, runtime, logger: silentLogger }),
          );
        } finally {
          await runtime.run(informer.close());
        }
      },
      code: 'TIMEOUT',
      message:
        'gave up after 5000 ms waiting for 1 of 1 caches: the first list of pods (streaming-list)',
    },
    {
      mistake: 'a watch without a version',
      act: () =>
        new RetryWatcher({ listerWatcher: new ScriptedListerWatcher({}), resourceVersion: '' }),
      code: 'INVALID_OPTION',
      message:
        'RetryWatcher: option "resourceVersion" must name a place in history, not "": list first, and take the resource version of the list',
    },
    {
      mistake: 'a wait for something that is no informer',
      act: () => until({} as never, { name: 'web', timeoutMs: 1 } as never),
      code: 'INVALID_OPTION',
      message:
        'until: the first argument must be an informer, a stream of events or a ListerWatcher',
    },
  ],
};
