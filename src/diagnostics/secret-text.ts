/** Names that a message about a Secret may quote. */
const plainNames =
  /^(?:v1|Secret|apiVersion|kind|metadata|type|immutable|(?:data|stringData)(?:\..*)?|tls\.(?:crt|key)|ca\.(?:crt|crl)|key|cert|cacert|crl)$/;

/**
 * Whether the YAML document around `offset` speaks of a Secret, alone or in a list: none of its lines may be shown. Told
 * from the text, because a document that cannot be read is told about too.
 */
export function isInSecret(text: string, offset: number): boolean {
  return secretDocuments(text)(offset);
}

/** The same for many offsets: the text is gone through once, each document once. */
export function secretDocuments(text: string): (offset: number) => boolean {
  const starts = [...text.matchAll(/^---(?=\s|$)/gm)].map(({ index }) => index);
  const known = new Map<number, boolean>();
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    const isSecret = known.get(low) ?? speaksOfSecret(text.slice(starts[low - 1] ?? 0, starts[low] ?? text.length));
    known.set(low, isSecret);
    return isSecret;
  };
}

function speaksOfSecret(document: string): boolean {
  return /\bkind["']?\s*:\s*["']?Secret\b/.test(document) && !refersToSecret(document);
}

/** An object of the Gateway API names Secrets by their kind, and has no data of theirs; two objects without a line between them may. */
function refersToSecret(document: string): boolean {
  const [kind, ...others] = document.match(/^["']?kind["']?\s*:.*$/gm) ?? [];
  if (kind === undefined || others.length > 0 || !/^kind: (Gateway|ReferenceGrant)\s*$/.test(kind)) return false;
  return /^apiVersion: gateway\.networking\.k8s\.io\//m.test(document) && !/\b(?:data|stringData)\b/i.test(document);
}

/** Whether a line of anything else holds key material: a private key in PEM or as a JSON Web Key, or a token by its name. */
export function holdsKey(line: string): boolean {
  const inJson = /["'](?:k|d)\\?["']\s*:\s*\\?["']/;
  const byName = /\b(?:access|api|auth|bearer|client|refresh)?_?(?:password|secret|token)["']?\s*:\s*[^\s{[]/i;
  return line.includes('PRIVATE KEY-----') || inJson.test(line) || byName.test(line);
}

/** The message without what it quotes of a Secret, but for names of fields. Quotes inside of quotes go with them. */
export function withoutQuotes(message: string): string {
  const quoted = [...message.matchAll(/"([^"]*)"/g)].find(([, text = '']) => !plainNames.test(text));
  const numbers = (text: string): string => text.replace(/\b(the number) [^\s,]+/g, '$1 …');
  if (quoted === undefined) return numbers(message);
  const end = message.lastIndexOf('"') + 1;
  return `${numbers(message.slice(0, quoted.index))}"…"${message.slice(end)}`;
}
