import type { Client } from '../../client/rest/client.ts';
import type { ResourceClient } from '../../client/rest/resource-client.ts';
import { isListwatchError } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { deriveAbort } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { sleep, untilOpen } from '../../kernel/time/wait.ts';
import { isNotFound } from '../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';
import type { ElectionReport } from './election-report.ts';
import { microTime } from './lease-record.ts';
import { limitedCall } from './limited-call.ts';
import { LeaseWatch } from './lease-watch.ts';

/** The versions of a replica by which a coordinator chooses: the oldest emulation version leads, then the oldest binary version. */
export interface CandidateVersions {
  /** Of the program, such as `1.4.0`. */
  readonly binaryVersion: string;
  /** The version whose behaviour it has. @defaultValue `binaryVersion` */
  readonly emulationVersion?: string | undefined;
}

const API_VERSION = 'coordination.k8s.io/v1beta1';
const STRATEGY = 'OldestEmulationVersion';
/** A coordinator asks for a sign of life every 15 minutes, and forgets candidates after 30. As client-go. */
const RENEW_MS = 300_000;

interface LeaseCandidate extends KubernetesObject {
  readonly spec?: {
    readonly leaseName: string;
    readonly binaryVersion: string;
    readonly emulationVersion: string;
    readonly strategy: string;
    readonly pingTime?: string | undefined;
    readonly renewTime?: string | undefined;
  };
}

export interface CoordinatedEntryOptions {
  readonly client: Client;
  readonly namespace: string;
  /** Of the Lease. */
  readonly name: string;
  /** The name of the candidate, and of the holder of the Lease. */
  readonly identity: string;
  readonly versions: CandidateVersions;
  readonly retryMs: number;
  readonly requestMs: number;
  readonly report: ElectionReport;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/**
 * This replica as a LeaseCandidate, among which the coordinator of an API server chooses. It answers the coordinator when that asks whether
 * it is alive.
 *
 * Guarantees: clocks need not agree. An answer has the time of the question, if the clock of this process is behind it.
 *
 * @see client-go tools/leaderelection/leasecandidate.go @ v0.37.2
 */
export class CoordinatedEntry {
  readonly #options: CoordinatedEntryOptions;
  readonly #candidates: ResourceClient<LeaseCandidate>;
  readonly #abort = deriveAbort();
  readonly #watch: LeaseWatch<LeaseCandidate>;
  readonly #running: Promise<void>;
  #wake = new Latch('a question of the coordinator');
  #failure = '';
  #left: Promise<void> | undefined;

  /** Use `enter`. */
  private constructor(options: CoordinatedEntryOptions) {
    this.#options = options;
    const { client, namespace, identity, runtime, logger } = options;
    this.#candidates = client.resource<LeaseCandidate>(API_VERSION, 'leasecandidates', {
      namespace,
      traced: false,
    });
    this.#watch = new LeaseWatch<LeaseCandidate>({
      leases: this.#candidates,
      selector: { fieldSelector: `metadata.name=${identity}` },
      onChange: (candidate, type) => {
        if (type === 'deleted' || isAsked(candidate)) this.#wake.open();
      },
      runtime,
      logger,
      what: `the candidate ${namespace}/${identity}`,
    });
    this.#running = this.#run(this.#abort.signal);
  }

  /** Undefined: the server has no coordinator, or the signal has aborted before it has answered. */
  static async enter(
    options: CoordinatedEntryOptions,
    signal: AbortSignal | undefined,
  ): Promise<CoordinatedEntry | undefined> {
    const { client, namespace, name, retryMs, report, runtime, logger } = options;
    while (signal?.aborted !== true) {
      try {
        const call = { timeoutMs: options.requestMs, signal };
        await limitedCall(runtime, 'LeaseCandidates', call, async (limited) => {
          await client.discovery.find(API_VERSION, 'LeaseCandidate', { signal: limited });
        });
        report.succeeded();
        return new CoordinatedEntry(options);
      } catch (error) {
        if (isListwatchError(error, 'RESOURCE_UNKNOWN')) {
          const lease = `${namespace}/${name}`;
          logger.info('no coordinator is there; the replicas elect the leader', { lease });
          return undefined;
        }
        report.failed(error);
        // The loop looks at the signal.
        await sleep(runtime, retryMs, { signal }).catch(() => {});
      }
    }
    return undefined;
  }

  /** It is no candidate any more, so that the coordinator does not choose it again. Never rejects; calling again has no effect. */
  leave(): Promise<void> {
    this.#left ??= this.#leave();
    return this.#left;
  }

  async #leave(): Promise<void> {
    const { runtime, requestMs: timeoutMs, identity, logger } = this.#options;
    this.#abort.abort();
    this.#watch[Symbol.dispose]();
    await this.#running;
    try {
      await limitedCall(runtime, `the candidate ${identity}`, { timeoutMs }, async (signal) => {
        await this.#candidates.delete(identity, { ignoreNotFound: true, signal });
      });
    } catch (error) {
      const text = 'candidate was not deleted; the coordinator forgets it after 30 minutes';
      logger.warn(text, { candidate: identity, error });
    }
  }

  /** Never rejects. */
  async #run(signal: AbortSignal): Promise<void> {
    const { runtime, retryMs, requestMs, logger, identity } = this.#options;
    const call = { timeoutMs: requestMs, signal };
    while (!signal.aborted) {
      this.#wake = new Latch('a question of the coordinator');
      let timeoutMs = RENEW_MS;
      try {
        await limitedCall(runtime, `the candidate ${identity}`, call, (limited) =>
          this.#renew(limited),
        );
        this.#failure = '';
      } catch (error) {
        if (signal.aborted) return;
        timeoutMs = retryMs;
        const text = String(error);
        if (text !== this.#failure) logger.warn('candidate failed', { candidate: identity, error });
        this.#failure = text;
      }
      const describe = (): string => 'a question of the coordinator';
      // The loop looks at the reason that ended the wait.
      await untilOpen(runtime, [this.#wake], { timeoutMs, signal, describe }).catch(() => {});
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { identity } = this.#options;
    const found = await this.#candidates.get(identity, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (found === undefined) {
      await this.#candidates.create(this.#object(undefined), { signal });
    } else {
      await this.#candidates.update({ ...found, ...this.#object(found) }, { signal });
    }
  }

  #object(found: Stored<LeaseCandidate> | undefined): LeaseCandidate {
    const { name, namespace, identity, versions, runtime } = this.#options;
    const { binaryVersion, emulationVersion = binaryVersion } = versions;
    const now = microTime(runtime.wallMs());
    const { pingTime } = found?.spec ?? {};
    return {
      metadata: found?.metadata ?? { name: identity, namespace },
      spec: {
        ...found?.spec,
        leaseName: name,
        binaryVersion,
        emulationVersion,
        strategy: STRATEGY,
        renewTime: pingTime !== undefined && pingTime > now ? pingTime : now,
      },
    };
  }
}

/** Whether the coordinator waits for a sign of life. Both times have the form in which API servers write them. */
function isAsked({ spec }: LeaseCandidate): boolean {
  const { pingTime = '', renewTime = '' } = spec ?? {};
  return pingTime > renewTime;
}
