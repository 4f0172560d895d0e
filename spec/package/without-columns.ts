import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';

/** Modules of which a place is a line: they are large, and hardly ever stepped through. */
const BY_LINE = /lib\/(?:server|conformance)\//;

/**
 * The mappings of a source map, with one place for each line of the modules above: the first one. The program is one long line, so a
 * position in it belongs to the last place before it.
 */
export function withoutColumns({
  sources,
  mappings,
}: {
  readonly sources: readonly string[];
  readonly mappings: string;
}): string {
  const byLine = sources.map((source) => BY_LINE.test(source));
  return encode(
    decode(mappings).map((segments) => {
      const kept: SourceMapSegment[] = [];
      let [source, line] = [-1, -1];
      for (const segment of segments) {
        const [, nextSource = -1, nextLine = -1] = segment;
        if (byLine[nextSource] === true && nextSource === source && nextLine === line) continue;
        kept.push(segment);
        [source, line] = [nextSource, nextLine];
      }
      return kept;
    }),
  );
}
