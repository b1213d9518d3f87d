// The forms of scalars that are read in step with their value; each pattern is matched at one place (`y`).

/** In double quotes, with the escapes of JSON alone. */
export const doubleQuoted = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
/** In single quotes; two of them stand for one. */
export const singleQuoted = /'(?:[^'\n]|'')*'/y;
/** Without quotes, in block style: printable ASCII, which ": " and " #" end. */
export const plainInBlock = /(?:[\w./$^(<+]|-(?=[\w./]))(?:[!-9;-~]|:(?=[!-~])| +(?=[!"$-~]))*/y;
/** Without quotes, between brackets or braces. */
export const plainInFlow = /(?:[\w./$^(<+]|-(?=[\w./]))(?:[\w./$^()<>+@%=*;~-]|:(?=[\w/]))*/y;
/** Plain scalars that YAML 1.2's core schema does not read as strings; numbers are looked for apart. */
const typed = /^(?:[-+]?\.(?:inf|nan)|true|false|null|~)$/i;

/** Strings that begin otherwise are neither numbers nor words of YAML. */
function isTyped(written: string): boolean {
  return /^[-+.\dtfn~]/i.test(written) && (typed.test(written) || !Number.isNaN(Number(written)));
}

/** Whether YAML reads a key without quotes as a boolean, null or no finite number: such a key is no text. */
export function isWord(name: string): boolean {
  return name.length < 6 && typed.test(name);
}

/** Whether `value` is the only reading that YAML 1.2's core schema has of the plain text `written`. */
export function isWrittenAs(value: unknown, written: string): boolean {
  if (typeof value === 'string') return value === written && !isTyped(written);
  if (typeof value === 'number') return /^(?:0|-?[1-9]\d*|-?\d+\.\d+)$/.test(written) && Number(written) === value;
  if (typeof value === 'boolean') return String(value) === written;
  return value === null && written === 'null';
}
