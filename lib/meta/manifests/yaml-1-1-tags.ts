import type { ScalarTag } from 'yaml';

/**
 * Kubernetes reads manifests by the rules of YAML 1.1, where `yes` and `off` are booleans and `0644` is octal; a file must mean
 * the same here. Other types of YAML 1.1 are not supported: sexagesimal numbers, dates, sets, binary.
 * @see sigs.k8s.io/yaml, over go-yaml 2 resolve.go
 */
const BOOLEAN: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  identify: (value) => typeof value === 'boolean',
  test: /^(?:[yYnN]|yes|Yes|YES|on|On|ON|true|True|TRUE|no|No|NO|off|Off|OFF|false|False|FALSE)$/,
  resolve: (text) => /^(?:y|yes|on|true)$/i.test(text),
  stringify: ({ value }) => String(value),
};

const BASES: readonly (readonly [RegExp, number])[] = [
  [/^0[xX]/, 16],
  [/^0[bB]/, 2],
  [/^0[oO]?/, 8],
];

/** Octal, binary and hexadecimal numbers, and digits in groups. Used for reading only. */
const INTEGER: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?(?:0[oO]?[0-7_]*[0-7]|0[bB][01_]*[01]|0[xX][0-9a-fA-F_]*[0-9a-fA-F]|[1-9][0-9]*(?:_[0-9]+)+)$/,
  resolve: (text) => {
    const digits = text.replace(/^[-+]/, '').replaceAll('_', '');
    const [prefix, base] = BASES.find(([form]) => form.test(digits)) ?? [/^/, 10];
    const value = parseInt(digits.replace(prefix, ''), base);
    return text.startsWith('-') ? -value : value;
  },
};

/** Where a plain scalar of YAML 1.1 is of another type than in YAML 1.2. */
export const YAML_1_1_TAGS: readonly ScalarTag[] = [BOOLEAN, INTEGER];
