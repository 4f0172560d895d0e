import { NO_NUMBER, type NoteWriter } from './key-note.ts';

/** The notes of keys that are held back, and so have no slot. Memory: one entry for each of them that has a note. */
export class HeldNotes<K> {
  readonly #notes = new Map<K, unknown>();

  add(key: K, writer: NoteWriter): void {
    this.#notes.set(key, writer.write(this.#notes.get(key)));
  }

  set(key: K, note: unknown): void {
    this.#notes.set(key, note);
  }

  /** For a key that enters the queue: the note goes with it. A note that the key has there is the older one, and stays. */
  release(key: K): NoteWriter | undefined {
    const held = this.#notes.get(key);
    if (held === undefined) return undefined;
    this.#notes.delete(key);
    return { keyNumber: NO_NUMBER, write: (earlier) => earlier ?? held };
  }

  /** For a key that is added now: its writer continues the note that is held, which goes with the key. */
  joined(key: K, writer: NoteWriter): NoteWriter {
    const held = this.release(key);
    if (held === undefined) return writer;
    return { keyNumber: writer.keyNumber, write: (earlier) => writer.write(held.write(earlier)) };
  }

  clear(): void {
    this.#notes.clear();
  }
}
