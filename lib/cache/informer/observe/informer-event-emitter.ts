import { EventEmitter } from 'eventemitter3';
import { guardedCall } from '../../../kernel/failure/guarded-call.ts';
import type {
  ReflectorErrorContext,
  ReflectorTransition,
} from '../../reflector/options/reflector-report.ts';

type EventName = EventEmitter.EventNames<InformerEvents>;
type Listener<E extends EventName> = EventEmitter.EventListener<InformerEvents, E>;
type AnyListener = (this: unknown, ...args: unknown[]) => unknown;

/**
 * An emitter that handles errors of listeners: when a listener throws, or its promise rejects, `onFailure` is called. The other
 * listeners get their event, and the process does not end.
 */
export class InformerEventEmitter extends EventEmitter<InformerEvents> {
  readonly #onFailure: (error: unknown) => void;
  readonly #guarded = new WeakMap<AnyListener, AnyListener>();
  readonly #originals = new WeakMap<AnyListener, AnyListener>();

  constructor(onFailure: (error: unknown) => void) {
    super();
    this.#onFailure = onFailure;
  }

  override on<E extends EventName>(event: E, listener: Listener<E>, context?: unknown): this {
    return super.on(event, this.#guard(listener), context);
  }

  override addListener<E extends EventName>(
    event: E,
    listener: Listener<E>,
    context?: unknown,
  ): this {
    return this.on(event, listener, context);
  }

  override once<E extends EventName>(event: E, listener: Listener<E>, context?: unknown): this {
    return super.once(event, this.#guard(listener), context);
  }

  override off<E extends EventName>(
    event: E,
    listener?: Listener<E>,
    context?: unknown,
    once?: boolean,
  ): this {
    const known = listener === undefined ? undefined : this.#guarded.get(listener as AnyListener);
    return super.off(event, (known as Listener<E> | undefined) ?? listener, context, once);
  }

  override removeListener<E extends EventName>(
    event: E,
    listener?: Listener<E>,
    context?: unknown,
    once?: boolean,
  ): this {
    return this.off(event, listener, context, once);
  }

  override listeners<E extends EventName>(event: E): Listener<E>[] {
    return super
      .listeners(event)
      .map((guarded) => this.#originals.get(guarded as AnyListener) as Listener<E>);
  }

  #guard<E extends EventName>(listener: Listener<E>): Listener<E> {
    const original = listener as AnyListener;
    let guarded = this.#guarded.get(original);
    // The emitter refuses a listener that is not a function.
    if (guarded === undefined && typeof listener === 'function') {
      const onFailure = this.#onFailure;
      guarded = function (this: unknown, ...args) {
        guardedCall(() => original.apply(this, args), onFailure);
      };
      this.#guarded.set(original, guarded);
      this.#originals.set(guarded, original);
    }
    return guarded ?? original;
  }
}

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
