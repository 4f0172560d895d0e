/** A text that must not be shown, and what is shown in its place, e.g. `[AWS_PROFILE]`. */
export interface NamedSecret {
  readonly text: string;
  readonly name: string;
}

export interface SecretCarriers {
  readonly args: readonly string[];
  /** The variables of the plug-in's configuration. */
  readonly variables: Readonly<Record<string, string>>;
  /** The variables of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A shorter value is no secret, and hiding it would make messages unreadable. */
const SHORTEST = 6;
/** An argument that belongs to no flag is taken for a word such as `get-token` up to this length. */
const LONGEST_WORD = 20;
const SECRET_NAME = /token|secret|passw|credential|authorization|(?:api|access|private)_?key/i;

const PATTERNS: readonly RegExp[] = [
  // JSON Web Tokens, and other JSON in base64.
  /\beyJ[\w-]{8,}(?:\.[\w-]*)*/g,
  /\b(?:bearer|basic)\s+\S{6,}/gi,
  // User and password in a URL.
  /(?<=:\/\/)[^\s/@]+(?=@)/g,
];

/** Text without spaces that is long enough for a key. */
const LONG_WORD = /[A-Za-z0-9+/_=-]{32,}/g;

/** The values that a plug-in may repeat: all variables of its configuration, values of flags, secrets of the process. */
export function secretsOf({ args, variables, env }: SecretCarriers): NamedSecret[] {
  const secrets: NamedSecret[] = [];
  const add = (text: string | undefined, name: string): void => {
    // A text of several lines, such as a key in PEM, is repeated line by line.
    for (const line of text?.split(/[\r\n]+/) ?? []) {
      const part = line.trim();
      if (part.length >= SHORTEST) secrets.push({ text: part, name: `[${name}]` });
    }
  };
  for (const [name, value] of Object.entries(variables)) add(value, name);
  for (const [index, arg] of args.entries()) {
    const name = `argument ${index + 1}`;
    const isFlag = arg.startsWith('-');
    if (isFlag) add(/=(.*)$/s.exec(arg)?.[1], name);
    else if (args[index - 1]?.startsWith('-') === true || arg.length > LONGEST_WORD) add(arg, name);
  }
  for (const [name, value] of Object.entries(env)) if (SECRET_NAME.test(name)) add(value, name);
  // A secret may contain another one.
  return secrets.toSorted((left, right) => right.text.length - left.text.length);
}

/** A line without known secrets, and without what looks like a token or a key. */
export function hideSecrets(line: string, secrets: readonly NamedSecret[]): string {
  let shown = line;
  for (const { text, name } of secrets) shown = shown.replaceAll(text, name);
  for (const pattern of PATTERNS) shown = shown.replaceAll(pattern, '[hidden]');
  return shown.replaceAll(LONG_WORD, (word) => (looksRandom(word) ? '[hidden]' : word));
}

/** Paths and names rarely mix upper case, lower case and digits; keys do. */
function looksRandom(word: string): boolean {
  return /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word);
}
