import type { ListerWatcher } from '../cache/reflector/contract/lister-watcher.ts';
import { ListwatchError } from '../kernel/failure/errors.ts';
import type { KubernetesObject } from '../meta/object.ts';
import type { ObjectView } from '../meta/object-view.ts';
import type { RecordableClient, RecordableInformer } from './record-options.ts';

/**
 * A part that can be recorded: an informer, a source, or what is read through a client.
 *
 * @experimental
 */
export type Recordable<T extends KubernetesObject> =
  | RecordableInformer<T>
  | ListerWatcher<ObjectView<T>>
  | RecordableClient;

export function isInformer<T extends KubernetesObject>(
  from: Recordable<T>,
): from is RecordableInformer<T> {
  return 'name' in from && 'intercept' in from;
}

export function isClient<T extends KubernetesObject>(
  from: Recordable<T>,
): from is RecordableClient {
  return 'intercept' in from && !isInformer(from);
}

/** Otherwise nothing would be recorded, without a word. @throws {ListwatchError} code INVALID_OPTION. */
export function checkRecordable(from: unknown): void {
  if (has(from, 'intercept')) return;
  const isSource = has(from, 'list') && has(from, 'watch') && has(from, 'description', 'string');
  if (isSource) return;
  const found = has(from, 'for')
    ? 'a factory; record the client that it reads through'
    : kindOf(from);
  const problem = `the first argument has to be a client, an informer or a ListerWatcher, it is ${found}`;
  throw new ListwatchError('INVALID_OPTION', `record: ${problem}`);
}

/** Options in its place are an easy mistake. @throws {ListwatchError} code INVALID_OPTION. */
export function checkPath(path: unknown): void {
  if (typeof path === 'string' && path !== '') return;
  const found = path === '' ? 'empty' : kindOf(path);
  const text = `record: path has to be the name of a file, it is ${found}: record(client, 'incident.listwatch', options)`;
  throw new ListwatchError('INVALID_OPTION', text);
}

function has(from: unknown, name: string, type: 'function' | 'string' = 'function'): boolean {
  return typeof from === 'object' && from !== null && typeof Reflect.get(from, name) === type;
}

function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  const { constructor } = value;
  if (constructor === Promise) return 'a promise; write "await connect()"';
  return typeof constructor === 'function' && constructor !== Object
    ? constructor.name
    : 'an object';
}
