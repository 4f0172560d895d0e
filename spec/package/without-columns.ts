import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';

/** Modules of which a place is a line: they are large, and hardly ever stepped through. */
const BY_LINE =
  /node_modules\/|lib\/(?:cli|cluster|conformance|kinds|server|simulator|testing|client\/(?:config|transport)|cache\/wait|controller\/(?:definition|election|events|helpers|sharding|webhook)|recorder|meta\/(?:fields|json|protobuf))\//;

interface Places {
  readonly mappings: string;
  readonly names: readonly string[];
}

/**
 * The mappings of a source map, with one place for each line of the modules above: the first one, without the name that the source has
 * for what the bundler renamed. A line of the program holds code of several lines, and a position in it
 * belongs to the last place before it.
 */
export function withoutColumns({
  sources,
  mappings,
  names,
}: Places & { readonly sources: readonly string[] }): Places {
  const byLine = sources.map((source) => BY_LINE.test(source));
  const kept = new Map<number, number>();
  const lines = decode(mappings).map((segments) => {
    const places: SourceMapSegment[] = [];
    let [source, line] = [-1, -1];
    for (const segment of segments) {
      const [column, nextSource = -1, nextLine = -1, nextColumn = -1, name] = segment;
      if (byLine[nextSource] !== true) {
        if (name === undefined) places.push(segment);
        else places.push([column, nextSource, nextLine, nextColumn, keep(kept, name)]);
      } else if (nextSource !== source || nextLine !== line) {
        places.push([column, nextSource, nextLine, nextColumn]);
      }
      [source, line] = [nextSource, nextLine];
    }
    return places;
  });
  return { mappings: encode(lines), names: [...kept.keys()].map((name) => names[name] ?? '') };
}

/** The new index of a name. */
function keep(kept: Map<number, number>, name: number): number {
  const index = kept.get(name) ?? kept.size;
  kept.set(name, index);
  return index;
}
