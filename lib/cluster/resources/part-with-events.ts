import type { ClusterPart } from './cluster-parts.ts';

/** A part whose waiting events are written when it has ended. */
export function partWithEvents(part: ClusterPart, events: { close(): Promise<void> }): ClusterPart {
  return {
    start: () => part.start(),
    pending: () => part.pending?.(),
    [Symbol.asyncDispose]: async () => {
      await part[Symbol.asyncDispose]();
      await events.close();
    },
  };
}
