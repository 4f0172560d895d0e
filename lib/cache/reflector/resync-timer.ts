import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { ChangeSink } from './contract/reflector-sink.ts';

export interface ResyncOptions {
  readonly runtime: Runtime;
  readonly sink: ChangeSink<HasMetadata>;
  /** 0: never. */
  readonly resyncIntervalMs: number;
  readonly shouldResync: () => boolean;
}

/** Resyncs the sink at each interval, also during relists, until the returned function is called. */
export function startResync(
  { runtime, sink, resyncIntervalMs, shouldResync }: ResyncOptions,
  onFailure: (error: unknown) => void,
): () => void {
  if (resyncIntervalMs === 0 || sink.resync === undefined) return () => {};
  let timer: Timer;
  const tick = (): void => {
    timer = runtime.setTimer(resyncIntervalMs, tick, { background: true });
    try {
      if (shouldResync()) sink.resync?.();
    } catch (error) {
      onFailure(error);
    }
  };
  timer = runtime.setTimer(resyncIntervalMs, tick, { background: true });
  return () => {
    timer.cancel();
  };
}
