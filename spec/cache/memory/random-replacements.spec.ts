import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import type { KeptView } from '../../../lib/cache/memory/views/kept-view.ts';
import { RecentMetadata, RecordCodec } from '../../../lib/cache/memory/slabs/record-codec.ts';
import { SlabArena } from '../../../lib/cache/memory/slabs/slab-arena.ts';
import { SlabMemory } from '../../../lib/cache/memory/slab-memory.ts';
import { slotBytes } from '../../../lib/cache/memory/slabs/record.ts';
import {
  RandomViews,
  wrongJson,
  wrongMetadata,
  wrongObject,
  type RememberedView,
} from './remembered-views.ts';

const MEGABYTE = 1024 * 1024;
const FIRST_SEED = 1;
const REPLACEMENTS = 2000;
const OBJECTS = 400;
/** Of what has left; the oldest are checked once more and let go of. */
const MOST_LEFT = 600;
const BUDGET = 200_000;
/** A huge object that leaves frees its slab at once; the others are given up one by one. */
const SLACK = 1.6 * MEGABYTE;

/** Objects that have left, and whether their bodies may be read. */
interface LeftView extends RememberedView {
  readonly whole: boolean;
}

function wrongLeft(left: LeftView): string | undefined {
  const wrong = wrongMetadata(left);
  if (wrong !== undefined) return wrong;
  try {
    return wrongObject(left);
  } catch (error) {
    return isListwatchError(error, 'OBJECT_RELEASED') && !left.whole ? undefined : String(error);
  }
}

/** A cache of random objects that are replaced at random. */
abstract class ReplacedViews {
  protected readonly random: RandomViews;
  protected readonly live: RememberedView[] = [];
  readonly #left: LeftView[] = [];

  constructor(seed: number) {
    this.random = new RandomViews(seed);
  }

  /** Adds objects, and replaces them once there are enough. */
  replace(replacements: number): void {
    for (let count = 0; count < replacements; count += 1) {
      const isFull = this.live.length === OBJECTS;
      const place = isFull ? this.random.below(OBJECTS) : this.live.length;
      const before = this.live[place];
      // As a rule, what replaces an object is about as long as the object was.
      const bytes =
        before !== undefined && !this.random.once(4) ? before.view.sizeBytes : undefined;
      const next = this.random.next(bytes === undefined ? undefined : Math.max(10, bytes - 280));
      this.put(next);
      this.live[place] = next;
      if (before !== undefined) this.#leave(before);
      this.#read(this.live[this.random.below(this.live.length)] as RememberedView);
      if (count % 50 === 0) this.checkBytes();
    }
  }

  /** Removes all. */
  empty(): void {
    for (const remembered of this.live) this.expectRight(remembered);
    for (const remembered of this.live.splice(0)) this.#leave(remembered);
    this.checkBytes();
    this.#letGo(0);
  }

  protected expectRight(remembered: RememberedView): void {
    expect(wrongMetadata(remembered)).to.equal(undefined);
    expect(wrongJson(remembered)).to.equal(undefined);
  }

  protected abstract put(next: RememberedView): void;
  /** Whether the body may still be read. */
  protected abstract release(before: RememberedView): boolean;
  protected abstract checkBytes(): void;

  #leave(before: RememberedView): void {
    this.#left.push({ ...before, whole: this.release(before) });
    if (this.#left.length > MOST_LEFT) this.#letGo(MOST_LEFT / 2);
  }

  #letGo(most: number): void {
    for (const left of this.#left.splice(most)) expect(wrongLeft(left)).to.equal(undefined);
    // Reading has decoded them: the next notification of them comes from there.
    this.#left.length = 0;
  }

  #read(remembered: RememberedView): void {
    if (this.random.once(3)) expect(wrongMetadata(remembered)).to.equal(undefined);
    if (this.random.once(20)) expect(wrongJson(remembered)).to.equal(undefined);
    if (this.random.once(30)) expect(wrongObject(remembered)).to.equal(undefined);
    const left = this.#left[this.random.below(this.#left.length + 1)];
    if (left !== undefined && this.random.once(3)) expect(wrongLeft(left)).to.equal(undefined);
  }
}

class ReplacedInArena extends ReplacedViews {
  readonly #arena = new SlabArena({ codec: codec(), releasedCodec: codec() });

  protected put({ view }: RememberedView): void {
    this.#arena.put(view, view.json, this.random.once(9) ? undefined : view.places);
  }

  protected release({ view }: RememberedView): boolean {
    const whole = this.random.once(2);
    this.#arena.release(view, whole ? 'body' : 'metadata');
    return whole;
  }

  protected checkBytes(): void {
    const { liveBytes, slabBytes, views, freeSlots } = this.#arena;
    let slots = 0;
    for (const { view } of this.live) {
      const slot = slotBytes(view);
      slots += slot;
      expect(slot).to.be.within(view.sizeBytes, view.sizeBytes * 1.1 + 1000);
    }
    expect(liveBytes).to.equal(slots);
    expect(views).to.equal(this.live.length);
    expect(freeSlots).to.be.within(0, 2 * OBJECTS);
    expect(slabBytes).to.be.at.most(1.5 * liveBytes + SLACK);
  }
}

