import type { Finding } from './finding.ts';

/**
 * What tells a finding from others in every later run: its code and the field that it is about, by names. Neither lines
 * that move nor items that are put before it change it. Equal ones are counted.
 */
export function fingerprints(findings: readonly Finding[]): readonly string[] {
  const counts = new Map<string, number>();
  return findings.map((finding) => {
    const key = hash(identityOf(finding));
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? key : `${key}-${count}`;
  });
}

function identityOf({ code, severity, subject, span, message }: Finding): string {
  // What is said of the whole input counts files or names them, and so differs from run to run.
  if (severity === 'info' && subject === undefined && span === undefined) return code;
  if (subject === undefined) return [code, span?.file ?? '', message].join('\n');
  const { kind, namespace, name, path } = subject;
  const fields = path.filter((step) => typeof step === 'string').join('.');
  return [code, kind, namespace, name, fields, message].join('\n');
}

/** FNV-1a of 64 bits: it has to tell findings apart, not to keep anything secret. */
function hash(text: string): string {
  let value = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  }
  return value.toString(16).padStart(16, '0');
}
