import { later, yes, type FeatureRow } from './feature-row.ts';

/** Requests and credentials. */
export const clientRows: readonly FeatureRow[] = [
  yes(
    86,
    'A limit on requests: none until the server refuses some, then one that adapts, or a fixed one',
    'client/transport/flow/limited-transport.ts',
    [
      'client/transport/flow/limited-transport.spec.ts',
      'LimitedTransport with a fixed limit sends the burst at once, and then so many a second, in the order in which they came',
    ],
  ),
  yes(
    87,
    'A request that was refused for a time is sent again after that time',
    'client/transport/flow/retry.ts',
    [
      'client/transport/flow/retry.spec.ts',
      'RetryingTransport waits as long as the server asks, and hands on the answer of a later try',
    ],
  ),
  yes(
    88,
    'Retry-After may be a date, and never makes the client wait longer than a limit',
    'client/transport/flow/retry.ts',
    [
      'client/transport/flow/retry.spec.ts',
      'retryAfterMs reads seconds and all three forms of an HTTP date',
    ],
  ),
  later(
    89,
    'Protobuf for built-in kinds, in the client',
    'The embedded server speaks it, and both legs share the decoders. JSON that stays bytes until it is read is faster here today than client-go is with protobuf; the client asks for protobuf when that is measured to be faster still.',
  ),
  later(
    90,
    'CBOR',
    'It is alpha and off by default in Kubernetes 1.36; no server that users have answers with it.',
  ),
  yes(
    91,
    'Credential plug-ins (EKS, GKE, AKS and others)',
    'client/config/credentials/exec/exec-credential-source.ts',
    [
      'client/config/credentials/exec/exec-credential-source.spec.ts',
      'ExecCredentialSource runs the plug-in again ten seconds before the credential expires',
    ],
  ),
  yes(92, 'A token file is read again when it changes', 'client/config/credentials/token-file.ts', [
    'client/config/credentials/token-file.spec.ts',
    'tokenFile looks at the file again after a second',
  ]),
  yes(
    93,
    'Client certificates and authorities rotate without a restart',
    'client/config/credentials/certificate-files.ts',
    [
      'client/config/credentials/certificate-files.spec.ts',
      'certificateFiles presents a new pair a second after both files were replaced',
    ],
  ),
  yes(
    94,
    'Impersonation of user, uid, groups and extra fields',
    'client/transport/request-credentials.ts',
    [
      'client/transport/request-credentials.spec.ts',
      'impersonation names user, uid, groups and extra in the headers that a server reads',
    ],
  ),
  yes(
    95,
    'Server-side apply with types: a part of the object, with its type and name',
    'meta/apply-configuration.ts',
    [
      'client/rest/typed-apply.spec.ts',
      'the type of what is applied takes any part of the object with its type and name, and no field that the kind lacks',
    ],
  ),
  yes(
    96,
    'A change is made again from the newest state after a conflict',
    'client/rest/helpers/retry-on-conflict.ts',
    [
      'client/rest/helpers/create-or-update.spec.ts',
      'ResourceClient.createOrUpdate starts over from the new state after a conflict',
    ],
  ),
  yes(
    97,
    'A client whose writes are all dry runs (`dryRun`), or of one field manager (`fieldManager`)',
    'client/rest/request/dry-run-transport.ts',
    [
      'client/rest/request/dry-run-transport.spec.ts',
      'a client with dryRun stores nothing by any verb, and gets the answers',
    ],
  ),
  yes(
    98,
    'Discovery reads two documents, and each again only when it has changed',
    'client/rest/discovery/discovery-source.ts',
    [
      'client/rest/discovery/discovery.spec.ts',
      'Discovery reads two documents with all resources, and remembers them',
    ],
  ),
  yes(
    99,
    'Events with series and counts, and a limit for each object',
    'controller/events/event-recorder.ts',
    [
      'controller/events/event-series.spec.ts',
      'EventRecorder over events.k8s.io/v1 makes the second occurrence a series, counts further ones, and compares no notes',
    ],
  ),
];

/** Tests and inspection of a program. */
export const testingRows: readonly FeatureRow[] = [
  yes(
    100,
    'An API server in the process, over HTTP or without a socket',
    'server/api/generic-api-server.ts',
    [
      'path/informer.spec.ts',
      'an informer over HTTP mirrors what was there before and every change after, object for object',
    ],
  ),
  yes(
    101,
    'It refuses conflicts, keeps finalizers and separates the status, as kube-apiserver does',
    'server/registry/writes/update-object.ts',
    [
      'server/api/write-rules.spec.ts',
      'the embedded server, as a fake for a controller refuses an update of an older version, separates the status, and keeps what has finalizers',
    ],
  ),
  yes(
    102,
    'A watch of it begins at any version that it remembers, with the deletions since',
    'server/cacher/window/watch-cache-history.ts',
    [
      'server/api/watch-from-list.spec.ts',
      'a watch from the version of a list brings every deletion in between, also of objects that came after the list',
    ],
  ),
  yes(
    103,
    'A real kube-apiserver and etcd, started behind the interface of the embedded server (`startRealApiServer`)',
    'testing/real-server/real-api-server.ts',
    [
      'testing/real-server/real-api-server.spec.ts',
      'startRealApiServer says how a program ended before it was ready, and leaves nothing',
    ],
  ),
  yes(
    104,
    'Single requests are answered, delayed or broken by rule; a `transport` of the program sees all of them',
    'server/api/faults/faults.ts',
    [
      'server/api/faults/faults.spec.ts',
      'Faults concern only the requests that match all of the rule',
    ],
  ),
  yes(
    105,
    'One virtual clock for server, client, informers and queues',
    'kernel/time/virtual-runtime.ts',
    [
      'client/transport/in-process/in-process-transport.spec.ts',
      'inProcessTransport carries a watch in virtual time',
    ],
  ),
  yes(106, 'A run is repeated to the byte by its seed', 'kernel/time/virtual-runtime.ts', [
    'path/virtual-cluster.spec.ts',
    'a cluster and its controller in one virtual runtime replays from its seed to the byte, tasks in order "random"',
  ]),
  yes(
    107,
    'Faults of watches in tests of the program: resets, ends, expiry, silence, delays',
    'server/api/faults/faulted-answer.ts',
    [
      'server/api/faults/faults.spec.ts',
      'Faults silence a watch, which stays open until its client leaves',
    ],
  ),
  yes(
    108,
    'The cache is compared with the server at one version (`audit()`)',
    'cache/informer/audit/informer-audit.ts',
    [
      'cache/informer/audit/informer-audit.spec.ts',
      'the audit of an informer finds missing, extra and different objects, even if the watch keeps events back',
    ],
  ),
  yes(
    109,
    'A dump of a cache, as a call, a command and an endpoint, with masked Secrets',
    'cache/informer/dump/cache-dump.ts',
    [
      'cache/informer/dump/cache-dump.spec.ts',
      'informer.dump masks the values of Secrets, and decodes nothing that the cache would keep',
    ],
  ),
  yes(
    110,
    'Metrics of informers: objects, queue, lag, events, handlers',
    'cache/informer/observe/informer-metrics.ts',
    [
      'cache/informer/observe/informer-metrics.spec.ts',
      'the metrics of an informer say what it has, what waits, and what handlers did',
    ],
  ),
];
