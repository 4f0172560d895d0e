import { LRUCache } from 'lru-cache';
import { isListwatchError } from '../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { isNotFound } from '../../../meta/failure/failures.ts';
import { splitMetaNamespaceKey } from '../../../meta/key.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { Stored } from '../../../meta/stored.ts';
import { addFinalizers, finalizersOf, removeFinalizer } from '../../helpers/finalizers.ts';
import { TerminalError } from '../../runtime/reconcile-error.ts';
import type { ReconcileContext } from '../../runtime/reconcile-loop.ts';
import { reasonOf } from '../../change/reconcile-reasons.ts';
import type { AuthorFunctions, DaemonWork, ReconcileObject } from './author-functions.ts';
import { checkedResult } from './controller-result.ts';
import type { GoneObjects } from './gone-objects.ts';
import { DoubtfulObjects } from './doubtful-objects.ts';
import { ReconcileScope, type ScopeParts, type ScopeRun } from './reconcile-scope.ts';
import { StatusWriter } from './status-writer.ts';

/** Cleanups that have succeeded. A forgotten one costs a further call of `cleanUp`, if its finalizer is still there. */
const CLEANED = 1_000;
/** There is no object whose status could be written. */
const GONE_RESULTS = ['requeueAfterMs'] as const;

export interface ObjectRunsParts<T extends KubernetesObject, Types extends object> {
  readonly apiVersion: string;
  readonly resource: string;
  readonly functions: AuthorFunctions<T, Types>;
  readonly scope: ScopeParts;
  readonly gone: GoneObjects<T>;
  /** Retries of a key, as those of the reconcile loop. */
  readonly maxRetries: number;
  readonly runtime: Runtime;
  /** Runs a key again after a time, whatever comes of its present run. */
  readonly runAfter: (key: string, delayMs: number) => void;
}

export type RunRequest = Omit<ScopeRun, 'subject'>;

export interface RunOutcome {
  readonly result: 'done' | 'requeue' | 'gone' | 'cleaned';
  readonly requeueAfterMs?: number | undefined;
  readonly priority?: number | undefined;
}

/** The runs of one controller: which functions of the author a key needs, and what their results lead to. */
export class ObjectRuns<T extends KubernetesObject, Types extends object> {
  readonly #parts: ObjectRunsParts<T, Types>;
  readonly #status: StatusWriter<T>;
  readonly #doubtful = new DoubtfulObjects();
  /** `UID FINALIZER`; a finalizer cannot be added again to an object that is being deleted. */
  #cleaned: LRUCache<string, true> | undefined;

  constructor(parts: ObjectRunsParts<T, Types>) {
    this.#parts = parts;
    this.#status = new StatusWriter(parts.runtime);
  }

  /** One run of a key. @throws what the functions of the author throw, and their writes. */
  async run(request: RunRequest, run: ReconcileContext): Promise<RunOutcome> {
    const object = this.#object(request.key);
    const requeueAfterMs = await this.#notifyGone(request, object, run);
    if (object !== undefined) {
      try {
        return sooner(await this.#reconcile(request, object, run), requeueAfterMs);
      } catch (error) {
        // A run that fails for good is not repeated, and the gone object wants to be.
        if (requeueAfterMs !== undefined) this.#parts.runAfter(request.key, requeueAfterMs);
        throw error;
      }
    }
    this.#doubtful.forget(request.key);
    this.#parts.scope.handled?.forget(request.key);
    return { result: 'gone', requeueAfterMs };
  }

  async #reconcile(
    request: RunRequest,
    object: Stored<T>,
    run: ReconcileContext,
  ): Promise<RunOutcome> {
    const names = this.#parts.functions.finalizers.map(({ name }) => name);
    const isDeleted = isDeleting(object);
    if (isDeleted && names.length > 0) return await this.#cleanUp(request, object, run);
    const scope = this.#scope(request, object, run);
    if (isDeleted) this.#doubtful.forget(request.key);
    else if (this.#doubtful.note(request.key, request.reasons)) {
      const isThere = await this.#doubtful.isThere(request.key, object, this.#own(scope), scope);
      if (!isThere) return { result: 'gone' };
    }
    const held = names.length === 0 ? object : await this.#hold(scope, object, names);
    const { reconcile } = this.#parts.functions;
    const current = held === object ? scope : this.#scope(request, held, run);
    const outcome = await this.#call('reconcile', reconcile, held, current);
    await this.#remember(request.key, held, scope);
    return outcome;
  }

