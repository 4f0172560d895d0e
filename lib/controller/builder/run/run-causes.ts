import type { WriteCause, WriteCauses } from '../../../client/rest/request/write-causes.ts';
import type { SpanOptions } from '../../../kernel/report/tracer.ts';
import { describeReason, type ReconcileReason } from '../../change/reconcile-reasons.ts';

/** The writes of this program that runs come from. */
export class RunCauses {
  readonly #own: WriteCauses;
  readonly #ofCluster: (name: string) => WriteCauses;

  /** `own`: the writes to the cluster of the controller; `ofCluster`: those to another one. */
  constructor(own: WriteCauses, ofCluster: (name: string) => WriteCauses) {
    this.#own = own;
    this.#ofCluster = ofCluster;
  }

  /** The reasons, with the runs that have caused them as far as they are known. */
  named(reasons: readonly ReconcileReason[]): readonly ReconcileReason[] {
    for (const reason of reasons) {
      if (reason.causedBy === undefined && this.#of(reason)?.writer) return this.#name(reasons);
    }
    return reasons;
  }

  #name(reasons: readonly ReconcileReason[]): readonly ReconcileReason[] {
    return reasons.map((reason) => {
      const causedBy = reason.causedBy ?? this.#of(reason)?.writer;
      return causedBy === undefined ? reason : { ...reason, causedBy };
    });
  }

  /** Links to the spans of the writes. */
  links(reasons: readonly ReconcileReason[]): NonNullable<SpanOptions['links']> {
    return reasons.flatMap((reason) => {
      const { span: context, writer } = this.#of(reason) ?? {};
      if (context === undefined) return [];
      const attributes = { 'listwatch.reason': describeReason({ ...reason, causedBy: writer }) };
      return [{ context, attributes }];
    });
  }

  /** Resolves when the answers have come that may name more causes; undefined: none is missing. */
  whenKnown(reasons: readonly ReconcileReason[]): Promise<unknown> | undefined {
    const waits = reasons.flatMap((reason) => {
      const { resource, object } = reason;
      if (resource === undefined || object === undefined || !isWrite(reason)) return [];
      if (this.#of(reason) !== undefined) return [];
      const wait = this.#writesTo(resource).whenAnswered(resource, object);
      return wait === undefined ? [] : [wait];
    });
    return waits.length === 0 ? undefined : Promise.all(waits);
  }

  /** `resource`: such as `apps/v1/deployments`, or `east:apps/v1/deployments` in another cluster. */
  #writesTo(resource: string): WriteCauses {
    const end = resource.indexOf(':');
    return end === -1 ? this.#own : this.#ofCluster(resource.slice(0, end));
  }

  #of(reason: ReconcileReason): WriteCause | undefined {
    const { type, resource, object, resourceVersion } = reason;
    if (resource === undefined || object === undefined || resourceVersion === undefined) {
      return undefined;
    }
    if (!isWrite(reason)) return undefined;
    const cause = this.#writesTo(resource).of(resource, object, resourceVersion);
    if (cause?.isMaker !== true) return undefined;
    // The version of an object that a relist no longer found is that of its last change.
    return type === 'deleted' && cause.verb !== 'delete' ? undefined : cause;
  }
}

/** A resync repeats the version of an object, which nothing has changed. */
function isWrite({ type }: ReconcileReason): boolean {
  return type === 'added' || type === 'updated' || type === 'deleted';
}
