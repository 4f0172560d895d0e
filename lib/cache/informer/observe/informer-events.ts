import type {
  ReflectorErrorContext,
  ReflectorTransition,
} from '../../reflector/options/reflector-report.ts';

/** Events in the life of an informer. Changes of objects go to handlers. */
export interface InformerEvents {
  /** The store has the whole state for the first time. */
  synced: [];
  /** The collection was listed again, because the history in between was lost. */
  relist: [relist: { readonly resourceVersion: string; readonly items: number }];
  /** Listing or watching failed; the context says what follows, and whether it is part of normal life. */
  'watch-error': [error: unknown, context: ReflectorErrorContext];
  /** The store has every change up to this resource version. */
  bookmark: [resourceVersion: string];
  /** The reflector changed its state. */
  transition: [transition: ReflectorTransition];
  /** The informer has stopped; the store stays readable and grows old. */
  stopped: [];
}
