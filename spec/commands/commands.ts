/**
 * The programs of the repository that `npm run check` and `npm run generate` start. A program that does not read `--help` itself has its
 * options here.
 */

/** A program, with a line of help. */
export interface Command {
  readonly name: string;
  /** Runs the program, which reads `process.argv`. */
  readonly start: () => Promise<unknown>;
  readonly about: string;
  /** The usage of a program that reads no `--help`; without it, the program prints its own. */
  readonly usage?: string;
}

interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

const NO_OPTIONS = 'no options';

/** Long runs and comparisons, by area. */
export const CHECKS: readonly CommandGroup[] = [
  {
    title: 'client and caches',
    commands: [
      {
        name: 'faults',
        start: () => import('../faults/main.ts'),
        about: 'the fault matrix of informers over real sockets',
      },
      {
        name: 'connect-matrix',
        start: () => import('../client/connect/main.ts'),
        about: 'every kind of credential, rotated under a running informer',
      },
      {
        name: 'verbs',
        start: () => import('../client/verbs/main.ts'),
        about: 'every verb, subresource and helper of the client on a real server and on ours',
      },
      {
        name: 'sync-kinds',
        start: () => import('../client/sync-kinds/main.ts'),
        about: 'every resource of a server in an informer, in every mode, beside a list',
      },
      {
        name: 'storm',
        start: () => import('../recorder/storm.ts'),
        about: 'a recording of many writes and lost watches, replayed to the same cache',
      },
      {
        name: 'warm-start',
        start: () => import('../recorder/warm-start.ts'),
        about: 'warm starts beside cold ones; snapshots whose writer is killed',
      },
      {
        name: 'fuzz-json',
        start: () => import('../meta/json/fuzz.ts'),
        about: 'damaged JSON through the scanner, compared with JSON.parse',
      },
      {
        name: 'types-definitions',
        start: () => import('../types/definitions/main.ts'),
        about: 'types of the largest definitions of public projects, compiled with manifests',
      },
      {
        name: 'types-time',
        start: () => import('../types/time/main.ts'),
        about: 'compile time of a controller with types beside one with any',
      },
    ],
  },
  {
    title: 'controllers',
    commands: [
      {
        name: 'election',
        start: () => import('../election/election.ts'),
        about: 'leader election in virtual time, with clocks, stops and cuts drawn from seeds',
      },
      {
        name: 'election-processes',
        start: () => import('../election/processes.ts'),
        about: 'leader election of three processes that are killed and stopped in turn',
      },
      {
        name: 'sharding',
        start: () => import('../election/sharding.ts'),
        about: 'keys shared by replicas in virtual time that join, leave, crash and stop',
      },
      {
        name: 'traces',
        start: () => import('../controller/traces/main.ts'),
        about: 'spans of two controllers, exported by the SDK of OpenTelemetry, and their links',
        usage: NO_OPTIONS,
      },
      {
        name: 'traces-cost',
        start: () => import('../controller/traces/cost.ts'),
        about: 'the time of reconciles with and without a tracer',
        usage: '[--objects N] [--rounds N]',
      },
      {
        name: 'kubernetes-release',
        start: () => import('../tables/release/main.ts'),
        about: 'how a release of Kubernetes differs from the tables, as work to do',
      },
      {
        name: 'webhooks',
        start: () => import('../controller/webhook/main.ts'),
        about: 'webhooks and conversions of ours, called by a real server on this machine',
        usage: '--kubeconfig FILE',
      },
      {
        name: 'simulate-corpus',
        start: () => import('../simulator/corpus/search/main.ts'),
        about: 'published bugs that simulations have to find, and false alarms on their fixes',
        usage:
          '[--seeds N] [--fixed-seeds N] [--only NAME[,NAME]] [--version wrong|fixed] [--processes P]\n' +
          '[--budget SECONDS] [--fixed-budget SECONDS] [--from SEED] [--seeds-only] [--json FILE]',
      },
      {
        name: 'simulate-examples',
        start: () => import('../simulator/examples/main.ts'),
        about: 'simulations of the controllers of examples/',
        usage: '[--seeds N] [--budget SECONDS] [--only NAME[,NAME]]',
      },
      {
        name: 'simulate-cluster',
        start: () => import('../cluster/simulated/main.ts'),
        about: 'simulations of the controllers of workloads, with operations of users at random',
        usage:
          '[--seeds N] [--variants N] [--from N] [--only NAME[,NAME]] [--replay PLAN] [--story]',
      },
      {
        name: 'simulate-traces',
        start: () => import('../simulator/traces/main.ts'),
        about: 'digests of the traces of simulated controllers, equal on every machine',
        usage: '[--seeds N] [--only NAME[,NAME]] [--print]',
      },
      {
        name: 'examples',
        start: () => import('../examples/main.ts'),
        about: 'all examples, on the embedded server or on a cluster',
      },
      {
        name: 'examples-lines',
        start: () => import('../examples/lines.ts'),
        about: 'code lines of the operator of examples/',
        usage: '[--show]',
      },
    ],
  },
  {
    title: 'server',
    commands: [
      {
        name: 'compare',
        start: () => import('../compare/main.ts'),
        about: 'the same requests to a real server, or its record, and to ours, by area',
      },
      {
        name: 'rules',
        start: () => import('../rules/main.ts'),
        about: 'what a real server, or its record, and ours accept of each kind',
      },
      {
        name: 'applies',
        start: () => import('../applies/main.ts'),
        about: 'random server-side applies by several managers on a real server and on ours',
      },
      {
        name: 'definitions',
        start: () => import('../definitions/main.ts'),
        about: 'definitions of public projects, and objects of them, on a real server and on ours',
      },
      {
        name: 'admission',
        start: () => import('../admission/main.ts'),
        about: 'admission by webhooks and plug-ins on a real server and on ours',
      },
      {
        name: 'cluster',
        start: () => import('../cluster/main.ts'),
        about:
          'scenarios of the controllers and the scheduler of a real cluster and of the embedded one',
      },
      {
        name: 'cluster-traces',
        start: () => import('../cluster/traces/main.ts'),
        about: 'digests of a lost node in virtual time, equal on every machine, and its real time',
        usage: '[--seeds N] [--from SEED] [--print]',
      },
      {
        name: 'cluster-soak',
        start: () => import('../cluster/soak/main.ts'),
        about: 'hours of random rollouts in virtual time, and what is left of them',
        usage: '[--hours N] [--warm-up N] [--seed N]',
      },
      {
        name: 'cluster-cells',
        start: () => import('../cluster/cells/main.ts'),
        about: 'the scenarios with our parts and real programs side by side in one cluster',
      },
      {
        name: 'kubectl',
        start: () => import('../kubectl/main.ts'),
        about: 'commands of kubectl, compared with what a real server had it print',
      },
      {
        name: 'programs',
        start: () => import('../programs/main.ts'),
        about: 'client programs of other languages with listwatch serve and with a real server',
      },
      {
        name: 'conformance-cases',
        start: () => import('../e2e/main.ts'),
        about: "Kubernetes' own conformance cases with listwatch serve and with a real server",
      },
      {
        name: 'envtest',
        start: () => import('../envtest/main.ts'),
        about: "a Go project's envtest suite with the real programs and with ours",
      },
      {
        name: 'swap',
        start: () => import('../swap/main.ts'),
        about: 'one etcd that a real server and ours read and write in turn and at once',
      },
      {
        name: 'etcd-kill',
        start: () => import('../etcd-kill/etcd-kill.ts'),
        about: 'members of an etcd cluster killed under servers and informers',
        usage: '[--kills N] [--seed TEXT] [--binary PATH] [--json FILE]',
      },
      {
        name: 'fuzz-api',
        start: () => import('../server/api/fuzz/fuzz-api.ts'),
        about: 'random requests to the API server; with --port, bytes over its sockets',
      },
      {
        name: 'fuzz-writes',
        start: () => import('../server/api/fuzz/writes/fuzz-writes.ts'),
        about: 'random patches, applies and schemas to the API server',
      },
      {
        name: 'bench-creates',
        start: () => import('../bench/serve-creates.ts'),
        about: 'creates and watches through the built listwatch serve and a real server',
        usage: '--kubeconfig FILE [--plain] [--etcd URL]',
      },
      {
        name: 'bench-serve',
        start: () => import('../bench/serve-start.ts'),
        about: 'start time and memory of the built listwatch serve',
        usage: NO_OPTIONS,
      },
    ],
  },
  {
    title: 'specs and package',
    commands: [
      {
        name: 'mutants',
        start: () => import('../mutants/main.ts'),
        about: 'small changes of the code that no spec notices',
      },
      {
        name: 'mutants-simulated',
        start: () => import('../mutants/simulated/main.ts'),
        about: 'small changes of the code that simulations of right controllers find',
        usage:
          '[--count N] [--candidates N] [--seed TEXT] [--folders A,B] [--jobs N] [--only TEXT]',
      },
      {
        name: 'tutorial',
        start: () => import('../tutorial/main.ts'),
        about: 'docs/tutorial.md, block by block, with the packed tarball',
        usage: NO_OPTIONS,
      },
      {
        name: 'new-project',
        start: () => import('../new-project/main.ts'),
        about: 'a project of listwatch new, tested and run on a real server',
      },
      {
        name: 'package',
        start: () => import('../package/check.ts'),
        about: 'the packed tarball under publint, are-the-types-wrong and four compilers',
        usage: NO_OPTIONS,
      },
      {
        name: 'package-report',
        start: () => import('../package/report.ts'),
        about: 'packages, size and import time of an install',
        usage: '[--node22 PATH]',
      },
      {
        name: 'adopt',
        start: () => import('../adopt/main.ts'),
        about: 'a fresh project for each bundler, test runner, package manager and runtime',
        usage: '[--only NAME[,NAME]] [--keep]',
      },
      {
        name: 'package-runtimes',
        start: () => import('../package/runtimes.ts'),
        about: 'the program of README on Node 20, 22, 24, 26, Bun and Deno',
        usage: '[--all-traces]',
      },
      {
        name: 'reproducible',
        start: () => import('../package/reproducible.ts'),
        about: 'the commit, packed in two folders, is one tarball to the byte',
        usage: NO_OPTIONS,
      },
      {
        name: 'release',
        start: () => import('../package/release-command.ts'),
        about: 'whether a tag may be released; with --out, what is released',
        usage: '[--tag TAG] [--out FOLDER]',
      },
    ],
  },
];

