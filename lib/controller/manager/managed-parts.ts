import type { SharedInformerFactory } from '../../cache/informer/factory/shared-informer-factory.ts';
import type { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import type { WriteFence } from '../../client/transport/contract/write-fence.ts';
import type { WorkShare } from '../sharding/contract/work-share.ts';
import { isPromiseLike } from '../../kernel/failure/guarded-call.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { onAbort } from '../../kernel/time/abort.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { Controller } from '../builder/controller.ts';

/**
 * Work that a manager runs besides controllers and informers: a server, a poll, a `ReconcileLoop`. It begins when the caches are filled,
 * and ends after the controllers.
 */
export interface Runnable {
  /** Names it in messages, in checks and in `inspect`. */
  readonly name: string;
  /**
   * With leader election: also on replicas that do not lead, from the start on. @defaultValue false: only while this replica leads
   */
  readonly everyReplica?: boolean | undefined;
  /** Works until the signal aborts. It may end by itself; if it throws, the manager stops with its error. */
  run(context: RunnableContext): Promise<void>;
  /**
   * Takes no new work, and resolves when that in progress has ended, at the latest after `timeoutMs`. The signal of `run` aborts after that.
   * Left out: it aborts at once.
   */
  drain?(options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<unknown>;
  /** Resolves when it is ready; controllers begin after that. Left out: it is ready at once. */
  whenReady?(options: {
    readonly signal: AbortSignal;
    /** The longest wait; given to webhooks only, because the others are limited by the manager. */
    readonly timeoutMs?: number | undefined;
  }): Promise<void>;
  /** With `webhooks`, it begins before the caches, which may need it, and ends last. */
  readonly stage?: 'webhooks' | undefined;
  /** Resolves when what begins after it may begin. @defaultValue `whenReady` */
  whenStarted?(options: { readonly signal: AbortSignal }): Promise<void>;
  /** Throws while it cannot do its work; `/readyz` asks when it is ready. */
  check?(): void;
  /** Called when it is added, with the metrics that the manager shows at `/metrics`. */
  reportTo?(metrics: Metrics): void;
}

export interface RunnableContext {
  readonly signal: AbortSignal;
  /** With leader election: what writes need, as in `client.fencedBy(fence)`. Undefined with `everyReplica`, and without election. */
  readonly fence: WriteFence | undefined;
}

/** The same of all parts, so that the argument of a `run` that is written in a call needs no type. */
type Runs = Pick<Runnable, 'run'>;

/** A controller of any kind. */
export interface AnyController
  extends Runs,
    Pick<Controller<KubernetesObject>, 'name' | 'whenReady' | 'drain' | 'inspect' | 'reportTo'> {
  /** @internal */
  shareWork(share: WorkShare): void;
}

/** An informer of any kind. */
export type AnyInformer = Pick<SharedIndexInformer<KubernetesObject>, 'name' | 'whenSynced'> & Runs;

/** Informers of any client. */
export type AnyInformerFactory = Pick<
  SharedInformerFactory,
  'start' | 'whenSynced' | 'close' | 'informers'
>;

/** A part that a manager can run. */
export type ManagedPart = AnyController | AnyInformer | AnyInformerFactory | Runnable;

export type PartKind = 'webhooks' | 'cache' | 'runnable' | 'controller';

/** In the order of their start; they stop in the other order. */
export const PART_KINDS: readonly PartKind[] = ['webhooks', 'cache', 'runnable', 'controller'];

/** How a manager treats a part. */
export interface PartAdapter {
  readonly name: string;
  readonly kind: PartKind;
  /** Whether only the leader runs it, if there is one. */
  readonly leaderOnly: boolean;
  /** Resolves when it has ended; rejects when it failed. */
  run(signal: AbortSignal, fence: WriteFence | undefined): Promise<void>;
  whenReady(options: {
    readonly signal: AbortSignal;
    readonly timeoutMs: number | undefined;
  }): Promise<void>;
  /** Resolves when parts of later kinds may begin; left out: when it is ready. */
  whenStarted?(options: { readonly signal: AbortSignal }): Promise<void>;
  /** Throws while it cannot do its work. */
  check?(): void;
  /** Lets the work in progress end, for at most this time. */
  drain?(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

/** By what a part can do: it may be of another copy of the package. Undefined: it is none. */
export function adapterOf(part: ManagedPart): PartAdapter | undefined {
  if (typeof part !== 'object' || part === null) return undefined;
  if ('shareWork' in part) return controllerAdapter(part);
  if ('informers' in part) return factoryAdapter(part);
  if ('whenSynced' in part) return informerAdapter(part);
  if (typeof part.run !== 'function' || typeof part.name !== 'string') return undefined;
  return runnableAdapter(part);
}

/** Why there is no adapter of a part. */
export function refusal(part: unknown): string {
  if (isPromiseLike(part)) {
    return 'got a promise; leave out .run(), because the manager runs its parts, or write await';
  }
  if (typeof part === 'object' && part !== null && 'reconcile' in part) {
    return 'got a controller that is not complete; end it with .reconcile(…)';
  }
  return 'takes controllers (of `reconcile(…)`), informers, factories of informers, and objects with name and run';
}

function runnableAdapter(part: Runnable): PartAdapter {
  const { name, stage } = part;
  return {
    name,
    kind: stage ?? 'runnable',
    // API servers call any replica.
    leaderOnly: part.everyReplica !== true && stage !== 'webhooks',
    run: (signal, fence) => part.run({ signal, fence }),
    whenReady: async ({ signal, timeoutMs }) => {
      // Webhooks say what they wait for.
      await part.whenReady?.(stage === 'webhooks' ? { signal, timeoutMs } : { signal });
    },
    ...(part.whenStarted === undefined
      ? {}
      : { whenStarted: async (options) => await part.whenStarted?.(options) }),
    drain: async (timeoutMs, signal) => {
      await part.drain?.({ timeoutMs, signal });
    },
    check: () => {
      part.check?.();
    },
  };
}

function controllerAdapter(part: AnyController): PartAdapter {
  return {
    name: part.name,
    kind: 'controller',
    leaderOnly: false,
    run: (signal) => part.run({ signal, fence: undefined }),
    whenReady: (options) => part.whenReady(options),
    drain: async (timeoutMs, signal) => {
      await part.drain({ timeoutMs, signal });
    },
  };
}

function informerAdapter(part: AnyInformer): PartAdapter {
  return {
    name: part.name,
    kind: 'cache',
    leaderOnly: false,
    run: (signal) => part.run({ signal, fence: undefined }),
    whenReady: (options) => part.whenSynced(options),
  };
}

function factoryAdapter(part: AnyInformerFactory): PartAdapter {
  return {
    name: 'informers',
    kind: 'cache',
    leaderOnly: false,
    run: async (signal) => {
      part.start();
      await new Promise<void>((resolve) => {
        onAbort(signal, resolve);
      });
      await part.close();
    },
    whenReady: (options) => part.whenSynced(options),
  };
}
