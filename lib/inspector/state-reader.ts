import { PACKAGE_VERSION } from '../kernel/text/package-version.ts';
import type { Runtime } from '../kernel/time/runtime.ts';
import type { ControllerInspection } from '../controller/builder/controller-inspection.ts';
import type { QueueInspection } from '../controller/workqueue/queue-inspection.ts';
import type {
  InspectedClient,
  InspectedCluster,
  InspectedController,
  InspectedInformer,
  InspectedInformers,
  InspectedQueue,
  InspectedServer,
  InspectedWorkloads,
} from './contract/inspected-parts.ts';
import type { InspectorSnapshot, ServerSnapshot } from './contract/inspector-snapshot.ts';
import type { SlowRequests } from './slow-requests.ts';

export interface InspectedParts {
  readonly informers: readonly (InspectedInformers | InspectedInformer)[];
  readonly queues: readonly InspectedQueue[];
  readonly controllers: readonly InspectedController[];
  readonly server: InspectedServer | undefined;
  readonly cluster: InspectedCluster | undefined;
  readonly client: InspectedClient | undefined;
}

export interface StateReaderOptions {
  readonly parts: InspectedParts;
  readonly title: string;
  readonly runtime: Runtime;
  readonly slow: SlowRequests;
}

/** Of informers, of queues and of controllers. */
const MOST_PARTS = 200;
/** Keys in each list of a queue. */
const KEYS = 50;
/** Past runs of a controller. */
const RUNS = 60;
const LONGEST_ERROR = 600;

/** Reads the state of the parts by their `inspect` functions. */
export class StateReader {
  readonly #options: StateReaderOptions;
  readonly #startedAtMs: number;

  constructor(options: StateReaderOptions) {
    this.#options = options;
    this.#startedAtMs = options.runtime.wallMs();
  }

  /** The informers of the moment: those that were given, and those of the controllers, each once. */
  informers(): readonly InspectedInformer[] {
    const { informers, controllers } = this.#options.parts;
    const given = informers.flatMap((one) => ('informers' in one ? one.informers : [one]));
    const own = controllers.flatMap((controller) => controller.informers ?? []);
    return [...new Set([...given, ...own])];
  }

  /** Of several with one name, the first. */
  informer(name: string): InspectedInformer | undefined {
    return this.informers().find((one) => one.name === name);
  }

  async read(): Promise<InspectorSnapshot> {
    const { parts, title, runtime } = this.#options;
    const server = await this.#server();
    const informers = this.informers();
    const { queues, controllers, client } = parts;
    const shown = <P>(list: readonly P[]): readonly P[] => list.slice(0, MOST_PARTS);
    const cluster = parts.cluster?.inspect().workloads;
    const { nodes, rollouts = [] } = cluster ?? {};
    const all = [informers, queues, controllers, nodes?.nodes ?? [], rollouts];
    const leftOut = all.reduce((sum, { length }) => sum + Math.max(0, length - MOST_PARTS), 0);
    return {
      title,
      version: PACKAGE_VERSION,
      atMs: runtime.wallMs(),
      startedAtMs: this.#startedAtMs,
      client: client?.inspect(),
      informers: shown(informers).map((informer) => informer.inspect()),
      queues: shown(queues).map((queue) => withTexts(queue.inspect({ limit: KEYS }))),
      controllers: shown(controllers).map((controller) => bounded(controller)),
      server,
      cluster: cluster && boundedWorkloads(cluster),
      leftOut,
    };
  }

  async #server(): Promise<ServerSnapshot | undefined> {
    const { parts, slow } = this.#options;
    const state = await parts.server?.inspect();
    return (
      state && {
        ...state,
        requests: slow.count,
        failedRequests: slow.failed,
        slow: slow.list(),
      }
    );
  }
}

/** Those that need attention first. */
function boundedWorkloads({ nodes, rollouts, ...rest }: InspectedWorkloads): InspectedWorkloads {
  const isDown = ({ phase }: { readonly phase: string }): number => Number(phase === 'running');
  const isDone = ({ state }: { readonly state: string }): number => Number(state === 'complete');
  return {
    ...rest,
    nodes: nodes && {
      ...nodes,
      nodes: nodes.nodes.toSorted((a, b) => isDown(a) - isDown(b)).slice(0, MOST_PARTS),
    },
    rollouts: rollouts?.toSorted((a, b) => isDone(a) - isDone(b)).slice(0, MOST_PARTS),
  };
}

function bounded(controller: InspectedController): ControllerInspection {
  const state = controller.inspect({ limit: KEYS });
  const history = state.history.slice(-RUNS).map((run) => {
    const { error } = run;
    return error === undefined ? run : { ...run, error: error.slice(0, LONGEST_ERROR) };
  });
  return { ...state, history };
}

/** Keys of any kind become texts. */
export function withTexts(queue: QueueInspection<unknown>): QueueInspection {
  const texts = <E extends { readonly key: unknown }>(list: {
    readonly count: number;
    readonly keys: readonly E[];
  }): { readonly count: number; readonly keys: (E & { readonly key: string })[] } => ({
    count: list.count,
    keys: list.keys.map((entry) => ({ ...entry, key: textOf(entry.key) })),
  });
  const { waiting, running, delayed, failing } = queue;
  return {
    ...queue,
    waiting: texts(waiting),
    running: texts(running),
    delayed: texts(delayed),
    failing: texts(failing),
  };
}

const LONGEST_KEY = 300;

function textOf(key: unknown): string {
  const text = typeof key === 'string' ? key : (JSON.stringify(key) ?? String(key));
  return text.slice(0, LONGEST_KEY);
}