/** Programs that write files of the repository. */
export const GENERATORS: readonly CommandGroup[] = [
  {
    title: 'data of lib',
    commands: [
      {
        name: 'tables',
        start: () => import('../tables/main.ts'),
        about: 'the types of the built-in kinds, from the Go modules of a Kubernetes version',
      },
      {
        name: 'tables-server',
        start: () => import('../tables/server.ts'),
        about: 'resources, columns, roles and documents of one version, from a real server',
        usage: '--kubeconfig FILE',
      },
      {
        name: 'wasm',
        start: () => import('../wasm/main.ts'),
        about: 'the modules in WebAssembly, from their AssemblyScript',
        usage: NO_OPTIONS,
      },
      {
        name: 'inspector-page',
        start: async () => (await import('../inspector/build-page.ts')).writePage(),
        about: 'the module with the page of the inspector, from lib/inspector/page',
        usage: NO_OPTIONS,
      },
    ],
  },
  {
    title: 'images of docs',
    commands: [
      {
        name: 'inspector-images',
        start: () => import('../inspector/images/main.ts'),
        about: 'the screenshots of docs/guides/inspect.md',
        usage: '[NAME...]',
      },
      {
        name: 'simulate-images',
        start: () => import('../simulator/explain/images/main.ts'),
        about: 'the timelines of docs/guides/simulate.md',
        usage: NO_OPTIONS,
      },
    ],
  },
];
