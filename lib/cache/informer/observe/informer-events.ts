import type {
  ReflectorErrorContext,
  ReflectorTransition,
} from '../../reflector/options/reflector-report.ts';

/** Lifecycle events of an informer. Changes of objects go to handlers. */
export interface InformerEvents {
  /** The store has the whole state for the first time. */
  synced: [];
  /** The collection was listed again, because the history in between was lost. */
  relist: [relist: { readonly resourceVersion: string; readonly items: number }];
  /** A list or a watch failed. The context has the next step, and whether the failure is expected in normal operation. */
  'watch-error': [error: unknown, context: ReflectorErrorContext];
  /** The store has every change up to this resource version. */
  bookmark: [resourceVersion: string];
  /** The reflector changed its state. */
  transition: [transition: ReflectorTransition];
  /** The informer has stopped; the store stays readable, and is no longer updated unless another informer runs on it. */
  stopped: [];
}
