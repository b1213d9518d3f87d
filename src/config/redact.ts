/** Words in names of fields, variables and headers whose values are not shown. */
const secretWord = 'token|secret|passw|credential|private|authorization|cookie|(?:api|access|account)[-_]?key';
const secretName = new RegExp(`${secretWord}|(?:^|[-_])key$`, 'i');
/** Values that are secrets whatever they are called: private keys, JSON Web Tokens, HTTP credentials, passwords in URLs. */
const secretShapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /(?<=\b(?:Bearer|Basic) )[\w.~+/=-]{4,}/gi,
  /(?<=:\/\/|^)[^\s/@"']+(?=@)/g,
];
/**
 * `name: value`, `"name": "value"` and `name=value` from the secret word in the name on, the value as the second group.
 * Where one without quotes ends is not known, so it is all of its line.
 */
const assignment = new RegExp(
  `((?:(?:${secretWord})[\\w.-]{0,80}|[-_]key|\\bkey)["']?\\s*[:=]\\s*)` +
    `("(?:[^"\\\\\\n]|\\\\.)*"|'[^'\\n]*'|[^\\s#"'[{|>][^\\n]*)`,
  'gi',
);

const redacted = '[redacted]';

/** Stars in place of secrets, character by character: places in the text stay what they are. */
export function maskText(text: string): string {
  const stars = (secret: string): string => secret.replace(/[^\n"']/g, '*');
  const named = text.replace(assignment, (_, before: string, value: string) => before + stars(value));
  return secretShapes.reduce((masked, shape) => masked.replace(shape, stars), named);
}

/** The same for lines `key="value"` of a pod's annotations, any of which may hold a whole configuration. */
export function maskPodInfo(text: string): string {
  return text.replace(/(?<==).*/g, (value) => value.replace(/[^"]/g, '*'));
}

/** A text that may be shown: what looks like a secret is left out. */
export function redactText(text: string): string {
  return secretShapes.reduce((shown, shape) => shown.replace(shape, redacted), text);
}

/** A value that may be shown: inside objects, what secret names hold is left out; in texts, what looks like a secret. */
export function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  // A header as `{name, value}`.
  const isNamedSecret = typeof fields.name === 'string' && secretName.test(fields.name);
  return Object.fromEntries(
    Object.entries(fields).map(([name, inner]) => {
      const isSecret = secretName.test(name) || (isNamedSecret && name === 'value');
      return [name, isSecret && isLeaf(inner) && inner !== '' ? redacted : redactValue(inner)];
    }),
  );
}

/** Names in a list say what is asked for, not what it is. */
function isLeaf(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}
