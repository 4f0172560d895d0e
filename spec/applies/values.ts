import type { Draw } from '../compare/draw.ts';

/** Draws a value of a field; undefined leaves the field out. */
export type Values = (draw: Draw) => unknown;

export type Members = Readonly<Record<string, Values>>;

/** One of these values. */
export function oneOf(...values: readonly unknown[]): Values {
  return (draw) => draw.pick(values);
}

/** An object: all of the required members, each of the others with an even chance. */
export function object(required: Members, optional: Members = {}): Values {
  return (draw) => {
    const result: Record<string, unknown> = {};
    for (const [name, values] of Object.entries(required)) result[name] = values(draw);
    for (const [name, values] of Object.entries(optional)) {
      if (draw.chance(0.4)) result[name] = values(draw);
    }
    return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== undefined));
  };
}

/** A list of some of these items, in any order, at times of none. */
export function someOf(...items: readonly Values[]): Values {
  return (draw) => {
    const count = draw.chance(0.06) ? 0 : 1 + draw.below(items.length);
    return draw.some(items, count).map((item) => item(draw));
  };
}

/** Like `someOf`, with the first item always. */
export function always(first: Values, ...others: readonly Values[]): Values {
  return (draw) => {
    const rest = draw.some(others, draw.below(others.length + 1));
    const all = [first, ...rest].map((item) => item(draw));
    return draw.chance(0.3) ? all.toReversed() : all;
  };
}

/** A map of texts. */
export function texts(...names: readonly string[]): Values {
  return (draw) =>
    Object.fromEntries(
      draw.some(names, draw.below(names.length + 1)).map((name) => [name, draw.pick(['1', '2'])]),
    );
}