  /** A run without finalizers does not read the signal, which is made when it is read. */
  async #hold(scope: ReconcileScope, object: Stored<T>, names: string[]): Promise<Stored<T>> {
    const call = { signal: scope.signal, runtime: this.#parts.runtime };
    return await addFinalizers(this.#own(scope), object, names, call);
  }

  /** Runs of a timer: `gone` when there is nothing left to run for. */
  timer(
    work: ReconcileObject<T, Types>,
  ): (key: string, run: ReconcileContext) => Promise<number | undefined | 'gone'> {
    return async (key, run) => {
      const object = this.#object(key);
      if (object === undefined || isDeleting(object)) return 'gone';
      const request = { key, failures: 0, reasons: [reasonOf('requeue')] };
      const scope = this.#scope(request, object, run);
      const { requeueAfterMs } = await this.#call('every', work, object, scope);
      return requeueAfterMs;
    };
  }

  /** Runs of a daemon, each as long as the signal lets it. */
  daemon(work: DaemonWork<T, Types>): (key: string, signal: AbortSignal) => Promise<void> {
    return async (key, signal) => {
      const object = this.#object(key);
      if (object === undefined) return;
      const request = { key, failures: 0, reasons: [] };
      const scope = this.#scope(request, object, { signal });
      await work(object, Object.assign(scope, { current: () => this.#object(key) }));
    };
  }

  #object(key: string): Stored<T> | undefined {
    const { own } = this.#parts.scope.sources;
    return own?.lease.informer.indexer.get(key) as Stored<T> | undefined;
  }

  /** An object of the same name may be there already: it is another one. Resolves to the earliest time at which one of them wants to run again. */
  async #notifyGone(
    request: RunRequest,
    object: Stored<T> | undefined,
    run: ReconcileContext,
  ): Promise<number | undefined> {
    const { functions, gone } = this.#parts;
    if (functions.whenGone === undefined) return undefined;
    const { namespace: of } = splitMetaNamespaceKey(request.key);
    // An object whose namespace is watched no more has not been deleted.
    if (!this.#parts.scope.sources.watches(of)) {
      gone.forgetKey(request.key);
      return undefined;
    }
    let requeueAfterMs: number | undefined;
    const all = gone.of(request.key, object);
    for (const one of all) {
      const { name, namespace, uid = '' } = one;
      const { apiVersion = '', kind = '' } = one.object ?? {};
      const subject = { apiVersion, kind, metadata: { name, namespace, uid } };
      const scope = new ReconcileScope(this.#parts.scope, { ...request, subject }, run);
      try {
        const answer = checkedResult(
          'whenGone',
          await functions.whenGone(one, scope),
          GONE_RESULTS,
        );
        const { requeueAfterMs: afterMs = 0 } = answer;
        if (afterMs === 0) gone.forget(one);
        else requeueAfterMs = Math.min(afterMs, requeueAfterMs ?? afterMs);
      } catch (error) {
        const isFinal = isListwatchError(error, 'RECONCILE_TERMINAL');
        if (!isFinal && request.failures < this.#parts.maxRetries) throw error;
        gone.forget(one);
        const isLast = one === all.at(-1) && requeueAfterMs === undefined;
        // The loop gives the key up; the next run is for the other objects of the name.
        if (object !== undefined || !isLast) this.#parts.runAfter(request.key, 0);
        throw error;
      }
    }
    return requeueAfterMs;
  }

  /** The last finalizer first, as the work was done in the other order. */
  async #cleanUp(
    request: RunRequest,
    object: Stored<T>,
    run: ReconcileContext,
  ): Promise<RunOutcome> {
    const { functions, runtime } = this.#parts;
    const present = finalizersOf(
      object,
      functions.finalizers.map(({ name }) => name),
    );
    let left: Stored<T> | undefined = object;
    let result: RunOutcome['result'] = 'done';
    for (const { name, cleanUp } of functions.finalizers.toReversed()) {
      if (left === undefined || !present.includes(name)) continue;
      const scope = this.#scope(request, left, run);
      const id = `${object.metadata.uid} ${name}`;
      if (this.#cleaned?.has(id) !== true) {
        const outcome = await this.#call('finalizer', cleanUp, left, scope);
        if (outcome.result === 'requeue') return outcome;
        this.#cleaned ??= new LRUCache({ max: CLEANED });
        this.#cleaned.set(id, true);
      }
      const call = { signal: scope.signal, runtime };
      left = await removeFinalizer(this.#own(scope), left, name, call);
      result = 'cleaned';
    }
    return { result };
  }

  async #remember(key: string, object: Stored<T>, scope: ReconcileScope): Promise<void> {
    const patch = this.#parts.scope.handled?.handled(key, object);
    if (patch === undefined) return;
    const { name } = object.metadata;
    try {
      await this.#own(scope).patch(name, patch, { type: 'merge', signal: scope.signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #call(
    method: string,
    work: ReconcileObject<T, Types>,
    object: Stored<T>,
    scope: ReconcileScope,
  ): Promise<RunOutcome> {
    const result = checkedResult(method, await work(object, scope));
    const { requeueAfterMs, priority, terminal } = result;
    await this.#status.write(this.#own(scope), {
      object,
      current: this.#object(scope.key),
      result,
      signal: scope.signal,
    });
    if (terminal !== undefined) throw new TerminalError(terminal);
    return { result: (requeueAfterMs ?? 0) > 0 ? 'requeue' : 'done', requeueAfterMs, priority };
  }

  #own(scope: ReconcileScope): ReturnType<typeof scope.resource<T>> {
    return scope.resource<T>(this.#parts.apiVersion, this.#parts.resource);
  }

  #scope(request: RunRequest, subject: Stored<T>, run: ReconcileContext): ReconcileScope {
    return new ReconcileScope(this.#parts.scope, { ...request, subject }, run);
  }
}

/** The run of an object whose name another one had, which is gone and wants to run again after a time. */
function sooner(outcome: RunOutcome, goneAfterMs: number | undefined): RunOutcome {
  if (goneAfterMs === undefined) return outcome;
  const { result, requeueAfterMs = 0 } = outcome;
  return {
    ...outcome,
    result: result === 'done' ? 'requeue' : result,
    requeueAfterMs: requeueAfterMs === 0 ? goneAfterMs : Math.min(requeueAfterMs, goneAfterMs),
  };
}

function isDeleting({ metadata }: KubernetesObject): boolean {
  return metadata?.deletionTimestamp !== undefined;
}
