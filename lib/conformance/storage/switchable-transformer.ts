import { asBuffer } from '../../kernel/data/as-buffer.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type {
  PlainValue,
  TransformContext,
  Transformer,
} from '../../server/storage/value/transformer.ts';

/**
 * A transformer that marks values with a prefix and fails on demand. Like an encrypting one, it reads only values that it wrote,
 * and only under the key for which it wrote them.
 *
 * @experimental
 */
export class SwitchableTransformer implements Transformer {
  /** The mark of new values; values with an earlier mark are readable and stale. */
  mark: string = 'v1';
  /** Whether every value counts as stale. */
  alwaysStale: boolean = false;
  /** Keys whose values cannot be read. */
  readonly unreadable: Set<string> = new Set();
  /** Keys for which it is not known at present whether their values can be read. */
  readonly unavailable: Set<string> = new Set();
  /** Number of values read so far. */
  reads: number = 0;

  fromStorage(data: Uint8Array, { key }: TransformContext): PlainValue {
    this.failIfSet(key);
    const text = asBuffer(data);
    const end = text.indexOf(0x0a);
    const [mark, owner] = text.subarray(0, Math.max(0, end)).toString().split(' ');
    if (owner !== key) throw new Error('the value belongs to another key, or was not transformed');
    return { data: text.subarray(end + 1), stale: this.alwaysStale || mark !== this.mark };
  }

  toStorage(data: Uint8Array, { key }: TransformContext): Uint8Array {
    return Buffer.concat([Buffer.from(`${this.mark} ${key}\n`), data]);
  }

  /** Counts a read, and throws if the key is set to fail. */
  protected failIfSet(key: string): void {
    this.reads += 1;
    if (this.unavailable.has(key)) {
      throw new ListwatchError('KEY_SERVICE_FAILED', 'the key service was made unavailable');
    }
    if (this.unreadable.has(key)) throw new Error('the value was made unreadable');
  }
}
