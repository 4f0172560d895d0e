/** Parses `3.5.16`; undefined for another form. */
function parse(version: string): readonly [number, number, number] | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}

/**
 * Whether responses to progress requests are reliable: older members respond while a watch still has events to deliver
 * (etcd #15220, #17507). @see apiserver pkg/storage/feature/feature_support_checker.go @ 24a394e
 */
export function hasTrustworthyProgress(version: string): boolean {
  const [major, minor, patch] = parse(version) ?? [0, 0, 0];
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  if (minor === 5) return patch >= 13;
  return minor > 5;
}
