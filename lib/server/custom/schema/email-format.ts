const ATOM = /^[^\s()<>[\]:;@\\,."\p{Cc}]+$/u;
const ADDRESS = /^(?:"((?:[^"\\\p{Cc}]|\\[\s\S])*)"|([^"@]*))@(.*)$/su;
const LITERAL = /^\[[^\s[\]\\]*\]$/;
const COMMENT = /\s*\((?:[^()\\]|\\.)*\)\s*$/;

/** Whether Go's mail package reads a text as one address: `a@example.com`, or `Ann <a@example.com>`. */
export function isEmailAddress(text: string): boolean {
  const plain = text.replace(COMMENT, '').trim();
  if (!plain.endsWith('>')) return isAddress(plain);
  const open = plain.lastIndexOf('<');
  if (open < 0 || !isPhrase(plain.slice(0, open).trim())) return false;
  return isAddress(plain.slice(open + 1, -1).trim());
}

function isAddress(text: string): boolean {
  const [, quoted, local = '', domain = ''] = ADDRESS.exec(text) ?? [];
  if (quoted === undefined && !isDotted(local)) return false;
  return isDotted(domain) || LITERAL.test(domain);
}

function isDotted(text: string): boolean {
  return text.split('.').every((one) => ATOM.test(one));
}

/** A display name: words, or texts in quotes; it may be empty. */
function isPhrase(text: string): boolean {
  const words = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, 'x').split(/\s+/);
  return text === '' || words.every((word) => /^[^()<>[\]:;@\\,"]+$/.test(word));
}
