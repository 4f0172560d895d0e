import { Dice } from '../../../soak/dice.ts';
import { checkFrames, checkPage, checkKnownValue, type Tally } from './check.ts';
import { drawEvent, drawList } from './documents.ts';
import { COMPACT, treeOf, writeTree, type WritingStyle } from './json-tree.ts';
import { mutateBytes, mutateTree } from './mutations.ts';

export interface Played {
  /** The input, as it went over the wire. */
  readonly pieces: readonly Buffer[];
  /** The faults of the output. */
  readonly problem: string | undefined;
}

/** Draws a stream of frames, or a page of a list, and reads it. One name, one course. */
export function play(name: string, tally: Tally): Played {
  const dice = new Dice(name);
  if (dice.chance(0.35)) {
    const pieces = cut(drawDocument(drawList(dice), dice), dice);
    const share = dice.pick([0, 0, 0.5, 1]);
    tally.count('documents');
    const readsLate = dice.chance(0.5);
    const takes = (): boolean => share > 0 && dice.chance(share);
    return { pieces, problem: checkPage(pieces, { takes, readsLate }, tally) };
  }
  const count = dice.int(1, 3);
  const parts: Buffer[] = [];
  let wrongWithKnown: string | undefined;
  for (let index = 0; index < count; index += 1) {
    const frame = drawDocument(drawEvent(dice), dice);
    let changed: Buffer = Buffer.from(frame);
    for (let change = dice.int(1, 3); change > 0; change -= 1) changed = mutateBytes(changed, dice);
    wrongWithKnown ??= checkKnownValue(frame, changed, tally);
    parts.push(frame);
    parts.push(Buffer.from(dice.pick(['\n', '\n', '\r\n', '\n\n', ' \n'])));
  }
  if (dice.chance(0.2)) parts.pop();
  tally.count('documents', count);
  const pieces = cut(Buffer.concat(parts), dice);
  return { pieces, problem: checkFrames(pieces, tally) ?? wrongWithKnown };
}

function drawDocument(document: object, dice: Dice): Buffer {
  const tree = treeOf(document);
  const changes = dice.pick([0, 0, 1, 1, 2, 4]);
  for (let change = 0; change < changes; change += 1) mutateTree(tree, dice);
  const style = dice.weighted<WritingStyle>([
    [6, COMPACT],
    [2, { space: 0.2, escapes: 0 }],
    [1, { space: 0, escapes: 0.02 }],
    [1, { space: 0.2, escapes: 0.3 }],
  ]);
  let bytes: Buffer = Buffer.from(writeTree(tree, style, dice));
  const breaks = dice.pick([0, 0, 0, 1, 1, 3]);
  for (let change = 0; change < breaks; change += 1) bytes = mutateBytes(bytes, dice);
  return bytes;
}

/** Cuts bytes as a network does: not at all, at a few places, or everywhere. Each piece has memory of its own. */
function cut(bytes: Buffer, dice: Dice): Buffer[] {
  const most = dice.pick([bytes.length, bytes.length, 600, 100, 10, 1]);
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = start + dice.int(1, Math.max(1, most));
    pieces.push(Buffer.from(bytes.subarray(start, end)));
    start = end;
  }
  return pieces;
}
