import type { Runtime } from '../time/runtime.ts';

/** Gets what begins its life on a runtime, such as an informer or a queue. */
export type PartObserver = (part: object) => void;

const observers = new WeakMap<Runtime, PartObserver>();

/** Tells the observer of each part that is made on this runtime from now on: for tools that look into a program. The last observer counts. */
export function observeParts(runtime: Runtime, observer: PartObserver): void {
  observers.set(runtime, observer);
}

/** A part tells the observer of its runtime, if there is one, that it exists. */
export function announcePart(runtime: Runtime, part: object): void {
  observers.get(runtime)?.(part);
}
