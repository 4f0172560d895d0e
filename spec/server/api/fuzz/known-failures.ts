/** The failures with a status of 5xx that kube-apiserver answers to a bad request too. */
const KNOWN: readonly (readonly [number, RegExp])[] = [
  [500, /strconv\.ParseUint|invalid resource version|Invalid value: .*resourceVersion/i],
  [500, /failed to create typed patch object/],
  // Directives, members and items of a strategic merge patch.
  [500, /unknown patch type: |does not contain declared merge key: /],
  [500, /list element types are not identical: |cannot merge lists without merge key for /],
  [500, /"expected an? \S+(?: \{\})?, but received an? /],
  [500, /The order in patch list:|no elements in any of the given slices/],
  [500, /merging lists cannot yet be specified in the patch/],
  [500, /unable to find api field in struct \w+ for the json field /],
  [500, /merging an object in json but data type is not struct, instead is: /],
  [500, /duplicate nodePort: \{/],
  [500, /the spec replicas field .* does not exist/],
  // A patch of a custom object that takes its version away.
  [500, /Object 'apiVersion' is missing in 'object has no apiVersion field'/],
  // The proxies of pods and services that nothing answers for.
  [503, /no endpoints available for service |no service port |error trying to reach service: /],
  [504, /Too large resource version/],
];

/** Whether kube-apiserver answers with this status of 5xx, in such words, too. */
export function isKnownFailure(status: number, text: string): boolean {
  // YAML breaks long lines.
  const line = text.replaceAll(/\s+/g, ' ');
  return KNOWN.some(([code, pattern]) => code === status && pattern.test(line));
}