function codec(): RecordCodec {
  return new RecordCodec({ decoded: () => {}, metadata: new RecentMetadata() });
}

/** Handlers that read bodies come and go, and what has left may come back while that is to be feared. */
class ReplacedInMemory extends ReplacedViews {
  readonly #memory: SlabMemory;
  readonly #pins: Disposable[] = [];
  #relistPin: Disposable | undefined;
  #gone: RememberedView[] = [];

  constructor(seed: number, memory: SlabMemory) {
    super(seed);
    this.#memory = memory;
    memory.pin('metadata');
  }

  protected put(next: RememberedView): void {
    this.#comeAndGo();
    this.#memory.retain(next.view);
    this.#memory.retain(next.view);
  }

  protected release(before: RememberedView): boolean {
    const why = this.random.once(10) ? 'unused' : 'left';
    const whole = why === 'unused' || this.#memory.inspect().retention === 'body';
    this.#memory.release(before.view, why);
    if (this.#relistPin !== undefined) this.#comeBack(before, why);
    return whole;
  }

  protected override expectRight(remembered: RememberedView): void {
    expect(wrongMetadata(remembered)).to.equal(undefined);
    expect(wrongObject(remembered)).to.equal(undefined);
  }

  protected checkBytes(): void {
    const { mode, liveBytes, slabBytes, decodedBytes } = this.#memory.inspect();
    const jsonBytes = (views: readonly RememberedView[]): number =>
      views.reduce((sum, { view }) => sum + view.sizeBytes, 0);
    if (mode === 'objects') {
      const isHeld = ({ view: { held } }: RememberedView): boolean => held !== undefined;
      expect(decodedBytes).to.equal(2 * jsonBytes(this.live.filter(isHeld)));
    } else {
      expect(decodedBytes).to.be.within(0, BUDGET);
    }
    const least = jsonBytes(this.live.filter(({ view }) => mode === 'bytes' || !view.held));
    expect(liveBytes).to.be.within(least, 1.1 * least + 1000 * this.live.length);
    expect(slabBytes).to.be.at.most(1.5 * liveBytes + SLACK);
  }

  #comeAndGo(): void {
    const pin = this.#memory.pin('body');
    if (this.random.once(20)) this.#pins.push(pin);
    else pin[Symbol.dispose]();
    if (this.random.once(10)) this.#pins.pop()?.[Symbol.dispose]();
    if (!this.random.once(30)) return;
    if (this.#relistPin === undefined) {
      this.#relistPin = this.#memory.pin('body');
    } else {
      this.#relistPin[Symbol.dispose]();
      this.#relistPin = undefined;
      this.#gone = [];
    }
  }

  /** Objects that have left since are stored again for a while. */
  #comeBack(before: RememberedView, why: 'left' | 'unused'): void {
    this.#gone.push(before);
    if (!this.random.once(5)) return;
    const again = this.#gone[this.random.below(this.#gone.length)] as RememberedView;
    this.#memory.retain(again.view);
    if (this.random.once(2)) this.expectRight(again);
    this.#memory.release(again.view, why);
  }
}

describe('objects that are replaced at random', () => {
  for (const seed of [FIRST_SEED, FIRST_SEED + 1]) {
    it(`stay what they are in an arena and behind it, and are counted (seed ${seed})`, () => {
      const replaced = new ReplacedInArena(seed);
      replaced.replace(REPLACEMENTS);
      replaced.empty();
    });
  }

  const memories: readonly [string, () => SlabMemory][] = [
    ['objects', (): SlabMemory => new SlabMemory({ mode: 'objects', decodedBytes: Infinity })],
    ['bytes', (): SlabMemory => new SlabMemory({ mode: 'bytes', decodedBytes: BUDGET })],
    ['bytes, with no budget', (): SlabMemory => new SlabMemory({ mode: 'bytes', decodedBytes: 0 })],
  ];
  for (const [mode, memoryOf] of memories) {
    it(`stay the same while other objects come and go (${mode})`, () => {
      const seed = FIRST_SEED + 2;
      const replaced = new ReplacedInMemory(seed, memoryOf());
      replaced.replace(REPLACEMENTS);
      replaced.empty();
    });
  }

  it('leave nothing behind', () => {
    const arena = new SlabArena({ codec: codec(), releasedCodec: codec() });
    const random = new RandomViews(FIRST_SEED);
    for (let round = 0; round < 2; round += 1) {
      const views: KeptView[] = Array.from({ length: 1000 }, () => random.next().view);
      for (const view of views) arena.put(view, view.json, view.places);
      for (const view of views) arena.release(view, 'metadata');
      expect(arena.liveBytes).to.equal(0);
      expect(arena.views).to.equal(0);
      expect(arena.slabBytes).to.be.at.most(MEGABYTE);
      expect(arena.freeSlots).to.be.within(0, 1000);
    }
  });
});
